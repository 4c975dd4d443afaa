import type { RouteEntry, RouteKey, Update } from '../../contract/snapshot.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';
import { SlotLedger } from './slot-ledger.ts';

/** Turns snapshots into what has to change. */
export class Publisher {
  private readonly slots = new SlotLedger();
  private revision: string | null = null;
  private base: string | null = null;
  private sent = new Map<string, CompiledRoute>();
  private readonly names = new WeakMap<CompiledRoute, Names>();

  /** What brings a plane from the last snapshot to this one; null when they are the same. The first is everything. */
  update(snapshot: Snapshot): Update | null {
    if (snapshot.revision === this.revision) return null;
    const routes = new Map<string, CompiledRoute>();
    const owners = new Set(snapshot.defaults.map(defaultOwner));
    const changed: CompiledRoute[] = [];
    for (const route of snapshot.routes) {
      const { key, owner } = this.namesOf(route);
      routes.set(key, route);
      owners.add(owner);
      const before = this.sent.get(key);
      if (before !== route && before?.hash !== route.hash) changed.push(route);
    }
    this.slots.keep(owners);
    const set = changed.map((route): RouteEntry => ({ ...route, slot: this.slots.take(this.namesOf(route).owner) }));
    const remove: RouteKey[] = [...this.sent]
      .filter(([key]) => !routes.has(key))
      .map(([, { router, id }]) => ({ router, id }));
    const defaultSlots = Object.fromEntries(
      snapshot.defaults.map((router) => [router, this.slots.take(defaultOwner(router))]),
    );
    const base = snapshot.base.hash === this.base ? null : snapshot.base;
    this.revision = snapshot.revision;
    this.base = snapshot.base.hash;
    this.sent = routes;
    return { revision: snapshot.revision, base, set, remove, defaultSlots };
  }

  private namesOf(route: CompiledRoute): Names {
    const known = this.names.get(route);
    if (known !== undefined) return known;
    const { router, id, name } = route;
    const made = { key: JSON.stringify([router, id]), owner: JSON.stringify([router, id, name]) };
    this.names.set(route, made);
    return made;
  }

  /** Every plane runs the last update, so that nobody counts any more in what it took away. */
  confirmed(): void {
    this.slots.release();
  }
}

/** What a route is told apart by. */
interface Names {
  /** By router and id. */
  readonly key: string;
  /** Also by name: under another one it is counted anew. */
  readonly owner: string;
}

function defaultOwner(router: string): string {
  return JSON.stringify([router]);
}
