/** Random numbers that a seed decides: the same seed and case number make the same case on every machine. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** The source of one case of one part, so that a case can be made again without those before it. */
  static of(seed: number, part: string, index: number): Random {
    let state = seed | 0;
    for (const character of part) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
    const random = new Random(Math.imul(state ^ index, 0x9e3779b1) ^ (index >>> 7));
    random.next();
    return random;
  }

  /** 32 bits (the mulberry32 generator). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A number in [0, limit). */
  below(limit: number): number {
    return this.next() % limit;
  }

  /** A number in [least, most]. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Up to `most` results of `make`, joined. */
  some(most: number, make: () => string, separator = ''): string {
    return Array.from({ length: this.below(most + 1) }, make).join(separator);
  }

  shuffled<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
    }
    return shuffled;
  }
}
