import { modifiedUtf8 } from './modified-utf8.ts';

/** Bytes of a text with a length of two bytes at most. */
const LONGEST_TEXT = 0xffff;
const FIRST_SIZE = 1024;
/** Bytes of the length in front of a frame. */
const PREFIX = 4;

/** Writes the fields of one frame in the loose encoding of OpenWire. */
export class FrameWriter {
  private bytes = Buffer.allocUnsafe(FIRST_SIZE);
  private at = PREFIX;

  /** @param type of the command or object */
  constructor(type: number) {
    this.byte(type);
  }

  byte(value: number): this {
    this.makeRoom(1);
    this.at = this.bytes.writeUInt8(value, this.at);
    return this;
  }

  flag(value: boolean): this {
    return this.byte(value ? 1 : 0);
  }

  int(value: number): this {
    this.makeRoom(4);
    this.at = this.bytes.writeInt32BE(value, this.at);
    return this;
  }

  long(value: number | bigint): this {
    this.makeRoom(8);
    this.at = this.bytes.writeBigInt64BE(BigInt(value), this.at);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.makeRoom(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
    return this;
  }

  /** A text that is always there. @throws RangeError for more than 65,535 bytes */
  plainText(text: string): this {
    const bytes = modifiedUtf8(text);
    if (bytes.length > LONGEST_TEXT) throw new RangeError(`a text of ${bytes.length} bytes is too long`);
    this.makeRoom(2);
    this.at = this.bytes.writeUInt16BE(bytes.length, this.at);
    return this.raw(bytes);
  }

  text(text: string | null): this {
    return text === null ? this.flag(false) : this.flag(true).plainText(text);
  }

  block(bytes: Uint8Array | null): this {
    return bytes === null ? this.flag(false) : this.flag(true).int(bytes.length).raw(bytes);
  }

  /** An object inside of the frame. */
  object(write: ((writer: FrameWriter) => void) | null): this {
    this.flag(write !== null);
    write?.(this);
    return this;
  }

  /** The frame with its length in front. The writer must not be used afterwards. */
  frame(): Buffer {
    this.bytes.writeInt32BE(this.at - PREFIX, 0);
    return this.bytes.subarray(0, this.at);
  }

  /** The fields without type and length. */
  content(): Buffer {
    return this.bytes.subarray(PREFIX + 1, this.at);
  }

  private makeRoom(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.at + more));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
