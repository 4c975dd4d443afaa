import type { Finished } from '../engine/client/finished.ts';

/** Takes whole lines; the bytes may be reused once it has called back. */
export type LineWriter = (lines: Buffer, done: () => void) => void;

/** Writes requests as lines. */
export interface AccessLines {
  /** The line that was made last; what is behind it means nothing. */
  readonly bytes: Buffer;
  /** Makes the line of a request with its end. @returns how long it is */
  line(finished: Finished): number;
}

const BLOCK = 131_072;
/** Milliseconds after which even a few lines are handed on. */
const INTERVAL = 200;
/** Bytes that may wait for a slow destination; beyond that lines are counted and dropped, not memory used up. */
const MOST_WAITING = 64 << 20;

/**
 * One line per request. Lines are collected in one block while the other is written, so that the loop never waits.
 */
export class AccessLog {
  /** Lines that were dropped because the destination was too slow. */
  dropped = 0;
  private readonly write: LineWriter;
  private readonly lines: AccessLines;
  private readonly timer: NodeJS.Timeout;
  private filling: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  private spare: Buffer | null = Buffer.allocUnsafeSlow(BLOCK);
  private at = 0;
  private idle: (() => void) | null = null;

  constructor(write: LineWriter, lines: AccessLines) {
    this.write = write;
    this.lines = lines;
    this.timer = setInterval(() => this.flush(), INTERVAL);
    this.timer.unref();
  }

  record(finished: Finished): void {
    const length = this.lines.line(finished);
    if (this.at + length > this.filling.length && !this.makeRoom(length)) this.dropped++;
    else this.at += this.lines.bytes.copy(this.filling, this.at, 0, length);
  }

  private makeRoom(most: number): boolean {
    this.flush();
    if (this.at + most <= this.filling.length) return true;
    if (this.filling.length >= MOST_WAITING) return false;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.filling.length * 2, this.at + most));
    this.filling.copy(larger, 0, 0, this.at);
    this.filling = larger;
    return true;
  }

  /** Hands on what there is, unless the block before is still being written. */
  private flush(): void {
    const { spare, filling, at } = this;
    if (spare === null || at === 0) return;
    this.spare = null;
    this.filling = spare;
    this.at = 0;
    this.write(filling.subarray(0, at), () => {
      this.spare = filling.length === BLOCK ? filling : Buffer.allocUnsafeSlow(BLOCK);
      this.idle?.();
    });
  }

  /** Resolves when everything is handed on. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    while (this.at > 0 || this.spare === null) {
      this.flush();
      if (this.spare !== null) continue;
      await new Promise<void>((resolve) => {
        this.idle = resolve;
      });
    }
  }
}
