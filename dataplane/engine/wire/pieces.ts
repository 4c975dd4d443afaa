/** Pieces from this length on have no block made for them. */
const LARGE = 4096;
/** Pieces up to this length are copied byte by byte: anything else costs more. */
const TINY = 16;
const SMALLEST_BLOCK = 1024;
const LARGEST_BLOCK = 65_536;

/**
 * Bytes that wait, in their order. Small pieces are put together: whoever sends single bytes would else cost a hundred
 * times what was sent, because every piece is an object.
 */
export class Pieces {
  /** How many bytes wait. */
  length = 0;
  /** How many bytes of memory they take. */
  allocated = 0;
  private whole: Buffer[] = [];
  /** Where small pieces are put together, from the second one on: most messages have only one. */
  private block: Buffer | null = null;
  private used = 0;
  private blockSize = SMALLEST_BLOCK;

  /** Copies bytes behind those that wait. */
  add(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length === 0) return;
    const isFirst = this.length === 0;
    this.length += length;
    if (this.block === null || this.used + length > this.block.length) {
      this.seal();
      if (isFirst || length >= LARGE) {
        this.whole.push(Buffer.from(bytes.subarray(start, end)));
        this.allocated += length;
        return;
      }
      this.block = Buffer.allocUnsafeSlow(Math.max(length, this.blockSize));
      this.blockSize = Math.min(2 * this.blockSize, LARGEST_BLOCK);
      this.allocated += this.block.length;
    }
    if (length > TINY) this.block.set(bytes.subarray(start, end), this.used);
    else for (let from = start, to = this.used; from < end; from++, to++) this.block[to] = bytes[from]!;
    this.used += length;
  }

  /** Takes all of them. */
  take(): Buffer[] {
    this.seal();
    const { whole } = this;
    this.whole = [];
    this.length = this.allocated = 0;
    return whole;
  }

  /** Takes the first of them; undefined when there are none. */
  shift(): Buffer | undefined {
    if (this.whole.length === 0) this.seal();
    const first = this.whole.shift();
    if (first !== undefined) {
      this.length -= first.length;
      this.allocated = this.length === 0 ? 0 : this.allocated - first.length;
    }
    return first;
  }

  /** What they are now; they stay. */
  list(): readonly Buffer[] {
    this.seal();
    return this.whole;
  }

  /** All of them in one; they stay. */
  joined(): Buffer {
    const pieces = this.list();
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, this.length);
  }

  private seal(): void {
    if (this.block !== null) this.whole.push(this.block.subarray(0, this.used));
    this.block = null;
    this.used = 0;
  }
}
