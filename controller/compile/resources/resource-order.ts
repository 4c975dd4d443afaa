/** Keeps keys in an order. When few of them change, putting them in order again takes little more than a look. */
export class ResourceOrder<T> {
  private order: string[] = [];
  private readonly keys = new Set<string>();
  private readonly compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  /** All of them in order. @param isStale whether something changed that the order depends on */
  sorted(values: ReadonlyMap<string, T>, isStale: boolean): readonly string[] {
    if (!isStale && values.size === this.keys.size) return this.order;
    const kept = this.order.filter((key) => values.has(key));
    const added = [...values.keys()].filter((key) => !this.keys.has(key));
    this.order = [...kept, ...added].sort((a, b) => this.compare(values.get(a)!, values.get(b)!));
    this.keys.clear();
    for (const key of this.order) this.keys.add(key);
    return this.order;
  }
}

/** Characters compare by their code, as planes order routes. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
