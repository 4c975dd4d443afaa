import { beginHead, copyToHead, endHead, headArena } from '../frames/head-arena.ts';
import type { FieldSink } from '../frames/hpack-decoder.ts';
import { statusText } from '../head/status-text.ts';
import { SLACK, spells, writeText } from '../wire/bytes.ts';

const STATUS = ':status: 200\r\n';
/** Room for the status line, a line with a length, and the ends of lines. */
const OWN_LINES = 128;
const lines: string[] = [];

/** The status line as a backend that speaks HTTP/1.1 would write it. */
function statusLine(status: number): string {
  lines[status] ??= `HTTP/1.1 ${status} ${statusText(status)}\r\n`;
  return lines[status];
}

/**
 * Writes the fields of an answer as the text of an HTTP/1.1 head, so that one scan decides what an answer means, however
 * it came. What is malformed only in terms of HTTP/2 is found here.
 */
export class AnswerFields implements FieldSink {
  /** The head: `bytes[start, end)`, without its empty line until `finish`, valid until the end of the turn. */
  bytes: Buffer = headArena.bytes;
  start = 0;
  end = 0;
  status = 0;
  /** A rule of RFC 9113 §8 is broken. */
  malformed = false;
  tooLarge = false;
  /** It says how long its content is. */
  declaresLength = false;
  private most = 0;

  /** A block begins; its head may have `most` bytes. */
  begin(most: number): void {
    beginHead(most + OWN_LINES + SLACK);
    this.bytes = headArena.bytes;
    this.start = this.end = headArena.at;
    this.most = most;
    this.status = 0;
    this.malformed = this.tooLarge = this.declaresLength = false;
  }

  field(bytes: Buffer, start: number, nameLength: number, end: number, sound: boolean): void {
    if (!sound) this.malformed = true;
    if (this.malformed || this.tooLarge) return;
    if (this.status === 0) this.readStatus(bytes, start, nameLength, end);
    else if (bytes[start] === 58) this.malformed = true;
    else if (this.end + end - start - this.start > this.most) this.tooLarge = true;
    else {
      if (nameLength === 14 && spells(bytes, start, 'content-length')) this.declaresLength = true;
      this.end = copyToHead(this.bytes, this.end, bytes, start, end);
    }
  }

  /** The block is complete; nothing else is written where it lies. */
  finish(): void {
    if (this.status === 0) this.malformed = true;
    this.bytes[this.end] = 13;
    this.bytes[this.end + 1] = 10;
    this.end += 2;
    endHead(this.end);
  }

  /** The status comes first, and is the only field of its kind. */
  private readStatus(bytes: Buffer, start: number, nameLength: number, end: number): void {
    if (nameLength !== 7 || end - start !== STATUS.length || !spells(bytes, start, ':status')) {
      this.malformed = true;
      return;
    }
    let status = 0;
    for (let i = start + 9; i < end - 2; i++) {
      const digit = bytes[i]! - 48;
      if (digit < 0 || digit > 9) this.malformed = true;
      status = status * 10 + digit;
    }
    // a switch of protocols is a matter of connections (RFC 9113 §8.6)
    if (this.malformed || status < 100 || status > 599 || status === 101) this.malformed = true;
    else {
      this.status = status;
      this.end = writeText(this.bytes, this.end, statusLine(status));
    }
  }
}
