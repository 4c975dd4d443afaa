import { spells } from '../wire/bytes.ts';
import { LINE, ranges } from './header-ranges.ts';

/** The scan needs more bytes. */
export const INCOMPLETE = -1;
/** The head must be refused; `refusal` of the scan says why. */
export const MALFORMED = -2;

/** A content length that two readers cannot read differently, or -1. Fifteen digits stay exact in a number. */
export function contentLength(bytes: Buffer, start: number, end: number): number {
  if (start === end || end - start > 15) return -1;
  let length = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i]! - 48;
    if (digit < 0 || digit > 9) return -1;
    length = length * 10 + digit;
  }
  return length;
}

/** Whether a value is exactly this word, whatever its case. */
export function isWord(bytes: Buffer, start: number, end: number, word: string): boolean {
  return end - start === word.length && spells(bytes, start, word);
}

/** Marks a line so that nobody sees it and nothing sends it. */
export function dropLine(line: number): void {
  ranges.table[line] = ~ranges.table[line]!;
}

/** Options of a Connection header. */
export interface ConnectionOptions {
  close: boolean;
  keepAlive: boolean;
  upgrade: boolean;
  /** Header names that belong to this hop, or null. */
  nominated: string[] | null;
}

/** Headers that no Connection header can take away: without them the message would mean something else. */
const NEVER_NOMINATED = new Set(['host', 'content-length', 'transfer-encoding', 'authorization', 'cookie']);

/** Reads a Connection header into `options`. */
export function readConnection(bytes: Buffer, start: number, end: number, options: ConnectionOptions): void {
  if (isWord(bytes, start, end, 'keep-alive')) options.keepAlive = true;
  else if (isWord(bytes, start, end, 'close')) options.close = true;
  else {
    for (const part of bytes.latin1Slice(start, end).split(',')) {
      const option = withoutSpace(part).toLowerCase();
      if (option === 'close') options.close = true;
      else if (option === 'keep-alive') options.keepAlive = true;
      else if (option === 'upgrade') options.upgrade = true;
      else if (option !== '' && !NEVER_NOMINATED.has(option)) {
        if (options.nominated === null) options.nominated = [option];
        else options.nominated.push(option);
      }
    }
  }
}

/** `trim` would also take bytes that only Unicode calls space, and so read an option that others do not see. */
export function withoutSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(start, end);
}

/** Drops every line whose name a Connection header listed. @returns how many. */
export function dropNominated(bytes: Buffer, base: number, first: number, end: number, names: string[]): number {
  const table = ranges.table;
  let dropped = 0;
  for (let line = first; line < end; line += LINE) {
    const start = table[line]!;
    if (start < 0) continue;
    for (const name of names) {
      if (isWord(bytes, base + start, base + table[line + 1]!, name)) {
        dropLine(line);
        dropped++;
        break;
      }
    }
  }
  return dropped;
}
