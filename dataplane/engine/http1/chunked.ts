import { HEX, TOKEN, VALUE } from '../wire/bytes.ts';

/** Bytes that a chunk extension, or all trailer lines together, may take. */
const MOST_EXTENSION = 1024;
const MOST_TRAILER = 8192;
const MOST_SIZE_DIGITS = 12;
/** Chunks up to this size are put behind the one before: whoever sends single bytes would else cost a call for each. */
const SMALL = 1024;

const SIZE = 0;
const EXTENSION = 1;
const EXTENSION_NAME = 2;
const EXTENSION_EQUALS = 3;
const EXTENSION_VALUE = 4;
const QUOTED = 5;
const QUOTED_PAIR = 6;
const QUOTED_END = 7;
const SIZE_LF = 8;
const DATA = 9;
const DATA_CR = 10;
const DATA_LF = 11;
const TRAILER = 12;
const TRAILER_LINE = 13;
const TRAILER_LF = 14;
const END_LF = 15;
const BROKEN = 16;

/** Gets the data of a chunked body, piece by piece. */
export interface ChunkReceiver {
  chunkData(bytes: Buffer, start: number, end: number): void;
}

/** More bytes are needed. */
export const MORE = -1;
/** The body is malformed. */
export const BAD_CHUNK = -2;
/** More bytes are needed, and nothing but the end of the body can follow. */
export const ENDING = -3;

/** Reads a chunked body (RFC 9112 §7.1) without tolerance: what it passes on is data, never framing. */
export class ChunkDecoder {
  /** Bytes of data seen so far. */
  received = 0;
  private state: number = SIZE;
  private left = 0;
  private digits = 0;
  private extension = 0;
  private trailerBytes = 0;
  private trailerText = '';
  /** Where the data is that was read and not passed on. */
  private joinedStart = 0;
  private joinedEnd = 0;

  /** The trailer lines, each with its CRLF, checked; empty when there were none. */
  get trailers(): string {
    return this.trailerText;
  }

  /**
   * With a receiver, data of small chunks is moved over the framing between them, which is read by then. Without one
   * nothing is passed on or moved.
   * @returns the offset after the body, MORE, ENDING or BAD_CHUNK.
   */
  feed(bytes: Buffer, p: number, n: number, receiver: ChunkReceiver | null): number {
    this.joinedStart = this.joinedEnd = p;
    const stop = this.read(bytes, p, n, receiver);
    if (receiver !== null && this.joinedStart < this.joinedEnd) {
      receiver.chunkData(bytes, this.joinedStart, this.joinedEnd);
    }
    return stop;
  }

  private read(bytes: Buffer, p: number, n: number, receiver: ChunkReceiver | null): number {
    while (p < n) {
      if (this.state === DATA) {
        const end = n - p < this.left ? n : p + this.left;
        this.left -= end - p;
        this.received += end - p;
        if (this.left === 0) this.state = DATA_CR;
        if (receiver !== null) this.join(bytes, p, end, receiver);
        p = end;
        continue;
      }
      if (this.state === TRAILER || this.state === TRAILER_LINE) {
        p = this.trailer(bytes, p, n);
        if (p < 0) return BAD_CHUNK;
        continue;
      }
      const state = this.step(bytes[p++]!);
      if (state === BROKEN) return BAD_CHUNK;
      if (state === SIZE && this.state === END_LF) return p;
      this.state = state;
    }
    return this.state >= TRAILER ? ENDING : MORE;
  }

  /** Puts data behind the data before it, or passes that on. */
  private join(bytes: Buffer, start: number, end: number, receiver: ChunkReceiver): void {
    const { joinedStart, joinedEnd } = this;
    const isFirst = joinedStart === joinedEnd;
    if (isFirst || end - start > SMALL) {
      if (!isFirst) receiver.chunkData(bytes, joinedStart, joinedEnd);
      this.joinedStart = start;
      this.joinedEnd = end;
      return;
    }
    if (end - start > 16) bytes.copyWithin(joinedEnd, start, end);
    else for (let from = start, to = joinedEnd; from < end; from++, to++) bytes[to] = bytes[from]!;
    this.joinedEnd = joinedEnd + end - start;
  }

