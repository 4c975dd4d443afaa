import { NEVER } from '../wire/sweep.ts';
import type { Call } from './call.ts';

/** Calls that wait for a connection, in the order of their turns. */
export class WaitingCalls {
  private calls: Call[] = [];
  private head = 0;
  /** Calls of the list that nobody waits for any more. */
  private gaps = 0;

  get count(): number {
    return this.calls.length - this.head - this.gaps;
  }

  add(call: Call): void {
    this.calls.push(call);
  }

  addFirst(call: Call): void {
    this.calls.splice(this.head, 0, call);
  }

  /** A call was cancelled: its place is free at once, its entry goes when that is cheap. */
  forget(): void {
    this.gaps++;
    if (this.gaps < 64 || this.gaps * 2 < this.calls.length - this.head) return;
    this.calls = this.calls.filter((entry, i) => i >= this.head && !entry.cancelled);
    this.head = this.gaps = 0;
  }

  first(): Call | null {
    while (this.head < this.calls.length) {
      const call = this.calls[this.head]!;
      if (!call.cancelled) return call;
      this.head++;
      this.gaps--;
    }
    if (this.head > 0) {
      this.calls = [];
      this.head = 0;
    }
    return null;
  }

  /** Takes the first one out. */
  next(): Call | null {
    const call = this.first();
    if (call === null) return null;
    this.head++;
    if (this.head > 1024 && this.head * 2 > this.calls.length) {
      this.calls = this.calls.slice(this.head);
      this.head = 0;
    }
    return call;
  }

  /** Takes out the calls whose time is over. Moved calls have less time than those before them, so all are looked at. */
  takeOverdue(now: number): Call[] {
    const waiting = this.calls.filter((call, i) => i >= this.head && !call.cancelled);
    this.calls = waiting.filter(({ waitUntil }) => waitUntil > now);
    this.head = this.gaps = 0;
    return waiting.filter(({ waitUntil }) => waitUntil <= now);
  }

  /** When the time of the next one is over. */
  get deadline(): number {
    let deadline = NEVER;
    for (let i = this.head; i < this.calls.length; i++) {
      const { cancelled, waitUntil } = this.calls[i]!;
      if (!cancelled && waitUntil < deadline) deadline = waitUntil;
    }
    return deadline;
  }
}
