/** Parts of a request line, as far as they could be read. */
export interface AskedFor {
  readonly method: string;
  /** Without the query, which may hold tokens. */
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
  return { method, path: path.replace(/[^\x21-\x7e]|["\\]/g, '?') };
}
