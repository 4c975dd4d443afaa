import { type Clock, systemClock } from '../../../platform/clock.ts';

export interface AdmissionOptions {
  readonly clock?: Clock;
  /** How many large updates may be on their way at a time. */
  readonly atOnce?: number;
  /** How many bytes of them may be begun in a second. */
  readonly bytesPerSecond?: number;
  /** Milliseconds after which an update that is still on its way makes room for others. */
  readonly patience?: number;
}

/** Gives the place back. Calling it again does nothing. */
export type Leave = () => void;

interface Waiting {
  readonly bytes: number;
  readonly enter: (leave: Leave) => void;
}

/** Lets large updates begin in the order in which they ask, so many at a time and so many bytes a second. */
export class Admission {
  private readonly clock: Clock;
  private readonly atOnce: number;
  private readonly bytesPerSecond: number;
  private readonly patience: number;
  private readonly queue = new Set<Waiting>();
  private inside = 0;
  /** When the bytes that were let in will have been paid for. */
  private paidAt = 0;
  private callOff: (() => void) | null = null;

  constructor(options: AdmissionOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.atOnce = options.atOnce ?? 8;
    this.bytesPerSecond = options.bytesPerSecond ?? 256 * 1024 * 1024;
    this.patience = options.patience ?? 5_000;
  }

  /** How many wait. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Waits for a place. @returns what gives it back, or null when the signal came first
   */
  enter(bytes: number, signal: AbortSignal): Promise<Leave | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.queue.delete(waiting);
        resolve(null);
      };
      const waiting: Waiting = {
        bytes,
        enter(leave) {
          signal.removeEventListener('abort', giveUp);
          resolve(leave);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.add(waiting);
      this.admit();
    });
  }

  close(): void {
    this.callOff?.();
    this.callOff = null;
  }

  private admit(): void {
    for (const next of this.queue) {
      if (this.inside >= this.atOnce || this.callOff !== null) return;
      const now = this.clock.steady();
      if (this.paidAt > now) {
        this.callOff = this.clock.after(this.paidAt - now, () => {
          this.callOff = null;
          this.admit();
        });
        return;
      }
      this.paidAt = now + (next.bytes / this.bytesPerSecond) * 1_000;
      this.queue.delete(next);
      next.enter(this.place());
    }
  }

  private place(): Leave {
    this.inside++;
    let isInside = true;
    const leave = (): void => {
      if (!isInside) return;
      isInside = false;
      callOff();
      this.inside--;
      this.admit();
    };
    const callOff = this.clock.after(this.patience, leave);
    return leave;
  }
}
