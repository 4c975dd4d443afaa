import type { Clock } from '../../../platform/clock.ts';

/** Streams of one plane that the transport has not let go of: one that does not read keeps what it was sent in memory. */
const MOST_HELD = 8;
/** Streams that one plane may begin in a minute. Each costs a look at its credential and at everything that it holds. */
const MOST_BEGUN = 60;
const MINUTE = 60_000;

interface Arrivals {
  held: number;
  begun: number;
  since: number;
}

/** How often planes connect. */
export class PlaneArrivals {
  private readonly clock: Clock;
  private readonly planes = new Map<string, Arrivals>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Counts a stream of a plane. @returns why it may not have it; null when it may, and then `leave` has to follow */
  enter(plane: string): string | null {
    const now = this.clock.steady();
    const known = this.planes.get(plane) ?? { held: 0, begun: 0, since: now };
    if (now - known.since >= MINUTE) {
      known.begun = 0;
      known.since = now;
    }
    this.planes.set(plane, known);
    if (known.held >= MOST_HELD) return 'the data plane does not close its old streams';
    if (known.begun >= MOST_BEGUN) return 'the data plane connects too often; another one may use the same name';
    known.held++;
    known.begun++;
    return null;
  }

  /** A stream is gone. */
  leave(plane: string): void {
    const known = this.planes.get(plane);
    if (known !== undefined) known.held--;
    const now = this.clock.steady();
    // Those that went are forgotten when others do: there are never many more than planes in a minute.
    for (const [id, { held, since }] of this.planes) {
      if (held > 0 || now - since < MINUTE) continue;
      this.planes.delete(id);
    }
  }
}
