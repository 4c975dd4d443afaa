import { LOWER, writeText } from '../wire/bytes.ts';
import { FieldTable } from './field-table.ts';
import { INITIAL_TABLE_SIZE } from './hpack-decoder.ts';
import { hashName, STATIC_ENTRIES, staticField, staticName } from './static-table.ts';

/** Bytes that a field takes at most beside its name and value, and what stands before the first one. */
const MOST_OVERHEAD = 12;
/** What a text is turned into bytes in; longer ones get room of their own. */
const SCRATCH = Buffer.allocUnsafeSlow(8192);
/** Fields that were seen once are remembered by hash: only what comes again is worth a place in the table. */
const SEEN = 64;
/** An entry must leave room for this many others, or it would drive out what repeats more often. */
const MOST_SHARE = 3;
/** How much of a value its hash looks at, at each end. */
const SAMPLE = 8;

const NEVER_INDEXED = 0x10;
const STATUS = 8;
/** Names whose values are secrets (RFC 7541 §7.1.3): `authorization`, `cookie`, `proxy-authorization`, `set-cookie`. */
const SECRET = new Set([23, 32, 49, 55]);
/** Statuses that the static table has. */
const STATUSES = new Map([200, 204, 206, 304, 400, 404, 500].map((status, i) => [status, STATUS + i]));

/** The most bytes that a block takes: `bytes` is the length of all names and values, `fields` how many there are. */
export function blockRoom(bytes: number, fields: number): number {
  return bytes + MOST_OVERHEAD * (fields + 1);
}

/**
 * Encodes the header blocks of one connection. A block is a `begin` and then fields, in the order they are sent. Every
 * call writes at `at`, where the caller has made sure of room, and returns where it stopped.
 */
export class HpackEncoder {
  private readonly table = new FieldTable(INITIAL_TABLE_SIZE, INITIAL_TABLE_SIZE);
  private size = INITIAL_TABLE_SIZE;
  /** The smallest size since the last block, and whether the peer must be told. */
  private smallest = INITIAL_TABLE_SIZE;
  private resized = false;
  private resizes = 0;
  /** For each hash the number of the entry that has it, as `inserted` counts. */
  private numbers: Int32Array | null = null;
  private readonly seen = new Int32Array(SEEN);

  /** The peer's SETTINGS_HEADER_TABLE_SIZE. More than the usual size is not used. */
  tableSize(max: number): void {
    const size = Math.min(max, INITIAL_TABLE_SIZE);
    if (size === this.size) return;
    if (!this.resized) this.smallest = size;
    this.resized = true;
    this.resizes++;
    this.smallest = Math.min(this.smallest, size);
    this.size = size;
    this.table.resize(size);
  }

  /** Begins a block. */
  begin(out: Buffer, at: number): number {
    if (!this.resized) return at;
    this.resized = false;
    if (this.smallest < this.size) at = writeNumber(out, at, 0x20, 0x1f, this.smallest);
    return writeNumber(out, at, 0x20, 0x1f, this.size);
  }

  /** The status of an answer. */
  status(out: Buffer, at: number, status: number): number {
    const index = STATUSES.get(status);
    if (index === undefined) return this.text(out, at, ':status', String(status));
    out[at] = 0x80 | index;
    return at + 1;
  }

  /** Grows with every change of the table: what was encoded stays right as long as this stays. */
  get generation(): number {
    return this.table.inserted + this.resizes;
  }

  /** A field whose name and value are bytes; upper case in the name becomes lower case. */
  line(
    out: Buffer,
    at: number,
    bytes: Buffer,
    nameStart: number,
    nameEnd: number,
    valueStart: number,
    valueEnd: number,
  ): number {
    const nameHash = hashName(bytes, nameStart, nameEnd);
    const known = staticName(bytes, nameStart, nameEnd, nameHash);
    if (known !== 0) {
      if (SECRET.has(known)) {
        at = writeNumber(out, at, NEVER_INDEXED, 0x0f, known);
        return writeBytes(out, at, bytes, valueStart, valueEnd);
      }
      const index = staticField(known, bytes, valueStart, valueEnd);
      if (index !== 0) {
        out[at] = 0x80 | index;
        return at + 1;
      }
    }
    const hash = hashValue(bytes, valueStart, valueEnd, nameHash);
    const age = this.find(hash, bytes, nameStart, nameEnd, valueStart, valueEnd);
    if (age >= 0) return writeNumber(out, at, 0x80, 0x7f, STATIC_ENTRIES + 1 + age);
    const indexing = this.isWorthIndexing(hash, nameEnd - nameStart, valueEnd - valueStart);
    at = indexing ? writeNumber(out, at, 0x40, 0x3f, known) : writeNumber(out, at, 0, 0x0f, known);
    if (known === 0) at = writeName(out, at, bytes, nameStart, nameEnd);
    at = writeBytes(out, at, bytes, valueStart, valueEnd);
    if (indexing) this.add(hash, bytes, nameStart, nameEnd, valueStart, valueEnd);
    return at;
  }

