/** Most runs of one table at a time. */
const MOST_RUNS = 65_536;

/**
 * Runs that are under way, by number. A `Map` would leave its old tables behind, each with the runs of its time, and the
 * collector of young objects would keep all of them. No number stands for two runs: a script may keep an old one.
 */
export class RunTable<Run extends { readonly id: number }> {
  /** Each run is at its number, modulo the length, which is a power of two. */
  #places: (Run | null)[] = new Array<Run | null>(16).fill(null);
  #last = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A number for the next run. @returns null if there is no room */
  newId(): number | null {
    if (this.#size >= MOST_RUNS) return null;
    const { length } = this.#places;
    if (2 * this.#size >= length && length < MOST_RUNS) this.#grow(2 * length);
    let id = this.#last;
    do id++;
    while (this.#places[id % this.#places.length] !== null);
    this.#last = id;
    return id;
  }

  /** Adds a run with the last new number. */
  add(run: Run): void {
    this.#places[run.id % this.#places.length] = run;
    this.#size++;
  }

  #grow(length: number): void {
    const runs = this.values();
    this.#places = new Array<Run | null>(length).fill(null);
    for (const run of runs) this.#places[run.id % length] = run;
  }

  get(id: number): Run | undefined {
    const run = this.#places[id % this.#places.length];
    return run !== undefined && run !== null && run.id === id ? run : undefined;
  }

  /** Does nothing if the run is not there any more. */
  delete({ id }: Run): void {
    if (this.get(id) === undefined) return;
    this.#places[id % this.#places.length] = null;
    this.#size--;
  }

  /** The runs at this moment. */
  values(): Run[] {
    return this.#places.filter((run) => run !== null);
  }
}
