import type { Refusal } from '../message/refusal.ts';
import { endOfValue, LOWER, METHOD, NAME, spells, TARGET, TOKEN } from '../wire/bytes.ts';
import { beginRanges, LINE, MOST_HEADER_LINES, ranges } from './header-ranges.ts';
import type { KnownCredentials } from './known-credentials.ts';
import type { LinesMemo } from './lines-memo.ts';
import { foldedName, isOddName } from './look-alike.ts';
import {
  contentLength,
  dropLine,
  dropNominated,
  INCOMPLETE,
  isWord,
  MALFORMED,
  readConnection,
} from './message-head.ts';
import { requestHead, resetRequestHead } from './scanned-request.ts';

/** Limits of a scan of a request head. */
export interface RequestHeadLimits {
  readonly targetBytes: number;
  readonly headBytes: number;
  /** 0 for what `headBytes` leaves. */
  readonly headerBytes: number;
  readonly headerLines: number;
  readonly underscores: boolean;
}

const head = requestHead;

function refuse(refusal: Refusal): number {
  head.refusal = refusal;
  return MALFORMED;
}

const VERSION = 'HTTP/1.';
const LATER_VERSION = /^HTTP\/[2-9]\.[0-9]\r\n$/;
const LONGEST_METHOD = 32;
/** Empty lines that may stand before a request. */
export const MOST_EMPTY_LINES = 4;

/**
 * Scans a request head that starts at `p`; `bytes[n]` must be 0. `memo` has the lines that this client sent before: when
 * they come again, comparing them is cheaper than reading them. `dropsIds`: ids of this client are not believed, and their
 * lines are dropped.
 * @returns the end of the head, INCOMPLETE or MALFORMED.
 */
export function scanRequestHead(
  bytes: Buffer,
  p: number,
  n: number,
  limits: RequestHeadLimits,
  memo: LinesMemo | null,
  dropsIds: boolean,
): number {
  let empty = 0;
  // RFC 9112 §2.2: tolerated
  while (bytes[p] === 13 && empty++ < MOST_EMPTY_LINES) {
    if (p + 1 >= n) return INCOMPLETE;
    if (bytes[p + 1] !== 10) break;
    p += 2;
  }
  const base = p;
  let q = p;
  while (METHOD[bytes[q]!] !== 0) q++;
  if (q - p > LONGEST_METHOD) return refuse('method');
  if (q >= n) return INCOMPLETE;
  if (bytes[q] !== 32 || q === p || bytes[p]! < 65)
    return refuse(q > p && TOKEN[bytes[q]!] !== 0 ? 'method' : 'request-line');
  head.methodEnd = q - base;
  p = ++q;
  while (TARGET[bytes[q]!] !== 0) q++;
  if (q - p > limits.targetBytes) return refuse('target-too-long');
  if (q >= n) return INCOMPLETE;
  if (q === p) return refuse('request-line');
  head.base = base;
  head.targetStart = p - base;
  head.targetEnd = q - base;
  resetRequestHead();
  if (bytes[q] === 13) return scanSimple(bytes, q, n);
  if (bytes[q] !== 32) return refuse(bytes[q] === 10 ? 'request-line' : 'target');
  p = q + 1;
  const version = scanVersion(bytes, p, n);
  if (version !== 0) return version;
  return scanLines(bytes, p + 10, n, limits, memo, dropsIds);
}

/** A request line without a version is HTTP/0.9: only a bare GET, answered as HTTP/1.0 and closed. */
function scanSimple(bytes: Buffer, q: number, n: number): number {
  if (!isWord(bytes, head.base, head.base + head.methodEnd, 'get')) return refuse('request-line');
  for (let i = 0; i < 4; i++) {
    if (q + i >= n) return INCOMPLETE;
    if (bytes[q + i] !== (i % 2 === 0 ? 13 : 10)) return refuse('request-line');
  }
  head.minor = 0;
  head.close = true;
  head.first = beginRanges();
  head.table = ranges.table;
  return q + 4;
}

/** @returns 0 when the line ends in a version we speak. */
function scanVersion(bytes: Buffer, p: number, n: number): number {
  for (let i = 0; i < 7; i++) {
    if (p + i >= n) return INCOMPLETE;
    if (bytes[p + i] !== VERSION.charCodeAt(i)) return refuseVersion(bytes.latin1Slice(p, Math.min(n, p + 10)));
  }
  if (p + 9 >= n) {
    if (p + 7 < n && bytes[p + 7] !== 48 && bytes[p + 7] !== 49) return refuse('version-syntax');
    return p + 8 < n && bytes[p + 8] !== 13 ? refuse('version-syntax') : INCOMPLETE;
  }
  const minor = bytes[p + 7]! - 48;
  if ((minor !== 0 && minor !== 1) || bytes[p + 8] !== 13 || bytes[p + 9] !== 10) return refuse('version-syntax');
  head.minor = minor;
  return 0;
}

