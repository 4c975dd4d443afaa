import { MOST_31_BITS, USUAL_FRAME_SIZE } from './frames.ts';

/** The two windows of a stream, or of a connection: what may be sent, and what the peer may send. */
export class FlowWindow {
  /** Bytes that may be sent; below zero after the peer has made its windows smaller. */
  sendable: number;
  private readonly size: number;
  /** Bytes that the peer may still send. */
  private receivable: number;
  /** Bytes that were taken and that the peer has not been told of. */
  private owed = 0;

  /** `size` is the window that we give the peer, and go on giving it. */
  constructor(sendable: number, size: number) {
    this.sendable = sendable;
    this.size = size;
    this.receivable = size;
  }

  /** The peer gives more, or its settings change by as much. @returns false when that is more than a window can be. */
  widen(increment: number): boolean {
    this.sendable += increment;
    return this.sendable <= MOST_31_BITS;
  }

  /** Bytes came. @returns false when they were more than we allowed. */
  received(length: number): boolean {
    this.receivable -= length;
    return this.receivable >= 0;
  }

  /** Whether the peer may have to wait for us before it can send another frame. */
  get isSpent(): boolean {
    return this.receivable < USUAL_FRAME_SIZE;
  }

  /** Bytes that came were taken. @returns what to tell the peer now: half a window or more, or 0. */
  taken(length: number): number {
    this.owed += length;
    if (2 * this.owed < this.size) return 0;
    const { owed } = this;
    this.owed = 0;
    this.receivable += owed;
    return owed;
  }
}
