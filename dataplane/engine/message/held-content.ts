/** Content of messages that this unit holds in memory until it is whole or sent on, counted as it is allocated. */
export const heldContent = { bytes: 0, limit: 128 << 20 };

/** Gives back what a message held that nobody sent or gave up. */
const forgotten = new FinalizationRegistry<{ bytes: number }>((held) => {
  heldContent.bytes -= held.bytes;
});

/** Share of one message in the buffered content. */
export class HeldShare {
  private held: { bytes: number } | null = null;

  /** Holds so many bytes in all. @returns false when the unit would hold too many: then nothing changes. */
  hold(bytes: number): boolean {
    const more = bytes - (this.held?.bytes ?? 0);
    if (more > 0 && heldContent.bytes + more > heldContent.limit) return false;
    if (this.held === null) {
      this.held = { bytes: 0 };
      forgotten.register(this, this.held);
    }
    heldContent.bytes += more;
    this.held.bytes = bytes;
    return true;
  }

  release(): void {
    if (this.held === null) return;
    heldContent.bytes -= this.held.bytes;
    this.held.bytes = 0;
  }
}