/** A later version is told from nonsense, as soon as it can be. */
function refuseVersion(text: string): number {
  if (text.length < 10 && LATER_VERSION.test(text + 'HTTP/2.0\r\n'.slice(text.length))) return INCOMPLETE;
  return refuse(LATER_VERSION.test(text) ? 'version' : 'version-syntax');
}

function scanLines(
  bytes: Buffer,
  start: number,
  n: number,
  limits: RequestHeadLimits,
  memo: LinesMemo | null,
  dropsIds: boolean,
): number {
  const base = head.base;
  const first = beginRanges();
  const table = ranges.table;
  const last = first + LINE * Math.min(limits.headerLines, MOST_HEADER_LINES);
  const whole = base + limits.headBytes;
  const most = limits.headerBytes === 0 ? whole : Math.min(whole, start + limits.headerBytes);
  if (memo !== null) {
    const end = memo.recall(bytes, start, Math.min(n, most), dropsIds);
    if (end > 0) return end;
  }
  const known = memo === null ? null : memo.credentials;
  let p = start;
  let line = first;
  for (;;) {
    if (p > most) return refuse('headers-too-large');
    if (p + 1 >= n) {
      if (p >= n || bytes[p] === 13) return INCOMPLETE;
      if (line === last) return refuse('headers-too-many');
      return TOKEN[bytes[p]!] !== 0 ? INCOMPLETE : refuse('header-line');
    }
    if (bytes[p] === 13) {
      if (bytes[p + 1] !== 10) return refuse('header-line');
      p += 2;
      break;
    }
    if (line === last) return refuse('headers-too-many');
    let q = p;
    while (NAME[bytes[q]!] !== 0) q++;
    let unusual = false;
    if (TOKEN[bytes[q]!] !== 0) {
      unusual = true;
      while (TOKEN[bytes[q]!] !== 0) q++;
    }
    if (q >= n) return n > most ? refuse('headers-too-large') : INCOMPLETE;
    if (bytes[q] !== 58 || q === p) return refuseLine(q, most);
    let value = q + 1;
    while (bytes[value] === 32 || bytes[value] === 9) value++;
    let end = value;
    let repeated = false;
    if (known !== null && q - p === 13 && repeats(bytes, p, value, n, known.bytes)) {
      end += known.bytes.length - 2;
      repeated = true;
    } else end = endOfValue(bytes, value);
    if (end + 1 >= n) {
      if (end < n && bytes[end] !== 13) return refuseLine(end, most);
      return n > most ? refuse('headers-too-large') : INCOMPLETE;
    }
    if (bytes[end] !== 13) return refuseLine(end, most);
    if (bytes[end + 1] !== 10) return refuseLine(end + 1, most);
    const next = end + 2;
    while (end > value && (bytes[end - 1] === 32 || bytes[end - 1] === 9)) end--;
    table[line] = p - base;
    table[line + 1] = q - base;
    table[line + 2] = value - base;
    table[line + 3] = end - base;
    const verdict = repeated
      ? authorized(line, known)
      : unusual
        ? judgeUnusual(bytes, p, q, line, limits)
        : judgeLine(bytes, p, q - p, value, end, line, dropsIds);
    if (verdict !== 0) return next > most + 1 ? refuse('headers-too-large') : verdict;
    line += LINE;
    p = next;
  }
  if (p > most + 2) return refuse('headers-too-large');
  head.first = first;
  head.table = table;
  head.lines = (line - first) / LINE;
  ranges.used = line;
  if (head.nominated !== null) head.dropped += dropNominated(bytes, base, first, line, head.nominated);
  if (head.minor === 0) head.close = !head.keepAlive || head.close;
  return p;
}

/** What stands beyond the limit is not looked at: the verdict must not depend on how much of it has come. */
function refuseLine(at: number, most: number): number {
  return refuse(at > most ? 'headers-too-large' : 'header-line');
}

/** Whether this is the Authorization line of the last request once more; the memo ends in CRLF, so its end is known. */
function repeats(bytes: Buffer, name: number, value: number, n: number, memo: Buffer): boolean {
  const end = value + memo.length;
  return end <= n && spells(bytes, name, 'authorization') && bytes.compare(memo, 0, memo.length, value, end) === 0;
}

