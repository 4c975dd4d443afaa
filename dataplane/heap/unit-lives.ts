/** Units that are told apart; those with higher numbers count as alive. */
const MOST_UNITS = 1024;

/**
 * How often the unit of each number has ended, in memory of the plane. The supervisor counts, so that units need not wait
 * for the lease of one that crashed.
 */
export class UnitLives {
  static readonly memory = { name: 'unit lives', bytes: MOST_UNITS * Int32Array.BYTES_PER_ELEMENT } as const;
  private readonly ends: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.ends = new Int32Array(memory);
  }

  /** Names the life of a unit that is alive, for `isOver`. */
  current(unit: number): number {
    return unit < MOST_UNITS ? Atomics.load(this.ends, unit) : 0;
  }

  isOver(unit: number, life: number): boolean {
    return this.current(unit) !== life;
  }

  ended(unit: number): void {
    if (unit < MOST_UNITS) Atomics.add(this.ends, unit, 1);
  }
}
