import {
  type CharacterSet,
  decodedEscapes,
  endOfSet,
  percentEncoded,
  quoted,
  uriCharacters,
} from './uri-characters.ts';

/** A text that is no URI, with the message of java.net.URISyntaxException. */
export class UriSyntaxError extends Error {
  readonly input: string;
  readonly reason: string;
  readonly index: number;

  constructor(input: string, reason: string, index: number) {
    super(index < 0 ? `${reason}: ${input}` : `${reason} at index ${index}: ${input}`);
    this.input = input;
    this.reason = reason;
    this.index = index;
  }
}

/** Parts of a URI as they are written; null where a part is absent. */
export interface UriParts {
  readonly scheme: string | null;
  readonly opaque: string | null;
  readonly authority: string | null;
  readonly userInfo: string | null;
  readonly host: string | null;
  readonly port: number;
  readonly path: string | null;
  readonly query: string | null;
  readonly fragment: string | null;
}

interface Authority {
  readonly userInfo: string | null;
  readonly host: string | null;
  readonly port: number;
}

const NO_SERVER: Authority = { userInfo: null, host: null, port: -1 };

/**
 * Reads a URI as `new java.net.URI(text)` does; one that is made of a host and a port must have both as servers do.
 * @throws UriSyntaxError
 */
export function readUri(text: string, needsServer = false): UriParts {
  const colon = text.search(/[:/?#]/);
  if (colon < 0 || text[colon] !== ':') return { scheme: null, opaque: null, ...readHierarchy(text, 0, needsServer) };
  if (colon === 0) throw new UriSyntaxError(text, 'Expected scheme name', 0);
  check(text, 0, 1, uriCharacters.letter, 'scheme name');
  check(text, 1, colon, uriCharacters.scheme, 'scheme name');
  const scheme = text.slice(0, colon);
  if (text[colon + 1] === '/') return { scheme, opaque: null, ...readHierarchy(text, colon + 1, needsServer) };
  const end = placeOf(text, colon + 1, '#');
  if (end <= colon + 1) throw new UriSyntaxError(text, 'Expected scheme-specific part', colon + 1);
  check(text, colon + 1, end, uriCharacters.any, 'opaque part');
  return {
    scheme,
    opaque: text.slice(colon + 1, end),
    authority: null,
    ...NO_SERVER,
    path: null,
    query: null,
    fragment: readFragment(text, end),
  };
}

function readHierarchy(text: string, from: number, needsServer: boolean): Omit<UriParts, 'scheme' | 'opaque'> {
  let at = from;
  let authority: string | null = null;
  let server = NO_SERVER;
  if (text.startsWith('//', at)) {
    at += 2;
    const end = placeOf(text, at, '/?#');
    if (end > at) {
      server = readAuthority(text, at, end, needsServer);
      authority = text.slice(at, end);
    } else if (end === text.length) throw new UriSyntaxError(text, 'Expected authority', at);
    at = end;
  }
  const pathEnd = placeOf(text, at, '?#');
  check(text, at, pathEnd, uriCharacters.path, 'path');
  const path = text.slice(at, pathEnd);
  if (text[pathEnd] !== '?') {
    return { authority, ...server, path, query: null, fragment: readFragment(text, pathEnd) };
  }
  const queryEnd = placeOf(text, pathEnd + 1, '#');
  check(text, pathEnd + 1, queryEnd, uriCharacters.any, 'query');
  const query = text.slice(pathEnd + 1, queryEnd);
  return { authority, ...server, path, query, fragment: readFragment(text, queryEnd) };
}

function readFragment(text: string, at: number): string | null {
  if (text[at] !== '#') return null;
  check(text, at + 1, text.length, uriCharacters.any, 'fragment');
  return text.slice(at + 1);
}

function readAuthority(text: string, from: number, end: number, needsServer: boolean): Authority {
  const isServer =
    endOfSet(text, from, end, uriCharacters.server) === end || /^[^\]]*\[[^\]]*\]/.test(text.slice(from, end));
  const isName = endOfSet(text, from, end, uriCharacters.registryName) === end;
  if (!isServer) {
    if (isName) return NO_SERVER;
    throw new UriSyntaxError(text, 'Illegal character in authority', from);
  }
  try {
    return readServer(text, from, end);
  } catch (error) {
    if (!needsServer && isName && error instanceof UriSyntaxError) return NO_SERVER;
    throw error;
  }
}

function readServer(text: string, from: number, end: number): Authority {
  let at = from;
  let userInfo: string | null = null;
  const mark = text.indexOf('@', from);
  if (mark >= 0 && mark < end) {
    check(text, at, mark, uriCharacters.userInfo, 'user info');
    userInfo = text.slice(at, mark);
    at = mark + 1;
  }
  const hostEnd = text[at] === '[' ? bracketEnd(text, at, end) : hostNameEnd(text, at, end);
  const host = text.slice(at, hostEnd);
  if (hostEnd === end) return { userInfo, host, port: -1 };
  if (text[hostEnd] !== ':') throw new UriSyntaxError(text, 'Expected end of authority', hostEnd);
  check(text, hostEnd + 1, end, uriCharacters.digit, 'port number');
  if (end === hostEnd + 1) return { userInfo, host, port: -1 };
  const port = Number(text.slice(hostEnd + 1, end));
  if (port > 0x7fffffff) throw new UriSyntaxError(text, 'Malformed port number', hostEnd + 1);
  return { userInfo, host, port };
}

