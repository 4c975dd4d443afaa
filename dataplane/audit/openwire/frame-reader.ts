import { fromModifiedUtf8 } from './modified-utf8.ts';

/** The other side sent bytes that are no OpenWire. */
export class MalformedFrame extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedFrame';
  }
}

/** Reads the fields of one frame in the loose encoding of OpenWire. */
export class FrameReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  byte(): number {
    return this.bytes[this.skip(1)]!;
  }

  flag(): boolean {
    return this.byte() !== 0;
  }

  short(): number {
    return this.bytes.readInt16BE(this.skip(2));
  }

  int(): number {
    return this.bytes.readInt32BE(this.skip(4));
  }

  long(): bigint {
    return this.bytes.readBigInt64BE(this.skip(8));
  }

  raw(length: number): Buffer {
    const from = this.skip(length);
    return this.bytes.subarray(from, from + length);
  }

  plainText(): string {
    const length = this.bytes.readUInt16BE(this.skip(2));
    return fromModifiedUtf8(this.raw(length));
  }

  text(): string | null {
    return this.flag() ? this.plainText() : null;
  }

  block(): Buffer | null {
    return this.flag() ? this.raw(this.int()) : null;
  }

  /** Steps over some bytes. @returns where they begin */
  private skip(length: number): number {
    const from = this.at;
    if (length < 0 || from + length > this.bytes.length) throw new MalformedFrame('a frame ends before its fields');
    this.at = from + length;
    return from;
  }
}
