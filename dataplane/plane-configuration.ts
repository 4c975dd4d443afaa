import { addFigures, emptyFigures } from '../contract/route-report.ts';
import { routeKeyText, type Update } from '../contract/snapshot.ts';
import { HeldSnapshot } from './link/held-snapshot.ts';
import type { RouteSeries } from './metrics/route-series.ts';
import { SlotMemory } from './metrics/route-slots.ts';
import { SlotLedger } from './metrics/slot-ledger.ts';
import type { PlacedRoute, PlacedUpdate } from './placed-update.ts';
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
  private readonly ledger = new SlotLedger();
  /** Who counts where: a route under another name is counted anew. */
  private readonly counting = new Map<string, string>();
  private highestSlot = -1;
  private orders = 0;

  /** `routesGone` hears the qualified names of routes whose figures nobody should see any more. */
  constructor(update: Update, routesGone: (names: readonly string[]) => void) {
    this.routesGone = routesGone;
    this.take(this.placed(update), []);
    this.ledger.release();
  }

  /** What a unit that starts now has to serve. */
  whole(slots: SlotMemory): PlacedUpdate {
    slots.reach(this.highestSlot);
    return this.held.whole();
  }

  /** Tells every unit. Resolves when each of them runs it, with what could not be built. */
  apply(update: Update, units: readonly ConfiguredUnit[]): Promise<readonly BuildProblem[]> {
    const placed = this.placed(update);
    this.take(placed, units);
    const order = ++this.orders;
    for (const unit of units) {
      unit.tell({ kind: 'update', order, update: placed, slots: unit.slots.reach(this.highestSlot) });
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

  /** Gives every route the place where it is counted. */
  private placed({ defaults, set, remove, ...rest }: Update): PlacedUpdate {
    for (const one of remove) this.counting.delete(routeKeyText(one));
    for (const { router, id, name } of set) {
      this.counting.set(routeKeyText({ router, id }), JSON.stringify([router, id, name]));
    }
    this.ledger.keep(new Set([...this.counting.values(), ...defaults.map(defaultOwner)]));
    const slotOf = ({ router, id, name }: Update['set'][number]): number =>
      this.ledger.take(JSON.stringify([router, id, name]));
    return {
      ...rest,
      remove,
      set: set.map((entry): PlacedRoute => ({ ...entry, slot: slotOf(entry) })),
      defaultSlots: Object.fromEntries(defaults.map((router) => [router, this.ledger.take(defaultOwner(router))])),
    };
  }

  private take(update: PlacedUpdate, units: readonly ConfiguredUnit[]): void {
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
    if (this.waiting.size === 0) this.ledger.release(); // nobody counts any more in what was taken back
    waiting.resolve(waiting.problems);
  }
}

function defaultOwner(router: string): string {
  return JSON.stringify([router]);
}
