import { Pieces } from './pieces.ts';
import { REFUSED, type Wire, type WireOwner } from './wire.ts';

/** A wire between two owners: it is paused, and what comes all the same is kept for the next one. */
export class HeldWire implements WireOwner {
  readonly wire: Wire;
  /** Whether the peer still sends, will send nothing more, or is gone. */
  state: 'open' | 'ended' | 'failed' = 'open';

  private readonly pieces = new Pieces();

  constructor(wire: Wire, early: Buffer | null) {
    this.wire = wire;
    if (early !== null) this.pieces.add(early, 0, early.length);
    wire.pause();
    wire.owner = this;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    this.pieces.add(bytes, start, end);
  }

  /** Takes what came and nobody has read; null when there is nothing. */
  takeEarly(): Buffer | null {
    if (this.pieces.length === 0) return null;
    const early = this.pieces.joined();
    this.pieces.take();
    return early;
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
