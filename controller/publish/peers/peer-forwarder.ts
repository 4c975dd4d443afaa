import { BackOff } from '../../../platform/back-off.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { PlaneFacts } from '../plane-facts.ts';
import { ForwardedPlanes } from './forwarded-planes.ts';
import { PeerStream, type PeerStreamOptions } from './peer-stream.ts';

export interface PeerForwarderOptions extends PeerStreamOptions {
  /** Name of this controller. */
  readonly controller: string;
  /** Hears what became of the stream, for the log. */
  told?(message: string): void;
  /** Longest wait before the next attempt, in milliseconds. */
  readonly longestWait?: number;
}

/** What changes in this time goes in one message, in milliseconds. */
const COLLECT = 10;

/** Reports the state of the data planes of this controller to the leader, while this controller is a follower. */
export class PeerForwarder {
  private readonly options: PeerForwarderOptions;
  private readonly clock: Clock;
  private readonly planes: ForwardedPlanes;
  private address: string | null = null;
  private stream: PeerStream | null = null;
  private waiting: (() => void) | null = null;
  private collecting: (() => void) | null = null;
  private readonly backOff: BackOff;

  constructor(options: PeerForwarderOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.planes = new ForwardedPlanes(options.controller, this.clock);
    this.backOff = new BackOff({ first: 200, longest: options.longestWait ?? 5000, jitter: 0.5 });
  }

  /** Something about a plane of this controller is new; as `PlaneLedger.heard`. */
  heard(facts: PlaneFacts, routes: readonly string[] | null): void {
    this.planes.heard(facts, routes);
    this.wake();
  }

  left(plane: string): void {
    this.planes.leave(plane);
    this.wake();
  }

  /** Follows the leader at this address, `host:port`; null for nobody, since there is none or it is this controller. */
  follow(address: string | null): void {
    if (address === this.address) return;
    this.address = address;
    this.backOff.reset();
    this.disconnect();
    if (address !== null) this.connect(address);
  }

  close(): void {
    this.follow(null);
    this.collecting?.();
    this.collecting = null;
  }

  private wake(): void {
    if (this.stream === null) return;
    this.collecting ??= this.clock.after(COLLECT, () => {
      this.collecting = null;
      this.stream?.flush();
    });
  }

  private connect(address: string): void {
    this.planes.restart();
    const stream = new PeerStream(this.options, this.clock, address, this.planes, (reason, wasHeard) => {
      if (this.stream !== stream) return;
      this.stream = null;
      if (wasHeard) this.backOff.reset();
      this.options.told?.(`stream to the leader at ${address} ended: ${reason}`);
      this.waiting = this.clock.after(this.backOff.next(), () => {
        this.waiting = null;
        this.connect(address);
      });
    });
    this.stream = stream;
    void stream.open();
  }

  private disconnect(): void {
    this.waiting?.();
    this.waiting = null;
    const { stream } = this;
    this.stream = null;
    stream?.close();
  }
}
