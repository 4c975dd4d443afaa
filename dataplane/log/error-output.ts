import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { errorCode } from '../../platform/error-code.ts';

const STDERR = 2;
/** Bytes that may wait for a slow reader; later lines are dropped. */
const MOST_WAITING = 1 << 20;
/** Milliseconds between two attempts to write to a reader that takes nothing. */
const PAUSE = 20;

/**
 * The standard error of the process, for everything that reports. A reader that went away, a full disk or a closed
 * descriptor costs lines, never the process: the gateway serves on without its log.
 */
class ErrorOutput {
  /** Lines that could not be written. */
  dropped = 0;
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | null = null;

  /** Writes whole lines; it never throws. */
  write(lines: string): void {
    const bytes = Buffer.from(lines);
    if (this.waiting.length === 0) this.attempt(bytes);
    else this.keep(bytes);
  }

  private attempt(bytes: Buffer): void {
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(STDERR, bytes, written);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') this.keep(bytes.subarray(written));
      else this.dropped++;
    }
  }

  private keep(bytes: Buffer): void {
    if (this.waitingBytes + bytes.length > MOST_WAITING) {
      this.dropped++;
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    this.timer ??= setTimeout(() => this.retry(), PAUSE);
  }

  private retry(): void {
    this.timer = null;
    const waiting = this.waiting.splice(0);
    this.waitingBytes = 0;
    for (const bytes of waiting) {
      if (this.waiting.length === 0) this.attempt(bytes);
      else this.keep(bytes);
    }
  }
}

/** One for the process, so that lines of several reporters never mix. */
export const errorOutput = new ErrorOutput();