function bracketEnd(text: string, from: number, end: number): number {
  const close = text.indexOf(']', from);
  if (close < 0 || close >= end) throw new UriSyntaxError(text, 'Expected closing bracket for IPv6 address', end);
  check(text, from + 1, close, uriCharacters.ipv6, 'IPv6 address');
  return close + 1;
}

function hostNameEnd(text: string, from: number, end: number): number {
  const colon = text.indexOf(':', from);
  const hostEnd = colon < 0 || colon > end ? end : colon;
  const name = text.slice(from, hostEnd);
  if (name === '') throw new UriSyntaxError(text, 'Expected hostname', from);
  if (/^\d+(?:\.\d+){3}$/.test(name) && name.split('.').every((part) => Number(part) < 256)) return hostEnd;
  const labels = (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  let at = from;
  for (const [index, label] of labels.entries()) {
    const odd = label.search(/[^A-Za-z0-9-]/);
    if (odd >= 0) throw new UriSyntaxError(text, 'Illegal character in hostname', at + odd);
    const isLast = index === labels.length - 1;
    if (label === '' || label.startsWith('-')) throw new UriSyntaxError(text, 'Illegal character in hostname', at);
    if (label.endsWith('-')) throw new UriSyntaxError(text, 'Illegal character in hostname', at + label.length - 1);
    if (isLast && index > 0 && !/^[A-Za-z]/.test(label)) {
      throw new UriSyntaxError(text, 'Illegal character in hostname', at);
    }
    at += label.length + 1;
  }
  return hostEnd;
}

function check(text: string, from: number, end: number, set: CharacterSet, part: string): void {
  const at = endOfSet(text, from, end, set);
  if (at >= end) return;
  if (text[at] === '%' && set.escaped) throw new UriSyntaxError(text, 'Malformed escape pair', at);
  throw new UriSyntaxError(text, `Illegal character in ${part}`, at);
}

function placeOf(text: string, from: number, stops: string): number {
  for (let at = from; at < text.length; at++) if (stops.includes(text[at]!)) return at;
  return text.length;
}

/** The text of a URI made of decoded parts, as the constructor of java.net.URI with seven parameters writes it. */
export function composedUri(
  scheme: string | null,
  userInfo: string | null,
  host: string | null,
  port: number,
  path: string | null,
  query: string | null,
  fragment: string | null,
): string {
  let out = scheme === null ? '' : `${scheme}:`;
  if (host !== null) {
    const isBare = host.includes(':') && !host.startsWith('[');
    out += `//${userInfo === null ? '' : `${quoted(userInfo, uriCharacters.userInfo, false)}@`}${isBare ? `[${host}]` : host}`;
    if (port !== -1) out += `:${port}`;
  }
  if (path !== null) out += quoted(path, uriCharacters.path, false);
  if (query !== null) out += `?${quoted(query, uriCharacters.any, false)}`;
  if (fragment !== null) out += `#${quoted(fragment, uriCharacters.any, false)}`;
  if (scheme !== null && path !== null && path !== '' && !path.startsWith('/'))
    throw new UriSyntaxError(out, 'Relative path in absolute URI', -1);
  return out;
}

/** The text of a URI made of parts as they are written. */
export function writtenUri(parts: UriParts): string {
  const scheme = parts.scheme === null ? '' : `${parts.scheme}:`;
  const fragment = parts.fragment === null ? '' : `#${parts.fragment}`;
  if (parts.opaque !== null) return `${scheme}${parts.opaque}${fragment}`;
  const authority = parts.authority === null ? '' : `//${parts.authority}`;
  const query = parts.query === null ? '' : `?${parts.query}`;
  return `${scheme}${authority}${parts.path ?? ''}${query}${fragment}`;
}

/** Escapes everything beyond ASCII. */
export function asciiUri(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]+/g, (run) => percentEncoded(run.normalize('NFC')));
}

/** Resolves a reference against a base as `java.net.URI.resolve` does. */
export function resolvedUri(base: UriParts, reference: UriParts): UriParts {
  if (reference.opaque !== null || base.opaque !== null || reference.scheme !== null) return reference;
  if (
    reference.authority === null &&
    reference.path === '' &&
    reference.fragment !== null &&
    reference.query === null
  ) {
    return { ...base, fragment: reference.fragment };
  }
  if (reference.authority !== null) return { ...reference, scheme: base.scheme };
  const path = reference.path!.startsWith('/') ? reference.path! : mergedPath(base.path!, reference.path!);
  return { ...base, path: normalPath(path), query: reference.query, fragment: reference.fragment };
}

function mergedPath(base: string, reference: string): string {
  return base.slice(0, base.lastIndexOf('/') + 1) + reference;
}

/** Removes `.` and `..` steps of a path; leading `..` stay, as Java leaves them. */
export function normalPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const steps = path.split('/').filter((step, index, all) => step !== '' || index === all.length - 1);
  const out: string[] = [];
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    if (step === '.') {
      if (isLast) out.push('');
    } else if (step === '..' && out.length > 0 && out.at(-1) !== '..') {
      out.pop();
      if (isLast) out.push('');
    } else out.push(step);
  }
  return (isAbsolute ? '/' : '') + out.join('/');
}

/** The decoded text of a part. */
export function decodedPart(part: string | null): string | null {
  return part === null ? null : decodedEscapes(part);
}
