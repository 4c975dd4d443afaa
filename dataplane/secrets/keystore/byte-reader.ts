import { damaged } from './keystore-problem.ts';

/** Reads the numbers, texts and bytes that Java writes, one after the other. @throws KeystoreProblem past the end */
export class ByteReader {
  readonly bytes: Buffer;
  offset = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** 16 bits without a sign. */
  short(): number {
    return this.take(2).readUInt16BE();
  }

  /** 32 bits without a sign; what Java takes for negative is too large for anything. */
  int(): number {
    return this.take(4).readUInt32BE();
  }

  take(count: number): Buffer {
    if (count > this.left) throw damaged('a length goes past its end');
    const taken = this.bytes.subarray(this.offset, this.offset + count);
    this.offset += count;
    return taken;
  }

  /** A text in Java's own variety of UTF-8, after its length in bytes. */
  text(): string {
    return modifiedUtf8(this.take(this.short()));
  }
}

/** Each UTF-16 unit stands for itself in one, two or three bytes, and zero is two bytes. */
function modifiedUtf8(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    const size = first < 0x80 ? 1 : first >> 5 === 0b110 ? 2 : first >> 4 === 0b1110 ? 3 : 0;
    const rest = bytes.subarray(at + 1, at + size);
    if (size === 0 || rest.length !== size - 1 || rest.some((byte) => byte >> 6 !== 0b10)) throw damaged('a text');
    let unit = size === 1 ? first : first & (size === 2 ? 0x1f : 0x0f);
    for (const byte of rest) unit = (unit << 6) | (byte & 0x3f);
    text += String.fromCharCode(unit);
    at += size;
  }
  return text;
}