  /** A field of two texts, one byte a character. */
  text(out: Buffer, at: number, name: string, value: string): number {
    const length = name.length + value.length;
    const bytes = length <= SCRATCH.length ? SCRATCH : Buffer.allocUnsafeSlow(length);
    const nameEnd = writeText(bytes, 0, name);
    return this.line(out, at, bytes, 0, nameEnd, nameEnd, writeText(bytes, nameEnd, value));
  }

  /** @returns the age of the entry that is this field, or -1. */
  private find(hash: number, bytes: Buffer, name: number, nameEnd: number, value: number, valueEnd: number): number {
    const { numbers } = this;
    if (numbers === null) return -1;
    const age = this.checked(numbers[firstSlot(hash)]!, bytes, name, nameEnd, value, valueEnd);
    return age >= 0 ? age : this.checked(numbers[secondSlot(hash)]!, bytes, name, nameEnd, value, valueEnd);
  }

  /** @returns the age of the entry with this number if it is this field, or -1. */
  private checked(
    number: number,
    bytes: Buffer,
    name: number,
    nameEnd: number,
    value: number,
    valueEnd: number,
  ): number {
    const { table } = this;
    const age = table.inserted - number;
    if (age >= table.count) return -1;
    const entry = table.entry(age);
    const nameLength = nameEnd - name;
    const start = table.start(entry);
    const from = start + nameLength + 2;
    const to = table.end(entry) - 2;
    if (table.nameLength(entry) !== nameLength || to - from !== valueEnd - value) return -1;
    for (let i = 0; i < nameLength; i++) if (table.bytes[start + i] !== LOWER[bytes[name + i]!]) return -1;
    return same(table.bytes, from, bytes, value, valueEnd) ? age : -1;
  }

  private isWorthIndexing(hash: number, nameLength: number, valueLength: number): boolean {
    const slot = hash & (SEEN - 1);
    if (this.seen[slot] !== hash) {
      this.seen[slot] = hash;
      return false;
    }
    return this.table.hasRoomFor(nameLength, valueLength, MOST_SHARE);
  }

  private add(hash: number, bytes: Buffer, name: number, nameEnd: number, value: number, valueEnd: number): void {
    const nameLength = nameEnd - name;
    for (let i = 0; i < nameLength; i++) line[i] = LOWER[bytes[name + i]!]!;
    line[nameLength] = 58;
    line[nameLength + 1] = 32;
    const end = nameLength + 2 + bytes.copy(line, nameLength + 2, value, valueEnd);
    line[end] = 13;
    line[end + 1] = 10;
    this.table.add(line, 0, nameLength, end + 2, true);
    this.numbers ??= new Int32Array(SLOTS);
    const { numbers, table } = this;
    // two fields that both come with every message must not drive each other out
    const isTaken = table.inserted - numbers[firstSlot(hash)]! < table.count;
    numbers[isTaken ? secondSlot(hash) : firstSlot(hash)] = table.inserted;
  }
}

/** Places for the numbers of entries; every hash has two. */
const SLOTS = 256;

function firstSlot(hash: number): number {
  return hash & (SLOTS - 1);
}

function secondSlot(hash: number): number {
  return (hash >>> 8) & (SLOTS - 1);
}

/** Where the line of a new entry is put together; no entry is longer. */
const line = Buffer.allocUnsafeSlow(INITIAL_TABLE_SIZE);

/** A hash of name and value by the two ends of the value: what differs in the middle only is told apart by its bytes. */
function hashValue(bytes: Buffer, start: number, end: number, hash: number): number {
  hash = Math.imul(hash, 31) + end - start;
  const stop = end - start > SAMPLE ? start + SAMPLE : end;
  for (let i = start; i < stop; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  for (let i = end - stop > SAMPLE ? end - SAMPLE : stop; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  return hash ^ (hash >>> 15);
}

function writeNumber(out: Buffer, at: number, pattern: number, mask: number, value: number): number {
  if (value < mask) {
    out[at] = pattern | value;
    return at + 1;
  }
  out[at++] = pattern | mask;
  value -= mask;
  while (value >= 0x80) {
    out[at++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  out[at] = value;
  return at + 1;
}

/** Short copies and comparisons are cheaper without a call into the runtime. */
const SHORT_COPY = 48;

function same(one: Buffer, at: number, other: Buffer, start: number, end: number): boolean {
  if (end - start > SHORT_COPY) return one.compare(other, start, end, at, at + end - start) === 0;
  while (start < end) if (one[at++] !== other[start++]) return false;
  return true;
}

function writeBytes(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  at = writeNumber(out, at, 0, 0x7f, end - start);
  if (end - start > SHORT_COPY) return at + bytes.copy(out, at, start, end);
  while (start < end) out[at++] = bytes[start++]!;
  return at;
}

function writeName(out: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  at = writeNumber(out, at, 0, 0x7f, end - start);
  for (let i = start; i < end; i++) out[at++] = LOWER[bytes[i]!]!;
  return at;
}
