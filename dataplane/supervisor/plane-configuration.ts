import type { ForbiddenPlace } from '../../contract/egress.ts';
import { type PlaneTrust, type RouteKey, routeKeyText, type Update } from '../../contract/snapshot.ts';
import { HeldSnapshot } from '../link/held-snapshot.ts';
import { type CountedSeries, SummedSeries } from '../metrics/route-series.ts';
import { SlotMemory } from '../metrics/route-slots.ts';
import { SlotLedger } from '../metrics/slot-ledger.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import type { PlacedRoute, PlacedUpdate } from '../unit/placed-update.ts';
import type { UnitOrder } from '../unit/unit-messages.ts';

/** A unit as far as its configuration goes. */
export interface ConfiguredUnit {
  readonly slots: SlotMemory;
  tell(order: UnitOrder): void;
}

interface Waiting {
  readonly units: Set<ConfiguredUnit>;
  /** Units that could not build the base. */
  readonly refused: Set<ConfiguredUnit>;
  problems: readonly BuildProblem[];
  resolve(): void;
}

/** What came of an order: what units could not build, and which of them have the base that was there before. */
type Answered = Pick<Waiting, 'problems' | 'refused'>;

/** Configuration that a supervisor sends to its units, with the metric slots of their routes. */
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
  /** Owners of places that may count no more, with the keys of their routes; null for default handlers. */
  private readonly doubtful = new Map<string, string | null>();
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

  get routeCount(): number {
    return this.held.routeCount;
  }

  /** What tenants are allowed; undefined where there are none. */
  get trust(): PlaneTrust | undefined {
    return this.held.whole().base?.trust;
  }

  /** Addresses that controllers forbid to tenants. */
  get forbidden(): readonly ForbiddenPlace[] {
    return (this.held.whole().resources?.set ?? []).flatMap((one) => ('places' in one ? one.places : []));
  }

  /**
   * Tells every unit. Resolves when each of them runs it, with what could not be built: units that start later get the
   * versions that serve.
   */
  async apply(update: Update, units: () => readonly ConfiguredUnit[]): Promise<readonly BuildProblem[]> {
    return this.run(update, units, false);
  }

  /** The same, but where a unit cannot build the base every unit serves on as before, and nothing is taken. */
  async applyWhole(update: Update, units: () => readonly ConfiguredUnit[]): Promise<readonly BuildProblem[]> {
    return this.run(update, units, true);
  }

  private async run(
    update: Update,
    units: () => readonly ConfiguredUnit[],
    isWhole: boolean,
  ): Promise<readonly BuildProblem[]> {
    const undoCounting = this.undoing([...update.set, ...update.remove]);
    const placed: PlacedUpdate = { ...this.placed(update), ...(isWhole && { allOrNothing: true as const }) };
    const undoHeld = this.held.undoing(placed);
    const undoBase = this.held.undoing({ ...placed, set: [], remove: [] });
    const undoRoutes = new Map(update.set.map((one) => [routeKeyText(one), this.held.restoring(one)]));
    const gone = this.take(placed, units());
    const answered = this.ordered(placed, units());
    const order = this.orders;
    const { problems, refused } = await answered;
    const isNewest = order === this.orders; // otherwise what is held is somebody else's by now
    if (isBaseBad(problems)) {
      if (!isWhole) {
        if (isNewest) undoBase();
      } else {
        undoHeld();
        if (isNewest) this.held.keepNamed();
        undoCounting();
        await this.revert(
          update,
          units().filter((unit) => !refused.has(unit)),
        );
        this.settled();
        return problems;
      }
    }
    for (const { route, keepsServing, resource } of isNewest ? problems : []) {
      if (resource !== undefined) this.held.restoreResource(resource);
      else if (route !== null && keepsServing) undoRoutes.get(routeKeyText(route))?.();
    }
    if (isNewest) this.held.keepNamed();
    this.recount(problems.flatMap(({ route }) => route ?? []));
    if (gone.length > 0) this.routesGone(gone);
    this.settled();
    return problems;
  }

  /** Has units that took what others could not build serve what all did before. */
  private async revert({ revision, set }: Update, units: readonly ConfiguredUnit[]): Promise<void> {
    if (units.length === 0) return;
    const whole = this.held.whole();
    const kept = new Set(whole.set.map(routeKeyText));
    const remove = set.filter((one) => !kept.has(routeKeyText(one))).map(({ router, id }) => ({ router, id }));
    await this.ordered({ ...whole, revision: `${revision} taken back`, remove }, units);
  }

  private ordered(update: PlacedUpdate, units: readonly ConfiguredUnit[]): Promise<Answered> {
    const order = ++this.orders;
    for (const unit of units) {
      unit.tell({ kind: 'update', order, update, slots: unit.slots.reach(this.highestSlot) });
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        units: new Set(units),
        refused: new Set(),
        problems: [],
        resolve: () => resolve(waiting),
      };
      this.waiting.set(order, waiting);
      this.settle(order);
    });
  }

  /** A unit runs what it was told. */
  applied(unit: ConfiguredUnit, order: number, problems: readonly BuildProblem[]): void {
    const waiting = this.waiting.get(order);
    if (waiting === undefined) return;
    if (isBaseBad(problems)) waiting.refused.add(unit);
    // units build the same from the same, so the first to speak speaks for all, unless one of them cannot go on
    if (waiting.problems.length === 0 || (isBaseBad(problems) && !isBaseBad(waiting.problems))) {
      waiting.problems = problems;
    }
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
  series(units: readonly ConfiguredUnit[]): CountedSeries[] {
    const memories = [this.retired, ...units.map(({ slots }) => slots)];
    const series: CountedSeries[] = [];
    for (const { router, id, name, slot } of this.held.routes) {
      series.push(new SummedSeries(router, id, name, slot, memories));
    }
    for (const [router, slot] of this.held.defaults) {
      series.push(new SummedSeries(router, 'default', 'default', slot, memories));
    }
    return series;
  }

  /** Gives every route the place where it is counted. */
  private placed({ defaults, set, remove, ...rest }: Update): PlacedUpdate {
    for (const one of remove) this.count(routeKeyText(one), undefined);
    for (const { router, id, name } of set) {
      this.count(routeKeyText({ router, id }), JSON.stringify([router, id, name]));
    }
    for (const router of [...defaults, ...this.held.defaults.map(([one]) => one)]) {
      this.doubtful.set(defaultOwner(router), null);
    }
    const slotOf = ({ router, id, name }: Update['set'][number]): number =>
      this.ledger.take(JSON.stringify([router, id, name]));
    return {
      ...rest,
      remove,
      set: set.map((entry): PlacedRoute => ({ ...entry, slot: slotOf(entry) })),
      defaultSlots: Object.fromEntries(defaults.map((router) => [router, this.ledger.take(defaultOwner(router))])),
    };
  }

  /** @returns the qualified names of routes whose figures nobody should see any more */
  private take(update: PlacedUpdate, units: readonly ConfiguredUnit[]): readonly string[] {
    const gone = this.held.take(update);
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
    return gone;
  }

  /** What puts back who counts where. */
  private undoing(keys: readonly RouteKey[]): () => void {
    const before = keys.map((one) => [routeKeyText(one), this.counting.get(routeKeyText(one))] as const);
    return () => {
      for (const [key, owner] of before) this.count(key, owner);
    };
  }

  /** A route is counted by this owner from now on; undefined for a route that is gone. */
  private count(key: string, owner: string | undefined): void {
    const before = this.counting.get(key);
    if (before === owner) return;
    if (before !== undefined) this.doubtful.set(before, key);
    if (owner === undefined) this.counting.delete(key);
    else this.counting.set(key, owner);
  }

  /** These routes are counted as what is held of them. */
  private recount(keys: readonly RouteKey[]): void {
    if (keys.length === 0) return;
    const texts = new Set(keys.map(routeKeyText));
    for (const { router, id, name } of this.held.routes) {
      const key = routeKeyText({ router, id });
      if (texts.has(key)) this.count(key, JSON.stringify([router, id, name]));
    }
  }

  private settle(order: number): void {
    const waiting = this.waiting.get(order);
    if (waiting === undefined || waiting.units.size > 0) return;
    this.waiting.delete(order);
    waiting.resolve();
  }

  /** Gives places back in which nobody counts any more. */
  private settled(): void {
    if (this.waiting.size > 0) return;
    const defaults = new Set(this.held.defaults.map(([router]) => defaultOwner(router)));
    for (const [owner, key] of this.doubtful) {
      const isCounting = key === null ? defaults.has(owner) : this.counting.get(key) === owner;
      if (!isCounting) this.ledger.giveUp(owner);
    }
    this.doubtful.clear();
    this.ledger.release();
  }
}

/** Whether the base could not be built. */
export function isBaseBad(problems: readonly BuildProblem[]): boolean {
  return problems.some(({ route }) => route === null);
}

function defaultOwner(router: string): string {
  return JSON.stringify([router]);
}
