import { damaged } from './keystore-problem.ts';

/** Deeper than anything that a keystore has, and far from what a stack can bear. */
const MOST_LEVELS = 32;
/** How many elements one keystore may have. A large one with a hundred keys has some thousands. */
const MOST_ELEMENTS = 100_000;

/** How many elements may still be read; one count for all that belongs together. */
export interface ElementCount {
  left: number;
}

export function elementCount(): ElementCount {
  return { left: MOST_ELEMENTS };
}

export const TAG = {
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  bmp: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

const CONSTRUCTED = 0x20;
/** Class and number of a tag that stands in the context of what is around it. */
const CONTEXT = 0x80;

/**
 * One element of BER: DER, or with lengths that are told by an end mark and texts in pieces, as some programs write
 * them. Nothing is copied, and what is inside is read when it is asked for.
 */
export class Ber {
  readonly tag: number;
  /** Its content without an end mark. */
  readonly content: Buffer;
  /** All of it. */
  readonly whole: Buffer;
  private readonly level: number;
  private readonly count: ElementCount;

  private constructor(tag: number, content: Buffer, whole: Buffer, level: number, count: ElementCount) {
    this.tag = tag;
    this.content = content;
    this.whole = whole;
    this.level = level;
    this.count = count;
  }

  /** The one element that bytes consist of. @throws KeystoreProblem */
  static read(bytes: Buffer, count: ElementCount): Ber {
    const first = Ber.at(bytes, 0, 0, count);
    if (first.whole.length !== bytes.length) throw damaged('something follows after its end');
    return first;
  }

  private static at(bytes: Buffer, offset: number, level: number, count: ElementCount): Ber {
    const { tag, start, length } = headerAt(bytes, offset, level, count);
    if (length !== null) {
      if (length > bytes.length - start) throw damaged('a length goes past its end');
      const end = start + length;
      return new Ber(tag, bytes.subarray(start, end), bytes.subarray(offset, end), level, count);
    }
    const end = endMark(bytes, start, level + 1, count);
    return new Ber(tag, bytes.subarray(start, end), bytes.subarray(offset, end + 2), level, count);
  }

  /** What it consists of. */
  get parts(): Ber[] {
    if ((this.tag & CONSTRUCTED) === 0) throw damaged('an element has no parts');
    const parts: Ber[] = [];
    for (let offset = 0; offset < this.content.length; ) {
      const part = Ber.at(this.content, offset, this.level + 1, this.count);
      parts.push(part);
      offset += part.whole.length;
    }
    return parts;
  }

  /** The parts of a sequence, or of a set. */
  sequence(tag: number = TAG.sequence): Ber[] {
    this.mustBe(tag);
    return this.parts;
  }

  /** The one element inside of a tag of the context. */
  explicit(number: number): Ber {
    this.mustBe(CONTEXT | CONSTRUCTED | number);
    const [inner, ...more] = this.parts;
    if (inner === undefined || more.length > 0) throw damaged('a tagged element does not hold one element');
    return inner;
  }

  isContext(number: number): boolean {
    return (this.tag & ~CONSTRUCTED) === (CONTEXT | number);
  }

  /** A number that is not negative and fits into 32 bits, for which larger ones are all the same. */
  integer(): number {
    this.mustBe(TAG.integer);
    const [first] = this.content;
    if (first === undefined || first >= 0x80) throw damaged('a number is negative');
    const digits = first === 0 ? this.content.subarray(1) : this.content;
    if (digits.length > 4) return Number.POSITIVE_INFINITY;
    return digits.length === 0 ? 0 : digits.readUIntBE(0, digits.length);
  }

  oid(): string {
    this.mustBe(TAG.oid);
    return dotted(this.content);
  }

  /** Bytes, in one piece or in several. With `number`, those of an octet string under a tag of the context. */
  octets(number?: number): Buffer {
    const tag = number === undefined ? TAG.octets : CONTEXT | number;
    if (this.tag === tag) return this.content;
    this.mustBe(tag | CONSTRUCTED);
    return Buffer.concat(this.parts.map((part) => part.octets()));
  }

  /** The one element that its bytes consist of. */
  inside(): Ber {
    return Ber.read(this.octets(), this.count);
  }

  /** The text of a BMPString. */
  bmp(): string {
    this.mustBe(TAG.bmp);
    if (this.content.length % 2 !== 0) throw damaged('half a character');
    return Buffer.from(this.content).swap16().toString('utf16le');
  }

  private mustBe(tag: number): void {
    if (this.tag !== tag) throw damaged('an element is not of the expected kind');
  }
}

interface Header {
  readonly tag: number;
  /** Where the content begins. */
  readonly start: number;
  /** Null when an end mark tells. */
  readonly length: number | null;
}

function headerAt(bytes: Buffer, offset: number, level: number, count: ElementCount): Header {
  if (level > MOST_LEVELS) throw damaged('it is nested too deeply');
  count.left--;
  if (count.left < 0) throw damaged('it has too many elements');
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw damaged('it ends too early');
  if ((tag & 0x1f) === 0x1f) throw damaged('a tag is too long');
  if (first < 0x80) return { tag, start: offset + 2, length: first };
  if (first === 0x80) {
    if ((tag & CONSTRUCTED) === 0) throw damaged('a length is missing');
    return { tag, start: offset + 2, length: null };
  }
  const digits = first & 0x7f;
  const start = offset + 2 + digits;
  if (digits > 6 || start > bytes.length) throw damaged('a length goes past its end');
  return { tag, start, length: bytes.readUIntBE(offset + 2, digits) };
}

/** Where the end mark stands that belongs to what begins at `offset`. */
function endMark(bytes: Buffer, offset: number, level: number, count: ElementCount): number {
  for (let at = offset; ; ) {
    if (bytes[at] === 0 && bytes[at + 1] === 0) return at;
    const { start, length } = headerAt(bytes, at, level, count);
    at = length === null ? endMark(bytes, start, level + 1, count) + 2 : start + length;
    if (at > bytes.length) throw damaged('a length goes past its end');
  }
}

function dotted(content: Buffer): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (value > Number.MAX_SAFE_INTEGER / 128) throw damaged('an object identifier is too long');
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const [head, ...rest] = numbers;
  if (head === undefined || content.at(-1)! >= 0x80 || content.length > 64) throw damaged('an object identifier');
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join('.');
}
