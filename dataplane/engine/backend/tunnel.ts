import type { UpgradedPeer } from '../message/response.ts';
import type { TunnelTraffic } from '../message/tunnel-traffic.ts';
import { clock } from '../wire/clock.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { HeldWire } from '../wire/held-wire.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import { put } from '../wire/turn.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';

/** A connection that became a tunnel: bytes pass both ways, untouched, until both sides are done. */
export class Tunnel implements UpgradedPeer, Swept {
  deadline = NEVER;
  slot = -1;
  /** The backend's side, until the client's joins; whoever understands the protocol may take it over before that. */
  readonly held: HeldWire;
  private client: Wire | null = null;
  private over: (() => void) | null = null;
  private silence = 0;
  private ends = 0;
  private readonly passed = { fromClient: 0, toClient: 0, closeCode: null };

  constructor(backend: Wire, early: Buffer | null) {
    this.held = new HeldWire(backend, early);
  }

  join(client: Wire, early: Buffer | null, clientEnded: boolean, silence: number, over: () => void): void {
    const { held } = this;
    const backend = held.wire;
    this.client = client;
    this.over = over;
    this.silence = silence;
    counters.block[COUNTER.tunnelsOpen]!++;
    client.owner = this.side(backend);
    backend.owner = this.side(client);
    if (early !== null) {
      this.count(backend, early.length);
      put(backend, early, 0, early.length);
    }
    const answered = held.takeEarly();
    if (answered !== null) {
      this.count(client, answered.length);
      put(client, answered, 0, answered.length);
    }
    backend.resume();
    client.resume();
    this.touch();
    watch(this);
    if (clientEnded || held.state === 'failed') this.ended(backend);
    if (held.state !== 'open') this.ended(client);
  }

  get traffic(): TunnelTraffic {
    return this.passed;
  }

  abandon(): void {
    if (this.over === null) this.held.wire.destroy();
    else this.close();
  }

  overdue(): void {
    this.close();
  }

  private touch(): void {
    this.deadline = this.silence > 0 ? clock.now + this.silence : NEVER;
  }

  private ended(other: Wire): void {
    other.end();
    if (++this.ends === 2) setImmediate(() => this.closeSent()); // after the turn, when the last bytes have left
  }

  /** Closes as soon as both sides have got everything. */
  private closeSent(): void {
    if (this.ends < 2 || leaves(this.held.wire) || (this.client !== null && leaves(this.client))) return;
    this.close();
  }

  private close(): void {
    if (this.over === null) return;
    counters.block[COUNTER.tunnelsOpen]!--;
    unwatch(this);
    this.held.wire.destroy();
    this.client?.destroy();
    const { over } = this;
    this.over = null;
    over();
  }

  private count(to: Wire, length: number): void {
    if (to === this.client) this.passed.toClient += length;
    else this.passed.fromClient += length;
  }

  /** What one wire's bytes mean: they go out on the other. */
  private side(other: Wire): WireOwner {
    return {
      receive: (bytes, start, end) => {
        this.touch();
        this.count(other, end - start);
        put(other, bytes, start, end);
      },
      ended: () => this.ended(other),
      failed: () => this.close(),
      blocked: () => other.pause(),
      drained: () => {
        other.resume();
        this.closeSent();
      },
      passes: (bytes, length): Passed => {
        this.touch();
        const passed = other.sendDirect(bytes, length);
        if (passed !== REFUSED) this.count(other, length);
        return passed;
      },
    };
  }
}

function leaves(wire: Wire): boolean {
  return wire.pending || wire.regionLength !== 0;
}
