/** The time over which frames are counted, in milliseconds. */
const PERIOD = 10_000;
/** Frames that bring nothing by themselves, and are due to a frame of content: windows and pings. */
const PER_CONTENT = 4;

/** How much of what costs us more than its sender a connection may send in ten seconds. */
export interface FloodLimits {
  /** Frames that bring nothing: settings, pings, priorities, windows, empty data, what is unknown. */
  readonly idleFrames: number;
  /** Requests that are reset before their answer. */
  readonly streamResets: number;
}

/** Distinguishes a busy peer from one that sends frames that are cheap to send and expensive to read. */
export class FloodGuard {
  private readonly limits: FloodLimits;
  private since = 0;
  private idle = 0;
  private resets = 0;

  constructor(limits: FloodLimits) {
    this.limits = limits;
  }

  /** A frame of content was sent or received: some others go with it. */
  content(): void {
    this.idle -= PER_CONTENT;
  }

  /** A frame that brings nothing came. @returns false when they are too many. */
  idleFrame(now: number): boolean {
    this.turnOver(now);
    return ++this.idle <= this.limits.idleFrames;
  }

  /** A request was reset before its answer. @returns false when they are too many. */
  reset(now: number): boolean {
    this.turnOver(now);
    return ++this.resets <= this.limits.streamResets;
  }

  private turnOver(now: number): void {
    if (now - this.since < PERIOD) return;
    this.since = now;
    this.idle = this.resets = 0;
  }
}
