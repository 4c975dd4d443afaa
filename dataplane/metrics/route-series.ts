import { addFigures, emptyFigures, FIGURE } from '../../contract/route-report.ts';
import type { SlotMemory } from './route-slots.ts';

/** The figures of one route, summed over the units of a plane; their places are those of `FIGURE`. */
export interface RouteSeries {
  /** Qualified name of the router. */
  readonly router: string;
  /** Route id. */
  readonly route: string;
  /** Route name. */
  readonly name: string;
  readonly figures: Float64Array;
}

/** The same with two of the figures that are read more often than all. */
export interface CountedSeries extends RouteSeries {
  /** Requests that began. */
  readonly begun: number;
  /** Requests that ended. */
  readonly ended: number;
}

/** Figures of a route that several units count. They are summed when somebody reads them: few readers look at all routes. */
export class SummedSeries implements CountedSeries {
  readonly router: string;
  readonly route: string;
  readonly name: string;
  private readonly slot: number;
  private readonly memories: readonly SlotMemory[];
  private sums: Float64Array | null = null;

  constructor(router: string, route: string, name: string, slot: number, memories: readonly SlotMemory[]) {
    this.router = router;
    this.route = route;
    this.name = name;
    this.slot = slot;
    this.memories = memories;
  }

  get begun(): number {
    return this.total(FIGURE.begun);
  }

  get ended(): number {
    return this.total(FIGURE.ended);
  }

  get figures(): Float64Array {
    return (this.sums ??= this.summed());
  }

  private total(figure: number): number {
    let sum = 0;
    for (const memory of this.memories) sum += memory.numberAt(this.slot, figure);
    return sum;
  }

  private summed(): Float64Array {
    const figures = emptyFigures();
    for (const memory of this.memories) {
      const part = memory.slot(this.slot);
      if (part !== null) addFigures(figures, part);
    }
    return figures;
  }
}
