/** Changes on top of a base before they become one with it: each copy of the map copies them. */
const MOST_CHANGES = 128;

/** Content that many maps share and nobody changes. */
interface Base<V> {
  readonly entries: ReadonlyMap<string, V>;
  /** Stands for this base where a reference to it would keep it in memory. */
  readonly mark: object;
  /** The base that this one was made from, and the keys that differ; null for one that was made from nothing. */
  readonly earlier: { readonly mark: object; readonly keys: ReadonlySet<string> } | null;
}

/**
 * Map that never changes. One that differs in a few entries shares the rest with it: among thousands of Routes a change
 * costs neither time nor memory for all others. Entries of the base come first, in their order.
 */
export class LayeredMap<V> implements ReadonlyMap<string, V> {
  readonly size: number;
  private readonly base: Base<V>;
  /** What differs from the base; null for what is gone. */
  private readonly changes: ReadonlyMap<string, V | null>;

  private constructor(base: Base<V>, changes: ReadonlyMap<string, V | null>, size: number) {
    this.base = base;
    this.changes = changes;
    this.size = size;
  }

  /** @param entries must not change afterwards */
  static of<V>(entries: ReadonlyMap<string, V>): LayeredMap<V> {
    return new LayeredMap({ entries, mark: {}, earlier: null }, new Map(), entries.size);
  }

  /** The map itself if it has layers. @param entries must not change afterwards */
  static from<V>(entries: ReadonlyMap<string, V>): LayeredMap<V> {
    return entries instanceof LayeredMap ? (entries as LayeredMap<V>) : LayeredMap.of(entries);
  }

  /** The map with these changes; null for what goes. The same map if nothing differs. */
  with(changes: Iterable<readonly [key: string, value: V | null]>): LayeredMap<V> {
    let made: Map<string, V | null> | null = null;
    let { size } = this;
    for (const [key, value] of changes) {
      const before = (made === null ? this.get(key) : lookUp(made, this.base, key)) ?? null;
      if (before === value) continue;
      made ??= new Map(this.changes);
      made.set(key, value);
      size += (value === null ? 0 : 1) - (before === null ? 0 : 1);
    }
    if (made === null) return this;
    const next = new LayeredMap(this.base, made, size);
    return made.size > MOST_CHANGES ? next.flattened() : next;
  }

  /** Keys of entries that may differ from those of another map; null if that cannot be told without a look at all. */
  changedSince(other: ReadonlyMap<string, V>): ReadonlySet<string> | null {
    if (!(other instanceof LayeredMap)) return null;
    const { mark, earlier } = this.base;
    if (other === this) return new Set();
    const keys = new Set([...this.changes.keys(), ...other.changes.keys()]);
    if (other.base.mark === mark) return keys;
    return earlier?.mark === other.base.mark ? keys.union(earlier.keys) : null;
  }

  get(key: string): V | undefined {
    return lookUp(this.changes, this.base, key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, V]> {
    const { changes } = this;
    const { entries } = this.base;
    if (changes.size === 0) return yield* entries.entries();
    for (const entry of entries) {
      const change = changes.get(entry[0]);
      if (change === undefined) yield entry;
      else if (change !== null) yield [entry[0], change];
    }
    for (const [key, value] of changes) if (value !== null && !entries.has(key)) yield [key, value];
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries();
  }

  forEach(call: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }

  private flattened(): LayeredMap<V> {
    const earlier = { mark: this.base.mark, keys: new Set(this.changes.keys()) };
    return new LayeredMap({ entries: new Map(this.entries()), mark: {}, earlier }, new Map(), this.size);
  }
}

function lookUp<V>(changes: ReadonlyMap<string, V | null>, { entries }: Base<V>, key: string): V | undefined {
  const change = changes.get(key);
  return change === undefined ? entries.get(key) : (change ?? undefined);
}
