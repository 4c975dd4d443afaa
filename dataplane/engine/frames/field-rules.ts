import { endOfValue, spells, TOKEN, VALUE } from '../wire/bytes.ts';

/** Characters of a name in HTTP/2: a token without upper case. */
const NAME = Uint8Array.from(TOKEN, (token, byte) => (byte >= 65 && byte <= 90 ? 0 : token));
const SPACE = 32;
const TAB = 9;
/** Values up to this length are looked at byte by byte: the faster way begins with a view of its own. */
const SHORT_VALUE = 96;

/**
 * Whether a field, given as the line `name: value` with its CRLF, keeps the rules of RFC 9113 §8.2: a name in lower
 * case, a value without control characters or space around it, nothing that belongs to one hop.
 */
export function isSoundField(bytes: Buffer, start: number, nameLength: number, end: number): boolean {
  return isSoundName(bytes, start, nameLength) && isSoundValue(bytes, start, nameLength, end);
}

/** Checks the name of a field; a colon follows it. */
export function isSoundName(bytes: Buffer, start: number, nameLength: number): boolean {
  const colon = start + nameLength;
  let p = bytes[start] === 58 ? start + 1 : start;
  if (p === colon) return false;
  while (NAME[bytes[p]!] !== 0) p++;
  return p === colon;
}

/** Checks the value of a field with a valid name. */
export function isSoundValue(bytes: Buffer, start: number, nameLength: number, end: number): boolean {
  const value = start + nameLength + 2;
  const stop = end - 2;
  if (value === stop) return !ofOneHop(bytes, start, nameLength, value, stop);
  if (isSpace(bytes[value]!) || isSpace(bytes[stop - 1]!)) return false;
  return endOf(bytes, value, stop) === stop && !ofOneHop(bytes, start, nameLength, value, stop);
}

function endOf(bytes: Buffer, value: number, stop: number): number {
  if (stop - value > SHORT_VALUE) return endOfValue(bytes, value);
  while (VALUE[bytes[value]!] !== 0) value++;
  return value;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}

/** Whether a field belongs to one hop of HTTP/1.1 (RFC 9113 §8.2.2). */
function ofOneHop(bytes: Buffer, start: number, nameLength: number, value: number, end: number): boolean {
  switch (nameLength) {
    case 2:
      return spells(bytes, start, 'te') && !(end - value === 8 && spells(bytes, value, 'trailers'));
    case 7:
      return spells(bytes, start, 'upgrade');
    case 10:
      return spells(bytes, start, 'connection') || spells(bytes, start, 'keep-alive');
    case 16:
      return spells(bytes, start, 'proxy-connection');
    case 17:
      return spells(bytes, start, 'transfer-encoding');
    default:
      return false;
  }
}
