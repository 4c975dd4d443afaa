import { endOfValue, spells, TOKEN, VALUE } from '../wire/bytes.ts';
import { beginRanges, LINE, MOST_HEADER_LINES, ranges } from './header-ranges.ts';
import {
  contentLength,
  dropLine,
  dropNominated,
  INCOMPLETE,
  isWord,
  MALFORMED,
  readConnection,
} from './message-head.ts';

/** Result of the last scan; read it before scanning again. Offsets are relative to `base`. */
export const responseHead = {
  base: 0,
  minor: 1,
  status: 0,
  reasonStart: 0,
  reasonEnd: 0,
  table: ranges.table,
  first: 0,
  lines: 0,
  dropped: 0,
  /** Names with `_` are a backend's own affair. */
  unusual: false,
  length: -1,
  /** The line that declares the length, or -1. */
  lengthLine: -1,
  chunked: false,
  close: false,
  keepAlive: false,
  upgrade: false,
  upgradeLine: -1,
  nominated: null as string[] | null,
};

const head = responseHead;
const VERSION = 'HTTP/1.';

/**
 * Scans a response head that starts at `p`; `bytes[n]` must be 0. A backend is read as strictly as a client: what two
 * readers could read differently is not an answer.
 * @returns the end of the head, INCOMPLETE or MALFORMED.
 */
export function scanResponseHead(bytes: Buffer, p: number, n: number): number {
  const base = p;
  for (let i = 0; i < 7; i++) {
    if (p + i >= n) return INCOMPLETE;
    if (bytes[p + i] !== VERSION.charCodeAt(i)) return MALFORMED;
  }
  if (n - p < 14) return INCOMPLETE;
  const minor = bytes[p + 7]! - 48;
  if ((minor !== 0 && minor !== 1) || bytes[p + 8] !== 32) return MALFORMED;
  const hundreds = bytes[p + 9]! - 48;
  const tens = bytes[p + 10]! - 48;
  const ones = bytes[p + 11]! - 48;
  if (hundreds < 1 || hundreds > 5 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return MALFORMED;
  p += 12;
  if (bytes[p] === 32) p++;
  else if (bytes[p] !== 13) return MALFORMED;
  const reasonStart = p;
  while (VALUE[bytes[p]!] !== 0) p++;
  if (p + 1 >= n) return p < n && bytes[p] !== 13 ? MALFORMED : INCOMPLETE;
  if (bytes[p] !== 13 || bytes[p + 1] !== 10) return MALFORMED;
  head.base = base;
  head.minor = minor;
  head.status = hundreds * 100 + tens * 10 + ones;
  head.reasonStart = reasonStart - base;
  head.reasonEnd = p - base;
  head.length = head.lengthLine = head.upgradeLine = -1;
  head.chunked = head.close = head.keepAlive = head.upgrade = false;
  head.nominated = null;
  head.dropped = 0;
  return scanLines(bytes, p + 2, n);
}

function scanLines(bytes: Buffer, start: number, n: number): number {
  const base = head.base;
  const first = beginRanges();
  const table = ranges.table;
  const last = first + LINE * MOST_HEADER_LINES;
  let p = start;
  let line = first;
  for (;;) {
    if (p + 1 >= n) return p < n && bytes[p] !== 13 && TOKEN[bytes[p]!] === 0 ? MALFORMED : INCOMPLETE;
    if (bytes[p] === 13) {
      if (bytes[p + 1] !== 10) return MALFORMED;
      p += 2;
      break;
    }
    if (line === last) return MALFORMED;
    let q = p;
    while (TOKEN[bytes[q]!] !== 0) q++;
    if (q >= n) return INCOMPLETE;
    if (bytes[q] !== 58 || q === p) return MALFORMED;
    let value = q + 1;
    while (bytes[value] === 32 || bytes[value] === 9) value++;
    let end = endOfValue(bytes, value);
    if (end + 1 >= n) return end < n && bytes[end] !== 13 ? MALFORMED : INCOMPLETE;
    if (bytes[end] !== 13 || bytes[end + 1] !== 10) return MALFORMED;
    const next = end + 2;
    while (end > value && (bytes[end - 1] === 32 || bytes[end - 1] === 9)) end--;
    table[line] = p - base;
    table[line + 1] = q - base;
    table[line + 2] = value - base;
    table[line + 3] = end - base;
    if (!judgeLine(bytes, p, q - p, value, end, line)) return MALFORMED;
    line += LINE;
    p = next;
  }
  head.first = first;
  head.table = table;
  head.lines = (line - first) / LINE;
  ranges.used = line;
  if (head.nominated !== null) head.dropped += dropNominated(bytes, base, first, line, head.nominated);
  if (head.minor === 0) head.close = !head.keepAlive || head.close;
  return p;
}

function drop(line: number): true {
  dropLine(line);
  head.dropped++;
  return true;
}

/** @returns false when the line makes the framing ambiguous. */
function judgeLine(bytes: Buffer, p: number, length: number, value: number, end: number, line: number): boolean {
  switch (length) {
    case 7:
      if (spells(bytes, p, 'upgrade')) {
        head.upgradeLine = line;
        return drop(line);
      }
      if (spells(bytes, p, 'trailer')) return drop(line);
      return true;
    case 10:
      if (spells(bytes, p, 'connection')) {
        readConnection(bytes, value, end, head);
        return drop(line);
      }
      if (spells(bytes, p, 'keep-alive')) return drop(line);
      return true;
    case 14:
      if (!spells(bytes, p, 'content-length')) return true;
      if (head.length >= 0 || head.chunked) return false;
      head.length = contentLength(bytes, value, end);
      head.lengthLine = line;
      return head.length >= 0;
    case 16:
      return spells(bytes, p, 'proxy-connection') ? drop(line) : true;
    case 17:
      if (!spells(bytes, p, 'transfer-encoding')) return true;
      if (head.length >= 0 || head.chunked || head.minor === 0 || !isWord(bytes, value, end, 'chunked')) return false;
      head.chunked = true;
      return drop(line);
    case 18:
      return spells(bytes, p, 'proxy-authenticate') ? drop(line) : true;
    default:
      return true;
  }
}
