import { compareTexts } from '../../../contract/route-order.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { Pass } from './pass.ts';
import type { RememberedRoute, ResourceVerdict } from './resource-verdict.ts';
import type { RouteChoice } from './route-choice.ts';
import type { RouteRecord } from './route-record.ts';
import { routeIdOf } from './route-resource-draft.ts';
import { SortedRoutes } from './sorted-routes.ts';

/** Changes since the last compilation. */
export interface RouteChanges {
  /** Routes that are new, and those of which anything is different. */
  readonly changed: readonly RouteRecord[];
  readonly gone: readonly RouteRecord[];
}

/**
 * Which Route is served how. Within a tenant a name belongs to the oldest Route that wants it. As long as nobody wants
 * the name of another, a change concerns nobody else; otherwise all are gone through, the oldest first.
 */
export class RouteStandings {
  readonly verdicts = new Map<string, ResourceVerdict>();
  readonly remembered = new Map<string, RememberedRoute>();
  private readonly routes = new SortedRoutes();
  /** The Routes that names belong to, by tenant and name. */
  private readonly names = new Map<string, RouteRecord>();
  /** How many Routes want a name that is another's. */
  private losers = 0;

  /** What planes are to run, in the order of names. */
  get served(): readonly CompiledRoute[] {
    return this.routes.all();
  }

  /** @returns the Routes that were gone through */
  update(
    records: ReadonlyMap<string, RouteRecord>,
    { changed, gone }: RouteChanges,
    pass: Pass,
  ): Iterable<RouteRecord> {
    for (const record of gone) this.leave(record);
    if (this.losers === 0 && pass.takenIds.size === 0 && this.take(changed, pass)) return changed;
    this.takeAll(records, pass);
    return records.values();
  }

  /** Gives each of these its first choice. @returns false when one of them wants the name of another */
  private take(changed: readonly RouteRecord[], pass: Pass): boolean {
    for (const record of changed) this.release(record);
    for (const record of changed) {
      const choice = record.own ?? record.fallbacks(pass)[0] ?? null;
      if (choice !== null && this.names.has(nameKey(record, choice))) return false;
      this.settle(record, choice, null);
    }
    return true;
  }

  private takeAll(records: ReadonlyMap<string, RouteRecord>, pass: Pass): void {
    this.names.clear();
    this.losers = 0;
    for (const record of [...records.values()].sort(byAge)) {
      record.claim = null;
      const [choice, owner] = this.choose(record, pass);
      if (owner !== null) this.losers++;
      this.settle(record, choice, owner);
    }
  }

  private choose(record: RouteRecord, pass: Pass): readonly [choice: RouteChoice | null, owner: string | null] {
    if (record.tenant === null) return [null, null];
    if (pass.takenIds.has(routeIdOf(record.resource))) return [null, 'a route of the configuration'];
    const isFree = (choice: RouteChoice): boolean => !this.names.has(nameKey(record, choice));
    if (record.own !== null && isFree(record.own)) return [record.own, null];
    const first = record.own ?? record.fallbacks(pass)[0];
    const choice = record.fallbacks(pass).find(isFree) ?? null;
    const owner = first === undefined || first === choice ? undefined : this.names.get(nameKey(record, first));
    return [choice, owner === undefined ? null : `the Route ${owner.key}`];
  }

  private settle(record: RouteRecord, choice: RouteChoice | null, owner: string | null): void {
    const { key } = record;
    this.routes.replace(servedBy(record.chosen), servedBy(choice));
    record.chosen = choice;
    if (choice !== null) {
      record.claim = nameKey(record, choice);
      this.names.set(record.claim, record);
    }
    if (choice === null || choice.remembered === null) this.remembered.delete(key);
    else this.remembered.set(key, choice.remembered);
    this.verdicts.set(key, record.verdictOf(choice, owner));
  }

  private leave(record: RouteRecord): void {
    this.release(record);
    this.routes.replace(servedBy(record.chosen), null);
    record.chosen = null;
    this.remembered.delete(record.key);
    this.verdicts.delete(record.key);
  }

  private release(record: RouteRecord): void {
    if (record.claim !== null && this.names.get(record.claim) === record) this.names.delete(record.claim);
    record.claim = null;
  }
}

/** What those planes run that are to run it; what they only remember is with them. */
function servedBy(choice: RouteChoice | null): CompiledRoute | null {
  return choice === null || choice.remembered !== null ? null : choice.route;
}

function nameKey({ tenant }: RouteRecord, { identity }: RouteChoice): string {
  return JSON.stringify([tenant, identity.name]);
}

function byAge({ resource: a, key: one }: RouteRecord, { resource: b, key: other }: RouteRecord): number {
  return compareTexts(a.created, b.created) || compareTexts(one, other);
}