  /** One byte of framing. @returns the next state; SIZE from END_LF means that the body is complete. */
  private step(byte: number): number {
    switch (this.state) {
      case SIZE: {
        const digit = HEX[byte]!;
        if (digit < 16) {
          if (++this.digits > MOST_SIZE_DIGITS) return BROKEN;
          this.left = this.left * 16 + digit;
          return SIZE;
        }
        if (this.digits === 0) return BROKEN;
        this.extension = 0;
        return byte === 13 ? SIZE_LF : byte === 59 ? EXTENSION : BROKEN;
      }
      case SIZE_LF:
        if (byte !== 10) return BROKEN;
        this.digits = 0;
        return this.left === 0 ? TRAILER : DATA;
      case DATA_CR:
        return byte === 13 ? DATA_LF : BROKEN;
      case DATA_LF:
        return byte === 10 ? SIZE : BROKEN;
      case TRAILER_LF:
        return byte === 10 ? TRAILER : BROKEN;
      case END_LF:
        return byte === 10 ? SIZE : BROKEN;
      default:
        return ++this.extension > MOST_EXTENSION ? BROKEN : this.extensionStep(byte);
    }
  }

  /** Extensions are read for their grammar only and never passed on: they belong to this hop. */
  private extensionStep(byte: number): number {
    switch (this.state) {
      case EXTENSION:
        return byte === 32 || byte === 9 ? EXTENSION : TOKEN[byte] !== 0 ? EXTENSION_NAME : BROKEN;
      case EXTENSION_NAME:
        if (TOKEN[byte] !== 0) return EXTENSION_NAME;
        return byte === 61 ? EXTENSION_EQUALS : afterExtension(byte);
      case EXTENSION_EQUALS:
        return byte === 34 ? QUOTED : TOKEN[byte] !== 0 ? EXTENSION_VALUE : BROKEN;
      case EXTENSION_VALUE:
        return TOKEN[byte] !== 0 ? EXTENSION_VALUE : afterExtension(byte);
      case QUOTED:
        return byte === 34 ? QUOTED_END : byte === 92 ? QUOTED_PAIR : VALUE[byte] !== 0 ? QUOTED : BROKEN;
      case QUOTED_PAIR:
        return VALUE[byte] !== 0 ? QUOTED : BROKEN;
      case QUOTED_END:
        return afterExtension(byte);
      default:
        return BROKEN;
    }
  }

  /** Takes trailer lines whole, so that they can be checked and passed on as text. @returns BAD_CHUNK or where it stopped. */
  private trailer(bytes: Buffer, p: number, n: number): number {
    if (this.state === TRAILER && bytes[p] === 13) {
      this.state = END_LF;
      return p + 1;
    }
    let end = p;
    while (end < n && VALUE[bytes[end]!] !== 0) end++;
    this.trailerBytes += end - p;
    if (this.trailerBytes > MOST_TRAILER) return BAD_CHUNK;
    this.trailerText += bytes.latin1Slice(p, end);
    this.state = TRAILER_LINE;
    if (end === n) return end;
    if (bytes[end] !== 13 || !this.endTrailerLine()) return BAD_CHUNK;
    this.state = TRAILER_LF;
    return end + 1;
  }

  /** @returns false when the line just read may not stand in a trailer. */
  private endTrailerLine(): boolean {
    const start = this.trailerText.lastIndexOf('\n') + 1;
    const name = trailerName(this.trailerText.slice(start));
    if (name === null || isFraming(name)) return false;
    this.trailerText = isTooLate(name) ? this.trailerText.slice(0, start) : `${this.trailerText}\r\n`;
    return true;
  }
}

function afterExtension(byte: number): number {
  return byte === 59 ? EXTENSION : byte === 13 ? SIZE_LF : BROKEN;
}

/** Fields that frame or address a message; in a trailer they are an attack. */
const FRAMING = /^(transfer-encoding|content-length|host|connection|upgrade)$/;
/** Fields that others have already decided on (RFC 9110 §6.5.1): dropped, because nobody may act on them now. */
const TOO_LATE =
  /^(authorization|cache-control|content-(encoding|range|type)|(set-)?cookie|expect|forwarded|keep-alive|max-forwards|proxy-.*|te|trailer|via|x-forwarded-.*)$/;

/** Whether a trailer with this name must be refused. `name` in lower case, with `-` for `_`. */
export function isFraming(name: string): boolean {
  return FRAMING.test(name);
}

/** Whether a trailer with this name is dropped. `name` in lower case, with `-` for `_`. */
export function isTooLate(name: string): boolean {
  return TOO_LATE.test(name);
}

/** @returns the name in lower case, or null when the line is malformed. */
function trailerName(line: string): string | null {
  const colon = line.indexOf(':');
  if (colon <= 0) return null;
  for (let i = 0; i < colon; i++) if (TOKEN[line.charCodeAt(i)] !== 1) return null;
  return line.slice(0, colon).toLowerCase().replaceAll('_', '-');
}
