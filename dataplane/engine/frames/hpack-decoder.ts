import { SLACK } from '../wire/bytes.ts';
import { isSoundName, isSoundValue } from './field-rules.ts';
import { FieldTable } from './field-table.ts';
import { decodeHuffman, mostDecoded } from './huffman.ts';
import { STATIC_ENTRIES, staticLines } from './static-table.ts';

/** Receiver of the fields of a header block. */
export interface FieldSink {
  /**
   * A field: `bytes[start, end)` is the line `name: value` with its CRLF, valid during the call. `sound` is false when
   * it breaks a rule of RFC 9113 §8.2, so that the message is malformed.
   */
  field(bytes: Buffer, start: number, nameLength: number, end: number, sound: boolean): void;
}

/** Default size of a table (RFC 9113 §6.5.2). */
export const INITIAL_TABLE_SIZE = 4096;
/** Bytes of a number after its first: a value beyond 2^28 is nonsense here. */
const MOST_NUMBER_BYTES = 4;
const USUAL_SCRATCH = 16_384;
/** Codes of literals that are worth being remembered, in bytes. */
const SHORTEST_REMEMBERED = 128;
const LONGEST_REMEMBERED = 8192;

/** A literal that was not for the table, as it came and as it was read. */
interface Remembered {
  readonly code: Buffer;
  /** Followed by zeros, because readers look past its end. */
  readonly line: Buffer;
  readonly nameLength: number;
  readonly sound: boolean;
}

/** Where literal fields are put together; all decoders share it, because a field is valid during one call only. */
let scratch = Buffer.allocUnsafeSlow(USUAL_SCRATCH + SLACK);

/** Decodes the header blocks of one connection, in their order. */
export class HpackDecoder {
  private readonly table: FieldTable;
  private readonly most: number;
  private last: Remembered | null = null;
  /** Where the last number or text ended; -1 when it was malformed. */
  private next = 0;

  /** `tableSize` is our SETTINGS_HEADER_TABLE_SIZE; the table begins with the size that the peer knows of. */
  constructor(tableSize: number) {
    this.most = tableSize;
    this.table = new FieldTable(tableSize, Math.min(tableSize, INITIAL_TABLE_SIZE));
  }

  /**
   * Decodes a whole block, to its end whatever the sink makes of it, because the table must stay in step.
   * @returns false when the block is malformed: a COMPRESSION_ERROR, after which the connection cannot go on.
   */
  decode(bytes: Buffer, start: number, end: number, sink: FieldSink): boolean {
    let p = start;
    let first = true;
    while (p < end) {
      const byte = bytes[p]!;
      if (byte >= 0x80) {
        if (!this.indexed(bytes, p, end, sink)) return false;
      } else if (byte >= 0x40) {
        if (!this.literal(bytes, p, end, 0x3f, sink)) return false;
      } else if (byte >= 0x20) {
        if (!first || !this.sizeUpdate(bytes, p, end)) return false;
        p = this.next;
        continue;
      } else if (!this.repeated(bytes, p, end, sink) && !this.literal(bytes, p, end, 0x0f, sink)) return false;
      first = false;
      p = this.next;
    }
    return true;
  }

  private indexed(bytes: Buffer, p: number, end: number, sink: FieldSink): boolean {
    const index = this.number(bytes, p, end, 0x7f);
    if (index > STATIC_ENTRIES) {
      const age = index - STATIC_ENTRIES - 1;
      const { table } = this;
      if (age >= table.count) return false;
      const entry = table.entry(age);
      sink.field(table.bytes, table.start(entry), table.nameLength(entry), table.end(entry), table.sound(entry));
      return true;
    }
    if (index <= 0) return false;
    const { bytes: lines, starts, nameLengths, ends, sounds } = staticLines;
    sink.field(lines, starts[index]!, nameLengths[index]!, ends[index]!, sounds[index] === 1);
    return true;
  }

