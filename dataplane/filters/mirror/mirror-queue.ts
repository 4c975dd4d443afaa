import type { Next } from '../../engine/message/exchange.ts';
import type { CopiedRequest } from './copied-request.ts';
import type { DropReason, MirrorMeter } from './mirror-meter.ts';
import { MirroredCall } from './mirrored-call.ts';

export interface MirrorQueueOptions {
  readonly handler: Next;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Milliseconds for a copy from its end on. */
  readonly timeout: number;
  readonly meter: MirrorMeter;
}

interface Waiting {
  readonly copied: CopiedRequest;
  readonly content: Buffer;
  readonly until: number;
}

/** Copies of one filter in one unit: those that are received, those that wait, and those under way. */
export class MirrorQueue {
  private readonly options: MirrorQueueOptions;
  private readonly waiting: Waiting[] = [];
  private readonly running = new Set<MirroredCall>();
  /** Places that are taken by copies of which not all is there. */
  private receiving = 0;
  private isScheduled = false;
  private isClosed = false;

  constructor(options: MirrorQueueOptions) {
    this.options = options;
  }

  /** Takes a place for a copy. `add` or `giveUp` follows. @returns false when there is none */
  reserve(): boolean {
    const { maxConcurrent, maxQueued } = this.options;
    const free = maxConcurrent + maxQueued - this.receiving - this.waiting.length - this.running.size;
    if (this.isClosed || free <= 0) return false;
    this.receiving++;
    return true;
  }

  /** There will be no copy. */
  giveUp(reason: DropReason, copied: CopiedRequest | null): void {
    this.receiving--;
    copied?.share.release();
    this.options.meter.dropped(reason);
  }

  /** All of a copy is there. */
  add(copied: CopiedRequest, content: Buffer): void {
    if (this.isClosed) {
      this.giveUp('closed', copied);
      return;
    }
    this.receiving--;
    this.waiting.push({ copied, content, until: performance.now() + this.options.timeout });
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.proceed()); // the request itself goes first
  }

  private proceed(): void {
    this.isScheduled = false;
    const { maxConcurrent, meter, handler } = this.options;
    while (this.waiting.length > 0 && this.running.size < maxConcurrent) {
      const { copied, content, until } = this.waiting.shift()!;
      const left = until - performance.now();
      if (left <= 0) {
        copied.share.release();
        meter.dropped('timeout');
      } else {
        meter.sent();
        const call = new MirroredCall(handler, (isAnswered) => {
          copied.share.release();
          this.ended(call, isAnswered);
        });
        this.running.add(call);
        call.send(copied, content, left);
      }
    }
  }

  private ended(call: MirroredCall, isAnswered: boolean): void {
    if (!isAnswered) this.options.meter.failed();
    if (this.running.delete(call)) this.proceed();
  }

  /** Ends what is under way: nobody waits for it. */
  close(): void {
    this.isClosed = true;
    for (const { copied } of this.waiting.splice(0)) {
      copied.share.release();
      this.options.meter.dropped('closed');
    }
    for (const call of [...this.running]) call.end();
  }
}
