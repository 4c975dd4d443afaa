/** Memory of one purpose in this unit. */
export interface HeldTotal {
  bytes: number;
  readonly limit: number;
}

/** Content of messages that this unit holds in memory until it is whole or sent on, counted as it is allocated. */
export const heldContent = { bytes: 0, limit: 128 << 20 };

interface Held {
  bytes: number;
  readonly of: HeldTotal;
}

/** Gives back what a message held that nobody sent or gave up. */
const forgotten = new FinalizationRegistry<Held>((held) => {
  held.of.bytes -= held.bytes;
});

/** Share of one message in the buffered content. */
export class HeldShare {
  private readonly total: HeldTotal;
  private held: Held | null = null;

  constructor(total: HeldTotal = heldContent) {
    this.total = total;
  }

  /** Holds so many bytes in all. @returns false when the unit would hold too many: then nothing changes. */
  hold(bytes: number): boolean {
    const more = bytes - (this.held?.bytes ?? 0);
    if (more > 0 && this.total.bytes + more > this.total.limit) return false;
    if (this.held === null) {
      this.held = { bytes: 0, of: this.total };
      forgotten.register(this, this.held);
    }
    this.total.bytes += more;
    this.held.bytes = bytes;
    return true;
  }

  release(): void {
    if (this.held === null) return;
    this.total.bytes -= this.held.bytes;
    this.held.bytes = 0;
  }
}