function drop(line: number): number {
  dropLine(line);
  head.dropped++;
  return 0;
}

/** Notes a line with credentials, `known` from the memo or null, which counts while there is no other line. */
function authorized(line: number, known: KnownCredentials | null): number {
  head.credentials = head.authorizations === 0 ? known : null;
  if (head.authorizations === 0) head.authorizationLine = line;
  head.authorizations++;
  return 0;
}

/** Notes a line with an id of the client. */
function identified(line: number, drops: boolean): number {
  head.identified = true;
  return drops ? drop(line) : 0;
}

/** Sorts out the lines that matter for framing, for this hop, and those that only the gateway may set. */
function judgeLine(
  bytes: Buffer,
  p: number,
  length: number,
  value: number,
  end: number,
  line: number,
  dropsIds: boolean,
): number {
  switch (length) {
    case 2:
      if (spells(bytes, p, 'te')) drop(line);
      break;
    case 4:
      if (spells(bytes, p, 'host')) {
        if (head.hostLine >= 0) return refuse('host');
        head.hostLine = line;
      }
      break;
    case 6:
      if (spells(bytes, p, 'expect')) return judgeExpect(bytes, value, end, line);
      break;
    case 7:
      if (spells(bytes, p, 'upgrade')) {
        if (head.upgradeLine < 0) head.upgradeLine = line;
        drop(line);
      } else if (spells(bytes, p, 'trailer')) drop(line);
      break;
    case 9:
      if (spells(bytes, p, 'forwarded')) {
        head.forwarded = true;
        drop(line);
      }
      break;
    case 10:
      if (spells(bytes, p, 'connection')) {
        readConnection(bytes, value, end, head);
        drop(line);
      } else if (spells(bytes, p, 'keep-alive')) drop(line);
      else if (spells(bytes, p, 'tracestate')) return identified(line, dropsIds);
      break;
    case 11:
      if (spells(bytes, p, 'traceparent')) return identified(line, dropsIds);
      break;
    case 12:
      if (spells(bytes, p, 'x-request-id')) return identified(line, dropsIds);
      break;
    case 13:
      if (spells(bytes, p, 'authorization')) return authorized(line, null);
      break;
    case 14:
      if (spells(bytes, p, 'content-length')) {
        if (head.length >= 0 || head.chunked) return refuse('framing');
        head.length = contentLength(bytes, value, end);
        if (head.length < 0) return refuse('framing');
      } else if (spells(bytes, p, 'http2-settings')) drop(line); // only for an upgrade that is never passed on
      break;
    case 16:
      if (spells(bytes, p, 'proxy-connection')) drop(line);
      break;
    case 17:
      if (spells(bytes, p, 'transfer-encoding')) {
        if (head.length >= 0 || head.chunked || head.minor === 0) return refuse('framing');
        if (!isWord(bytes, value, end, 'chunked')) return refuse('transfer-coding');
        head.chunked = true;
        return drop(line);
      }
      break;
    case 18:
      if (spells(bytes, p, 'proxy-authenticate')) drop(line);
      break;
    case 19:
      if (spells(bytes, p, 'proxy-authorization')) drop(line);
      break;
  }
  if (length > 12 && LOWER[bytes[p]!] === 120 && bytes[p + 11] === 45 && spells(bytes, p, 'x-forwarded-')) {
    head.forwarded = true;
    drop(line);
  }
  return 0;
}

function judgeExpect(bytes: Buffer, value: number, end: number, line: number): number {
  if (head.minor === 0) return drop(line); // RFC 9110 §10.1.1: ignored in HTTP/1.0
  if (!isWord(bytes, value, end, '100-continue')) return refuse('expectation');
  head.expects = true;
  return 0;
}

/** Names of ours that a reader which knows letters and digits only would confuse. */
const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-request-id',
]);

/**
 * A name with more than letters, digits and `-`. With `_` it is removed when it imitates one that the gateway sets, and
 * refused otherwise unless allowed; with other characters it is refused when it imitates one.
 */
function judgeUnusual(bytes: Buffer, p: number, q: number, line: number, limits: RequestHeadLimits): number {
  const lower = bytes.latin1Slice(p, q).toLowerCase();
  const name = foldedName(lower);
  if (OURS.has(name) || name.startsWith('x-forwarded-')) {
    return isOddName(bytes, p, q) ? refuse('header-look-alike') : drop(line);
  }
  if (!limits.underscores && lower.includes('_')) return refuse('header-underscore');
  head.unusual = true;
  return 0;
}
