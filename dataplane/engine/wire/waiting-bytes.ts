import { SLACK } from './bytes.ts';

/**
 * Bytes that were sent ahead of their turn. What is taken out is read where it lies, and what is left of it is put back
 * without a copy: a client with sixteen requests under way would else be copied sixteen times.
 */
export class WaitingBytes {
  private bytes: Buffer | null = null;
  private start = 0;
  private end = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** Adds bytes behind those that wait; bytes that `take` gave out are put back as they are. */
  add(bytes: Buffer, start: number, end: number): void {
    if (this.length === 0 && bytes === this.bytes) {
      this.start = start;
      this.end = end;
      return;
    }
    const more = end - start;
    if (this.length === 0 || this.end + more + SLACK > this.bytes!.length) {
      const larger = Buffer.allocUnsafeSlow((this.length + more) * 2 + SLACK);
      if (this.length > 0) this.bytes!.copy(larger, 0, this.start, this.end);
      this.end = this.length;
      this.start = 0;
      this.bytes = larger;
    }
    bytes.copy(this.bytes!, this.end, start, end);
    this.end += more;
  }

  /** Hands everything to `read`; `bytes[end]` is 0, as readers want it. */
  take(read: (bytes: Buffer, start: number, end: number) => void): void {
    const { bytes, start, end } = this;
    if (bytes === null || start === end) return;
    this.start = this.end = 0;
    bytes[end] = 0;
    read(bytes, start, end);
    if (this.length === 0) this.bytes = null;
  }
}
