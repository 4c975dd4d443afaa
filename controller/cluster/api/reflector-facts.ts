import type { Clock } from '../../../platform/clock.ts';
import type { ApiError } from './api-error.ts';

/** State of a reflector. Times are in milliseconds since 1970. */
export interface ReflectorFacts {
  readonly kind: string;
  /** What of the kind it follows: a namespace, `namespace/name`, or empty for all. */
  readonly scope: string;
  readonly isSynced: boolean;
  readonly objects: number;
  /** The version up to which everything is known. */
  readonly position: string | null;
  /** Since when the running watch runs; null while there is none. */
  readonly watchingSince: number | null;
  /** When something came last, be it a bookmark; null when nothing ever did. */
  readonly heardAt: number | null;
  /** When an object changed last. */
  readonly eventAt: number | null;
  /** Lists after the first one. */
  readonly relists: number;
  /** Failures by reason. */
  readonly errors: ReadonlyMap<string, number>;
  /** Why it failed last; null while it watches. */
  readonly fault: string | null;
}

/** Keeps the facts of a reflector. */
export class ReflectorRecord {
  private readonly clock: Clock;
  private readonly counts = new Map<string, number>();
  private lists = 0;
  private watchingSince: number | null = null;
  private heardAt: number | null = null;
  private eventAt: number | null = null;
  private fault: string | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get times(): Omit<ReflectorFacts, 'kind' | 'scope' | 'isSynced' | 'objects' | 'position'> {
    const { watchingSince, heardAt, eventAt, fault } = this;
    return {
      watchingSince,
      heardAt,
      eventAt,
      fault,
      relists: Math.max(0, this.lists - 1),
      errors: new Map(this.counts),
    };
  }

  listed(): void {
    this.lists++;
    this.heard();
  }

  watching(isRunning: boolean): void {
    this.watchingSince = isRunning ? this.clock.wall() : null;
    if (!isRunning) return;
    this.fault = null;
    this.heard();
  }

  heard(): void {
    this.heardAt = this.clock.wall();
  }

  event(): void {
    this.eventAt = this.clock.wall();
  }

  failed({ reason, message }: ApiError): void {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + 1);
    this.fault = message;
  }
}
