import { type Clock, LONGEST_TIMER } from '../../../platform/clock.ts';
import type { SessionSettings } from '../channel/session-settings.ts';

export interface SessionClockOptions {
  readonly clock: Clock;
  readonly settings: Pick<SessionSettings, 'heartbeat' | 'maxAge' | 'goodbye'>;
  /** When the credential of the data plane expires, in milliseconds since 1970; null for never. */
  readonly until: number | null;
  /** It is time for a heartbeat. */
  beat(): void;
  /** The stream has to end. It is a fault when the plane is not heard any more. */
  end(reason: string, isFault: boolean): void;
}

/** Heartbeats that may stay away. */
const MISSED_BEATS = 3;

/** Everything about a stream that has to do with time: heartbeats both ways, its age, the end of its credential. */
export class SessionClock {
  private readonly options: SessionClockOptions;
  private readonly waits = new Set<() => void>();
  /** Heartbeats of ours since the plane was heard last: a controller that was busy itself must not blame the plane. */
  private silent = 0;
  /** The plane was sent something since the last heartbeat was due: it needs none. */
  private hasSent = false;

  constructor(options: SessionClockOptions) {
    this.options = options;
    const { settings, until } = options;
    this.after(settings.heartbeat, () => this.tick());
    this.after(settings.maxAge * (0.8 + Math.random() * 0.4), () =>
      options.end('the stream reached its maximum age', false),
    );
    if (until !== null) this.after(0, () => this.expire(until - settings.goodbye));
  }

  /** The plane has sent something. */
  heard(): void {
    this.silent = 0;
  }

  /** The plane was sent something. */
  sent(): void {
    this.hasSent = true;
  }

  /** Runs something later, unless the stream ends before. */
  after(milliseconds: number, run: () => void): void {
    const callOff = this.options.clock.after(milliseconds, () => {
      this.waits.delete(callOff);
      run();
    });
    this.waits.add(callOff);
  }

  close(): void {
    for (const callOff of this.waits) callOff();
    this.waits.clear();
  }

  private tick(): void {
    const { settings, beat, end } = this.options;
    this.silent++;
    if (this.silent > MISSED_BEATS) {
      end('the data plane is silent', true);
      return;
    }
    this.after(settings.heartbeat, () => this.tick());
    if (!this.hasSent) beat();
    this.hasSent = false;
  }

  private expire(until: number): void {
    const left = until - this.options.clock.wall();
    if (left <= 0) this.options.end('the credential of the data plane expires', false);
    else this.after(Math.min(left, LONGEST_TIMER), () => this.expire(until));
  }
}
