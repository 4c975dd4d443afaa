/** Runs that one table can have at a time, which numbers are made of. */
const MOST_RUNS = 65_536;

/**
 * Runs that are under way, by number. A `Map` would leave its old tables behind, each with the runs of its time, and the
 * collector of young objects would keep all of them. No number stands for two runs: a script may keep an old one.
 */
export class RunTable<Run extends { readonly id: number }> {
  readonly #places: (Run | null)[] = [];
  readonly #free: number[] = [];
  /** Runs that each place had. */
  readonly #turns: number[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds a run. @returns null if there is no room */
  add(make: (id: number) => Run): Run | null {
    const place = this.#free.pop() ?? this.#places.length;
    if (place >= MOST_RUNS) return null;
    const turn = (this.#turns[place] ?? 0) + 1;
    this.#turns[place] = turn;
    const run = make(turn * MOST_RUNS + place);
    this.#places[place] = run;
    this.#size++;
    return run;
  }

  get(id: number): Run | undefined {
    const run = this.#places[id % MOST_RUNS];
    return run !== undefined && run !== null && run.id === id ? run : undefined;
  }

  /** Does nothing if the run is not there any more. */
  delete({ id }: Run): void {
    if (this.get(id) === undefined) return;
    const place = id % MOST_RUNS;
    this.#places[place] = null;
    this.#free.push(place);
    this.#size--;
  }

  /** The runs at this moment. */
  values(): Run[] {
    return this.#places.filter((run) => run !== null);
  }
}
