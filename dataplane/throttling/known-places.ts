/** Longer keys are looked up anew each time. */
const LONGEST_KEY = 64;
/** Keys that are kept before the older half of them is forgotten. */
const MOST_KEYS = 131_072;

/** Where the keys have their buckets that a unit has seen lately: saves making their digests. */
export class KnownPlaces {
  private recent = new Map<string, number>();
  private older = new Map<string, number>();

  find(key: string): number | undefined {
    const place = this.recent.get(key);
    if (place !== undefined) return place;
    const known = this.older.get(key);
    if (known !== undefined) this.keep(key, known);
    return known;
  }

  /** Learns where a key is that `find` did not know, or knew wrongly. */
  learn(key: string, place: number): void {
    if (key.length > LONGEST_KEY) return;
    const copy = Buffer.from(key).toString(); // a part of a longer text would keep all of that
    if (copy === key) this.keep(copy, place);
  }

  private keep(key: string, place: number): void {
    if (this.recent.size >= MOST_KEYS) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(key, place);
  }
}