  private literal(bytes: Buffer, p: number, end: number, mask: number, sink: FieldSink): boolean {
    const index = this.number(bytes, p, end, mask);
    if (index < 0) return false;
    const nameEnd = index === 0 ? this.text(bytes, this.next, end, 0) : this.name(index);
    if (nameEnd < 0) return false;
    scratch[nameEnd] = 58;
    scratch[nameEnd + 1] = 32;
    const valueEnd = this.text(bytes, this.next, end, nameEnd + 2);
    if (valueEnd < 0) return false;
    scratch[valueEnd] = 13;
    scratch[valueEnd + 1] = 10;
    scratch[valueEnd + 2] = 0;
    // a name that is known was judged before: a long one could else be judged again for every few bytes that come
    const nameSound = index === 0 ? isSoundName(scratch, 0, nameEnd) : this.nameSound(index);
    const sound = nameSound && isSoundValue(scratch, 0, nameEnd, valueEnd + 2);
    if (mask === 0x3f) this.table.add(scratch, 0, nameEnd, valueEnd + 2, sound, nameSound);
    else if (index > 0 && index <= STATIC_ENTRIES) this.remember(bytes, p, nameEnd, valueEnd + 2, sound);
    sink.field(scratch, 0, nameEnd, valueEnd + 2, sound);
    return true;
  }

  /** Whether the long literal of the last block comes again: comparing it is cheaper than decoding and judging it. */
  private repeated(bytes: Buffer, p: number, end: number, sink: FieldSink): boolean {
    const { last } = this;
    if (last === null) return false;
    const { code, line, nameLength, sound } = last;
    const next = p + code.length;
    if (next > end || bytes[p] !== code[0] || bytes.compare(code, 0, code.length, p, next) !== 0) return false;
    this.next = next;
    sink.field(line, 0, nameLength, line.length - SLACK, sound);
    return true;
  }

  /** Clients keep credentials out of the table and send them with every request. */
  private remember(bytes: Buffer, start: number, nameLength: number, lineEnd: number, sound: boolean): void {
    const length = this.next - start;
    if (length < SHORTEST_REMEMBERED || length > LONGEST_REMEMBERED) return;
    const line = Buffer.alloc(lineEnd + SLACK);
    scratch.copy(line, 0, 0, lineEnd);
    this.last = { code: Buffer.from(bytes.subarray(start, this.next)), line, nameLength, sound };
  }

  private sizeUpdate(bytes: Buffer, p: number, end: number): boolean {
    const size = this.number(bytes, p, end, 0x1f);
    if (size < 0 || size > this.most) return false;
    this.table.resize(size);
    return true;
  }

  /** Whether the name of an entry, which is there, keeps the rules. */
  private nameSound(index: number): boolean {
    const { table } = this;
    return index <= STATIC_ENTRIES || table.nameSound(table.entry(index - STATIC_ENTRIES - 1));
  }

  /** Copies the name of an entry to the scratch. @returns where it ends, or -1. */
  private name(index: number): number {
    if (index <= STATIC_ENTRIES) {
      const start = staticLines.starts[index]!;
      const length = staticLines.nameLengths[index]!;
      for (let i = 0; i < length; i++) scratch[i] = staticLines.bytes[start + i]!;
      return length;
    }
    const { table } = this;
    const age = index - STATIC_ENTRIES - 1;
    if (age >= table.count) return -1;
    const entry = table.entry(age);
    const start = table.start(entry);
    const length = table.nameLength(entry);
    room(length);
    table.bytes.copy(scratch, 0, start, start + length);
    return length;
  }

  /** Decodes a text to the scratch from `at` on. @returns where it ends there, or -1; `next` is where it ends here. */
  private text(bytes: Buffer, p: number, end: number, at: number): number {
    if (p >= end) return -1;
    const coded = bytes[p]! >= 0x80;
    const length = this.number(bytes, p, end, 0x7f);
    const start = this.next;
    if (length < 0 || length > end - start) return -1;
    this.next = start + length;
    room(at + (coded ? mostDecoded(length) : length));
    return coded
      ? decodeHuffman(bytes, start, start + length, scratch, at)
      : at + bytes.copy(scratch, at, start, start + length);
  }

  /** A number whose first byte has the bits of `mask` for it (RFC 7541 §5.1). @returns it, or -1. */
  private number(bytes: Buffer, p: number, end: number, mask: number): number {
    let value = bytes[p]! & mask;
    this.next = p + 1;
    if (value < mask) return value;
    for (let i = 0; i < MOST_NUMBER_BYTES && p + 1 + i < end; i++) {
      const byte = bytes[p + 1 + i]!;
      value += (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        this.next = p + 2 + i;
        return value;
      }
    }
    return -1;
  }
}

/** Makes the scratch hold `length` bytes and what follows them; what is in it stays. */
function room(length: number): void {
  if (length + 2 * SLACK <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(2 * length + 2 * SLACK);
  scratch.copy(larger);
  scratch = larger;
}
