/** Numbers for those who count something: everybody has one of their own, and one that is free again is used again. */
export class SlotLedger {
  private readonly slots = new Map<string, number>();
  /** Free ones, the longest free first. */
  private readonly free: number[] = [];
  /** Those that somebody gave up, but may still count in. */
  private given: number[] = [];
  private next = 0;

  /** The slot of this owner, which is a new one if it has none. */
  take(owner: string): number {
    const known = this.slots.get(owner);
    if (known !== undefined) return known;
    const slot = this.free.shift() ?? this.next++;
    this.slots.set(owner, slot);
    return slot;
  }

  /** Takes the slot of an owner back, if it has one. */
  giveUp(owner: string): void {
    const slot = this.slots.get(owner);
    if (slot === undefined) return;
    this.slots.delete(owner);
    this.given.push(slot);
  }

  /** Nobody counts any more in what was taken back. */
  release(): void {
    this.free.push(...this.given);
    this.given = [];
  }
}
