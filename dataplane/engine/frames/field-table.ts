/** Overhead of an entry in addition to its bytes (RFC 7541 §4.1). */
export const ENTRY_OVERHEAD = 32;
/** What stands around name and value in a line. */
const LINE_OVERHEAD = ': \r\n'.length;
const SOUND = 1;
const NAME_SOUND = 2;

/**
 * The dynamic table of HPACK: fields as whole lines, `name: value` with its CRLF, in one ring of bytes, so that a field
 * is used with one copy. The ring is twice as large as the table: then a line that does not fit before its end can start
 * over at its beginning and never touches one that is still there.
 */
export class FieldTable {
  /** How many entries it has. */
  count = 0;
  /** How many it ever had: the newest has this number. */
  inserted = 0;
  /** Where the lines are. */
  bytes: Buffer = NOTHING;
  private readonly most: number;
  private limit: number;
  private size = 0;
  private at = 0;
  private mask = 0;
  private starts = NO_NUMBERS;
  private nameLengths = NO_NUMBERS;
  private ends = NO_NUMBERS;
  private sounds = NO_FLAGS;

  /** `most`: the largest size that it will ever be given; `limit`: its size. */
  constructor(most: number, limit: number) {
    this.most = most;
    this.limit = limit;
  }

  /** Gives it another size, at most the largest one; entries that have no room any more leave. */
  resize(limit: number): void {
    this.limit = limit;
    while (this.size > limit) this.evict();
  }

  /** Whether an entry can stay in it together with as many others of its size. */
  hasRoomFor(nameLength: number, valueLength: number, others: number): boolean {
    return (nameLength + valueLength + ENTRY_OVERHEAD) * (others + 1) <= this.limit;
  }

  /** Adds a line, with what was judged of it and of its name. One that is larger than the table empties it. */
  add(bytes: Buffer, start: number, nameLength: number, end: number, sound: boolean, nameSound = sound): void {
    const length = end - start;
    const size = length - LINE_OVERHEAD + ENTRY_OVERHEAD;
    while (this.count > 0 && this.size + size > this.limit) this.evict();
    if (size > this.limit) return;
    if (this.bytes === NOTHING) this.allocate();
    if (this.at + length > this.bytes.length) this.at = 0;
    const entry = this.inserted & this.mask;
    this.starts[entry] = this.at;
    this.nameLengths[entry] = nameLength;
    this.ends[entry] = this.at + length;
    this.sounds[entry] = (sound ? SOUND : 0) | (nameSound ? NAME_SOUND : 0);
    bytes.copy(this.bytes, this.at, start, end);
    this.at += length;
    this.size += size;
    this.count++;
    this.inserted++;
  }

  /** Which entry has an age: 0 is the newest. */
  entry(age: number): number {
    return (this.inserted - 1 - age) & this.mask;
  }

  start(entry: number): number {
    return this.starts[entry]!;
  }

  nameLength(entry: number): number {
    return this.nameLengths[entry]!;
  }

  end(entry: number): number {
    return this.ends[entry]!;
  }

  sound(entry: number): boolean {
    return (this.sounds[entry]! & SOUND) !== 0;
  }

  nameSound(entry: number): boolean {
    return (this.sounds[entry]! & NAME_SOUND) !== 0;
  }

  private evict(): void {
    const entry = this.entry(this.count - 1);
    this.size -= this.ends[entry]! - this.starts[entry]! - LINE_OVERHEAD + ENTRY_OVERHEAD;
    this.count--;
  }

  /** On first use, because many connections never get so far. */
  private allocate(): void {
    let entries = 1;
    while (entries * ENTRY_OVERHEAD <= this.most) entries *= 2;
    this.mask = entries - 1;
    this.bytes = Buffer.allocUnsafeSlow(2 * this.most);
    this.starts = new Int32Array(entries);
    this.nameLengths = new Int32Array(entries);
    this.ends = new Int32Array(entries);
    this.sounds = new Uint8Array(entries);
  }
}

const NOTHING = Buffer.alloc(0);
const NO_NUMBERS = new Int32Array(0);
const NO_FLAGS = new Uint8Array(0);
