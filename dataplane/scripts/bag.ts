/** An item of a bag, with its place. */
export interface Held<T> {
  readonly item: T;
  at: number;
}

/**
 * Items that come and go with each request. A `Set` would leave its old tables behind, each with the items of its time:
 * the collector of young objects follows them, and keeps what has long been deleted.
 */
export class Bag<T> {
  readonly #held: Held<T>[] = [];

  get size(): number {
    return this.#held.length;
  }

  add(item: T): Held<T> {
    const held = { item, at: this.#held.length };
    this.#held.push(held);
    return held;
  }

  /** Does nothing if the item is not there any more. */
  delete(held: Held<T>): void {
    if (held.at < 0) return;
    const last = this.#held.pop()!;
    if (last !== held) {
      this.#held[held.at] = last;
      last.at = held.at;
    }
    held.at = -1;
  }

  /** The items at this moment. */
  items(): T[] {
    return this.#held.map(({ item }) => item);
  }
}
