import type { Update } from '../contract/snapshot.ts';
import { HeldSnapshot } from './link/held-snapshot.ts';
import type { RouteSeries } from './metrics/route-series.ts';
import { addFigures, emptyFigures, SlotMemory } from './metrics/route-slots.ts';
import type { BuildProblem } from './routes/configuration.ts';
import type { UnitOrder } from './unit-messages.ts';

/** A unit as far as its configuration goes. */
export interface ConfiguredUnit {
  readonly slots: SlotMemory;
  tell(order: UnitOrder): void;
}

interface Waiting {
  readonly units: Set<ConfiguredUnit>;
  readonly problems: BuildProblem[];
  resolve(problems: readonly BuildProblem[]): void;
}

/** What a supervisor tells its units to run, and where their routes count. */
export class PlaneConfiguration {
  private readonly held = new HeldSnapshot();
  private readonly retired = new SlotMemory();
  /** What each slot counts: another route at the same place begins at zero. */
  private readonly owners = new Map<number, string>();
  private readonly waiting = new Map<number, Waiting>();
  private readonly routesGone: (names: readonly string[]) => void;
  private highestSlot = -1;
  private orders = 0;

  /** `routesGone` hears the qualified names of routes whose figures nobody should see any more. */
  constructor(update: Update, routesGone: (names: readonly string[]) => void) {
    this.routesGone = routesGone;
    this.take(update, []);
  }

  /** What a unit that starts now has to serve. */
  whole(slots: SlotMemory): Update {
    slots.reach(this.highestSlot);
    return this.held.whole();
  }

  /** Tells every unit. Resolves when each of them runs it, with what could not be built. */
  apply(update: Update, units: readonly ConfiguredUnit[]): Promise<readonly BuildProblem[]> {
    this.take(update, units);
    const order = ++this.orders;
    for (const unit of units) {
      unit.tell({ kind: 'update', order, update, slots: unit.slots.reach(this.highestSlot) });
    }
    return new Promise((resolve) => {
      this.waiting.set(order, { units: new Set(units), problems: [], resolve });
      this.settle(order);
    });
  }

  /** A unit runs what it was told. */
  applied(unit: ConfiguredUnit, order: number, problems: readonly BuildProblem[]): void {
    const waiting = this.waiting.get(order);
    if (waiting === undefined) return;
    // units build the same from the same, so the first to speak speaks for all
    if (waiting.problems.length === 0) waiting.problems.push(...problems);
    waiting.units.delete(unit);
    this.settle(order);
  }

  /** A unit is gone: nobody waits for it, and what it counted stays counted. */
  lost(unit: ConfiguredUnit): void {
    this.retired.absorb(unit.slots);
    for (const [order, waiting] of this.waiting) {
      waiting.units.delete(unit);
      this.settle(order);
    }
  }

  /** The figures of every route, all units as one. */
  series(units: readonly ConfiguredUnit[]): RouteSeries[] {
    const memories = [this.retired, ...units.map(({ slots }) => slots)];
    const routes = [...this.held.routes].map(({ router, id, name, slot }) => ({ router, route: id, name, slot }));
    const defaults = this.held.defaults.map(([router, slot]) => ({ router, route: 'default', name: 'default', slot }));
    return [...routes, ...defaults].map(({ router, route, name, slot }) => {
      const figures = emptyFigures();
      for (const memory of memories) {
        const part = memory.slot(slot);
        if (part !== null) addFigures(figures, part);
      }
      return { router, route, name, figures };
    });
  }

  private take(update: Update, units: readonly ConfiguredUnit[]): void {
    const gone = this.held.take(update);
    if (gone.length > 0) this.routesGone(gone);
    const owned = [
      ...update.set.map(({ router, id, name, slot }) => [slot, JSON.stringify([router, id, name])] as const),
      ...this.held.defaults.map(([router, slot]) => [slot, JSON.stringify([router])] as const),
    ];
    for (const [slot, owner] of owned) {
      this.highestSlot = Math.max(this.highestSlot, slot);
      const before = this.owners.get(slot);
      this.owners.set(slot, owner);
      if (before === undefined || before === owner) continue;
      for (const memory of [this.retired, ...units.map(({ slots }) => slots)]) memory.slot(slot)?.fill(0);
    }
  }

  private settle(order: number): void {
    const waiting = this.waiting.get(order);
    if (waiting === undefined || waiting.units.size > 0) return;
    this.waiting.delete(order);
    waiting.resolve(waiting.problems);
  }
}
