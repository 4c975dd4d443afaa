import { output } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';

/** Requests up to this size can be sent once more. */
const LONGEST = 16_384;
const USUAL = 4096;
/** Methods that may be repeated when nobody knows whether they arrived (RFC 9110 §9.2.2). */
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** Whether a request may be repeated when nobody knows whether it arrived. */
export function isRepeatable(method: string): boolean {
  return REPEATABLE.has(method);
}

/**
 * A copy of the request that is under way on a kept connection, for the case that the backend closed it just before:
 * the copy is what lets the request be sent once more without the client noticing.
 */
export class Replay {
  private bytes: Buffer | null = null;
  private length = -1;

  /** Remembers what was written to the wire in this turn, if it may be repeated. */
  begin(method: string, wire: Wire, chunked: boolean): void {
    const length = wire.regionLength;
    this.length = -1;
    if (chunked || length > LONGEST || !isRepeatable(method)) return;
    if (this.bytes === null || this.bytes.length < length)
      this.bytes = Buffer.allocUnsafeSlow(length > USUAL ? LONGEST : USUAL);
    output.bytes.copy(this.bytes, 0, wire.regionStart, wire.regionStart + length);
    this.length = length;
  }

  /** More of the same request. */
  add(bytes: Buffer, start: number, end: number): void {
    if (this.length < 0) return;
    const length = this.length + end - start;
    if (length > LONGEST) {
      this.length = -1;
      return;
    }
    if (length > this.bytes!.length) {
      const larger = Buffer.allocUnsafeSlow(LONGEST);
      this.bytes!.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    bytes.copy(this.bytes!, this.length, start, end);
    this.length = length;
  }

  forget(): void {
    this.length = -1;
  }

  /** @returns the whole request, or null when it may not be repeated. */
  take(): Buffer | null {
    if (this.length < 0) return null;
    const copy = Buffer.from(this.bytes!.subarray(0, this.length));
    this.length = -1;
    return copy;
  }
}
