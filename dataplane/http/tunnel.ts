import { clock } from './clock.ts';
import { COUNTER, counters } from './counters.ts';
import type { UpgradedPeer } from './response.ts';
import { NEVER, type Swept, unwatch, watch } from './sweep.ts';
import { put } from './turn.ts';
import { type Passed, REFUSED, type Wire, type WireOwner } from './wire.ts';

/** A connection that became a tunnel: bytes pass both ways, untouched, until both sides are done. */
export class Tunnel implements UpgradedPeer, Swept {
  deadline = NEVER;
  slot = -1;
  private readonly backend: Wire;
  private client: Wire | null = null;
  private early: Buffer | null;
  private over: (() => void) | null = null;
  private silence = 0;
  private ends = 0;

  /** Holds the backend's side until the client's joins. */
  constructor(backend: Wire, early: Buffer | null) {
    this.backend = backend;
    this.early = early;
    backend.pause();
    backend.owner = this.side(() => this.client);
  }

  join(client: Wire, early: Buffer | null, clientEnded: boolean, silence: number, over: () => void): void {
    this.client = client;
    this.over = over;
    this.silence = silence;
    counters.block[COUNTER.tunnelsOpen]!++;
    client.owner = this.side(() => this.backend);
    if (early !== null) put(this.backend, early, 0, early.length);
    if (this.early !== null) put(client, this.early, 0, this.early.length);
    this.early = null;
    this.backend.resume();
    client.resume();
    this.touch();
    watch(this);
    if (clientEnded) this.ended(this.backend);
  }

  abandon(): void {
    this.backend.destroy();
  }

  overdue(): void {
    this.close();
  }

  private touch(): void {
    this.deadline = this.silence > 0 ? clock.now + this.silence : NEVER;
  }

  private ended(other: Wire): void {
    if (++this.ends === 2) this.close();
    else other.end();
  }

  private close(): void {
    if (this.over === null) return;
    counters.block[COUNTER.tunnelsOpen]!--;
    unwatch(this);
    this.backend.destroy();
    this.client?.destroy();
    const { over } = this;
    this.over = null;
    over();
  }

  /** What one wire's bytes mean: they go out on the other. */
  private side(other: () => Wire | null): WireOwner {
    return {
      receive: (bytes, start, end) => {
        this.touch();
        const wire = other();
        if (wire !== null) put(wire, bytes, start, end);
      },
      ended: () => {
        const wire = other();
        if (wire === null) this.backend.destroy();
        else this.ended(wire);
      },
      failed: () => (this.client === null ? this.backend.destroy() : this.close()),
      blocked: () => other()?.pause(),
      drained: () => other()?.resume(),
      passes: (bytes, length): Passed => {
        this.touch();
        return other()?.sendDirect(bytes, length) ?? REFUSED;
      },
    };
  }
}
