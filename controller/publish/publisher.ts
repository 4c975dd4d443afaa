import type { RouteEntry, RouteKey, Update } from '../../contract/snapshot.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';
import { SlotLedger } from './slot-ledger.ts';

/** Turns snapshots into what has to change. */
export class Publisher {
  private readonly slots = new SlotLedger();
  private revision: string | null = null;
  private base: string | null = null;
  private sent = new Map<string, CompiledRoute>();

  /** What brings a plane from the last snapshot to this one; null when they are the same. The first is everything. */
  update(snapshot: Snapshot): Update | null {
    if (snapshot.revision === this.revision) return null;
    const routes = new Map(snapshot.routes.map((route) => [keyOf(route), route]));
    const owners = new Set([...snapshot.routes.map(ownerOf), ...snapshot.defaults.map(defaultOwner)]);
    this.slots.keep(owners);
    const set = snapshot.routes
      .filter((route) => this.sent.get(keyOf(route))?.hash !== route.hash)
      .map((route): RouteEntry => ({ ...route, slot: this.slots.take(ownerOf(route)) }));
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

  /** Every plane runs the last update, so that nobody counts any more in what it took away. */
  confirmed(): void {
    this.slots.release();
  }
}

function keyOf({ router, id }: RouteKey): string {
  return JSON.stringify([router, id]);
}

function ownerOf({ router, id, name }: CompiledRoute): string {
  return JSON.stringify([router, id, name]);
}

function defaultOwner(router: string): string {
  return JSON.stringify([router]);
}
