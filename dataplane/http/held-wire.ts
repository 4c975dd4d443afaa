import { REFUSED, type Wire, type WireOwner } from './wire.ts';

/** A wire between two owners: it is paused, and what comes all the same is kept for the next one. */
export class HeldWire implements WireOwner {
  readonly wire: Wire;
  /** What came and nobody has read. */
  early: Buffer | null;
  /** Whether the peer still sends, will send nothing more, or is gone. */
  state: 'open' | 'ended' | 'failed' = 'open';

  constructor(wire: Wire, early: Buffer | null) {
    this.wire = wire;
    this.early = early;
    wire.pause();
    wire.owner = this;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    this.early = Buffer.concat([this.early ?? NOTHING, bytes.subarray(start, end)]);
  }

  ended(): void {
    this.state = 'ended';
  }

  failed(): void {
    this.state = 'failed';
  }

  blocked(): void {
    // nothing is sent
  }

  drained(): void {
    // nothing is sent
  }

  passes(): typeof REFUSED {
    return REFUSED;
  }
}

const NOTHING = Buffer.alloc(0);
