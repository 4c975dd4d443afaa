import type { Refusal } from '../message/refusal.ts';
import { HEX } from '../wire/bytes.ts';
import { isHost } from './host-syntax.ts';
import { encodedQuery, QUERY, type Queries } from './query.ts';

/**
 * The target of a request, judged once. What leaves here is the one string that is matched, authorised and forwarded:
 * anything a backend could read as another path is refused (design: ambiguous targets).
 */
export const target = {
  /** End of the path and of the target, relative to where the target starts. Only valid while `rewritten` is null. */
  pathEnd: 0,
  end: 0,
  /** The target as forwarded, when the bytes cannot be used as they are. */
  rewritten: null as string | null,
  /** What an absolute target names: `http` or `https`, and the authority; null for the other forms. */
  scheme: null as string | null,
  authority: null as string | null,
  refusal: 'target' as Refusal,
};

/** Bytes of a path that need no thought; a dot only where no segment starts with it. */
const PLAIN = new Uint8Array(256);
for (let byte = 0x21; byte < 0x7f; byte++) PLAIN[byte] = '%\\#?'.includes(String.fromCharCode(byte)) ? 0 : 1;

/** Bytes of a query that need no thought, whatever a query may hold. */
const PASSED = new Uint8Array(256);
for (let byte = 0x21; byte < 0x7f; byte++) PASSED[byte] = byte === 37 || byte === 35 ? 0 : 1;

/** A percent sign that begins no escape: readers disagree on what it stands for. */
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function refuse(refusal: Refusal): false {
  target.refusal = refusal;
  return false;
}

/**
 * Judges the target in `bytes[start, end)`; `bytes[end]` must be none that a target may have. @returns false when it must
 * be refused; `target` has the rest.
 */
export function judgeTarget(bytes: Buffer, start: number, end: number, options: boolean, queries: Queries): boolean {
  target.rewritten = target.scheme = target.authority = null;
  if (bytes[start] === 47) return judgeOrigin(bytes, start, end, queries);
  if (bytes[start] === 42 && end - start === 1) {
    target.pathEnd = target.end = 1;
    return options || refuse('target');
  }
  return judgeAbsolute(bytes.latin1Slice(start, end), queries);
}

function judgeOrigin(bytes: Buffer, start: number, end: number, queries: Queries): boolean {
  let p = start;
  for (;;) {
    while (PLAIN[bytes[p]!] !== 0) {
      if (bytes[p] === 46 && bytes[p - 1] === 47 && isDotSegment(bytes, p, end)) return refuse('target-ambiguous');
      p++;
    }
    if (p >= end || bytes[p] === 63) break;
    if (bytes[p] !== 37) return refuse('target-ambiguous'); // # or \ in the path
    return judgeEscaped(bytes.latin1Slice(start, end), queries);
  }
  if (p > end) p = end;
  target.pathEnd = p - start;
  target.end = end - start;
  return p >= end || judgeQuery(bytes, start, p, end, queries);
}

function judgeQuery(bytes: Buffer, start: number, p: number, end: number, queries: Queries): boolean {
  while (queries !== 'pass') {
    while (QUERY[bytes[p]!] !== 0) p++;
    if (bytes[p] !== 37 || HEX[bytes[p + 1]!]! > 15 || HEX[bytes[p + 2]!]! > 15) break;
    p += 3;
  }
  const unfit = p;
  for (;;) {
    while (PASSED[bytes[p]!] !== 0) p++;
    if (bytes[p] !== 37) break;
    if (HEX[bytes[p + 1]!]! > 15 || HEX[bytes[p + 2]!]! > 15) return refuse('query');
    p++;
  }
  const isFit = p === unfit || queries === 'pass';
  if (isFit && p >= end) return true;
  if (!isFit && queries === 'refuse') return refuse('query');
  const text = bytes.latin1Slice(start, p); // a fragment is never sent on
  target.rewritten = isFit ? text : encodedQuery(text, target.pathEnd + 1);
  return true;
}

/** `.` or `..` as a whole segment, also with parameters behind it, which some servers cut off first. */
function isDotSegment(bytes: Buffer, p: number, end: number): boolean {
  const q = bytes[p + 1] === 46 ? p + 2 : p + 1;
  return q >= end || bytes[q] === 47 || bytes[q] === 59 || bytes[q] === 63;
}

/** A path with percent-encoding: what need not be encoded is decoded, the rest must mean one thing only. */
function judgeEscaped(text: string, queries: Queries): boolean {
  const fragment = text.indexOf('#');
  const queryAt = text.indexOf('?');
  if (fragment >= 0 && (queryAt < 0 || fragment < queryAt)) return refuse('target-ambiguous');
  const path = canonicalPath(queryAt < 0 ? text : text.slice(0, queryAt));
  if (path === null) return refuse('target-ambiguous');
  const query = queryAt < 0 ? '' : text.slice(queryAt, fragment < 0 ? undefined : fragment);
  if (BROKEN_ESCAPE.test(query)) return refuse('query');
  const fit = queries === 'pass' ? query : encodedQuery(query, 0);
  if (queries === 'refuse' && fit !== query) return refuse('query');
  target.rewritten = path + fit;
  return true;
}

/** What a path may hold that makes it worth a closer look; all other paths are in their one spelling. */
const SUSPICIOUS = /[^\x21-\x7e]|[%\\#]|(?:^|\/)\.{1,2}(?:[/;]|$)/;

/** Whether a text is a path in its one spelling, seen at a glance; of others a closer look may still say so. */
export function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !path.includes('?') && !SUSPICIOUS.test(path);
}

/** @returns the path in its one spelling, or null when it has none. */
export function canonicalPath(path: string): string | null {
  if (!SUSPICIOUS.test(path)) return path;
  let canonical = '';
  const decoded: number[] = [];
  for (let i = 0; i < path.length; i++) {
    const character = path[i]!;
    if (character === '\\' || character === '#') return null;
    if (character !== '%') {
      canonical += character;
      decoded.push(character.charCodeAt(0));
      continue;
    }
    const high = HEX[path.charCodeAt(i + 1) & 255] ?? 255;
    const low = HEX[path.charCodeAt(i + 2) & 255] ?? 255;
    if (i + 2 >= path.length || high > 15 || low > 15) return null;
    const byte = high * 16 + low;
    if (byte < 0x20 || byte === 0x7f || byte === 0x2f || byte === 0x5c) return null;
    decoded.push(byte);
    const plain = String.fromCharCode(byte);
    canonical += UNRESERVED.test(plain) ? plain : `%${path.slice(i + 1, i + 3).toUpperCase()}`;
    i += 2;
  }
  let text: string;
  try {
    text = strictUtf8.decode(Uint8Array.from(decoded));
  } catch {
    return null;
  }
  for (const segment of text.split('/')) {
    const name = segment.split(';', 1)[0];
    if (name === '.' || name === '..') return null;
  }
  return canonical;
}

function judgeAbsolute(text: string, queries: Queries): boolean {
  const match = /^(https?):\/\/([^/?#]*)(.*)$/i.exec(text);
  if (match === null) return refuse('target');
  const [, scheme, authority, rest] = match;
  if (authority === '' || !isHost(authority!)) return refuse('target');
  const origin = rest!.startsWith('/') ? rest! : `/${rest}`;
  const bytes = Buffer.from(`${origin}\0`, 'latin1');
  if (!judgeOrigin(bytes, 0, origin.length, queries)) return false;
  target.rewritten ??= origin;
  target.scheme = scheme!.toLowerCase();
  target.authority = authority!;
  return true;
}
