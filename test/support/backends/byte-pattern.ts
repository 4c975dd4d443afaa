import type { Writable } from 'node:stream';

/** Prime, so that a block that turns up a block too early or too late is not the block that belongs there. */
const PERIOD = 262_139;
const LONGEST_PIECE = 65_536;

/** Called between pieces; a peer is slow when it takes its time. */
export type Pace = () => Promise<void> | undefined;

/** Content of any length that tells where each of its bytes belongs and, by its seed, to whom. */
export class BytePattern {
  readonly length: number;
  private readonly block: Buffer;

  constructor(seed: number, length: number) {
    this.length = length;
    this.block = blocks.get(seed) ?? makeBlock(seed);
  }

  /** The bytes at an offset, without a copy: at most `most` of them. */
  piece(at: number, most = LONGEST_PIECE): Buffer {
    const start = at % PERIOD;
    return this.block.subarray(start, start + Math.min(most, LONGEST_PIECE, this.length - at));
  }

  whole(): Buffer {
    const whole = Buffer.allocUnsafe(this.length);
    for (let at = 0; at < this.length; at += LONGEST_PIECE) this.piece(at).copy(whole, at);
    return whole;
  }
}

/** One for each seed, because making it takes longer than sending it. */
const blocks = new Map<number, Buffer>();

function makeBlock(seed: number): Buffer {
  const block = Buffer.allocUnsafe(PERIOD + LONGEST_PIECE);
  let state = (seed + 1) * 2_654_435_761;
  for (let i = 0; i < PERIOD; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    block[i] = state & 0xff;
  }
  block.copy(block, PERIOD, 0, LONGEST_PIECE);
  blocks.set(seed, block);
  return block;
}

/** Compares what arrives with what should. */
export class PatternCheck {
  received = 0;
  /** Offset of the first piece that holds a wrong byte, or -1. */
  wrongAt = -1;
  private readonly pattern: BytePattern;

  constructor(pattern: BytePattern) {
    this.pattern = pattern;
  }

  take(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const expected = this.pattern.piece(this.received, bytes.length - at);
      const same = expected.length > 0 && bytes.compare(expected, 0, expected.length, at, at + expected.length) === 0;
      if (!same && this.wrongAt < 0) this.wrongAt = this.received;
      const step = expected.length === 0 ? bytes.length - at : expected.length;
      at += step;
      this.received += step;
    }
  }

  /** Whether every byte came, in its place, and no other. */
  get exact(): boolean {
    return this.wrongAt < 0 && this.received === this.pattern.length;
  }
}

/** Writes a pattern as fast as it is taken, or slower. */
export async function writePattern(to: Writable, pattern: BytePattern, pace?: Pace): Promise<void> {
  for (let at = 0; at < pattern.length && to.writable; at += LONGEST_PIECE) {
    if (!to.write(pattern.piece(at))) await drained(to);
    await pace?.();
  }
}

/** Waits until what was written is taken, or nobody takes it any more. */
function drained(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      to.off('drain', over);
      to.off('close', over);
      resolve();
    };
    to.on('drain', over);
    to.on('close', over);
  });
}

/** Reads a stream to its end and compares it with a pattern. */
export async function readPattern(from: AsyncIterable<unknown>, check: PatternCheck, pace?: Pace): Promise<void> {
  for await (const bytes of from) {
    check.take(bytes as Buffer);
    await pace?.();
  }
}
