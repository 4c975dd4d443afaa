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
  /** What became of the backend before the client joined. */
  private backendEnded = false;
  private backendFailed = false;

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
    if (clientEnded || this.backendFailed) this.ended(this.backend);
    if (this.backendEnded || this.backendFailed) this.ended(client);
  }

  abandon(): void {
    if (this.over === null) this.backend.destroy();
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
    if (this.ends < 2 || leaves(this.backend) || (this.client !== null && leaves(this.client))) return;
    this.close();
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
        else this.early = Buffer.concat([this.early ?? NOTHING, bytes.subarray(start, end)]);
      },
      ended: () => {
        const wire = other();
        if (wire === null) this.backendEnded = true;
        else this.ended(wire);
      },
      failed: () => {
        if (this.client === null) this.backendFailed = true;
        else this.close();
      },
      blocked: () => other()?.pause(),
      drained: () => {
        other()?.resume();
        this.closeSent();
      },
      passes: (bytes, length): Passed => {
        this.touch();
        return other()?.sendDirect(bytes, length) ?? REFUSED;
      },
    };
  }
}

const NOTHING = Buffer.alloc(0);

function leaves(wire: Wire): boolean {
  return wire.pending || wire.regionLength !== 0;
}
