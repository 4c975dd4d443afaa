/** Parts of a request line, as far as they could be read. */
export interface AskedFor {
  readonly method: string;
  /** Without the query, which may hold tokens, and without a user name and a password. */
  readonly path: string;
}

/** Nothing that can be told. */
export const nothingAsked: AskedFor = { method: '', path: '' };
/** More of a line that nobody understood is not worth keeping. */
const LONGEST = 512;

/** Reads a request line that was refused: for the log, which must not hold what nobody understood. */
export function askedFor(bytes: Buffer, start: number, end: number): AskedFor {
  const line = bytes.latin1Slice(start, Math.min(end, start + LONGEST)).split(/[\r\n]/, 1)[0]!;
  const whole =
    line.length < LONGEST ? /^([A-Z][A-Z-]{0,31}) ([^ ?#]*)\S* HTTP\/\d\.\d$/ : /^([A-Z][A-Z-]{0,31}) ([^ ?#]*)/;
  const [, method = '', path = ''] = whole.exec(line) ?? [];
  if (method === '') return nothingAsked;
  return { method, path: loggedTarget(path) };
}

/** A target that was refused, for logs: without a query, a fragment, and a user in front of its host. */
export function loggedTarget(target: string): string {
  const path = target.split(/[?#]/, 1)[0]!.slice(0, LONGEST);
  return (/^\/(?!\/)/.test(path) ? path : withoutUser(path)).replace(/[^\x21-\x7e]|["\\]/g, '?');
}

function withoutUser(target: string): string {
  const scheme = /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/)?/i.exec(target)![0];
  // after the last one, wherever it is: a password may hold anything
  const place = target.slice(Math.max(scheme.length, target.lastIndexOf('@') + 1));
  // a port that is none is the beginning of a password whose end was cut off
  return /^(?:\[[^\]/]*\]|[^/:[]*)(?::\d*)?(?:\/|$)/.test(place) ? scheme + place : scheme;
}
