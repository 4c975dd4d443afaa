import { type RouteKey, routeKeyText, type Update } from '../../contract/snapshot.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';

/** Turns snapshots into what has to change. */
export class Publisher {
  private revision: string | null = null;
  private base: string | null = null;
  private sent = new Map<string, CompiledRoute>();
  private readonly keys = new WeakMap<CompiledRoute, string>();

  /** What brings a plane from the last snapshot to this one; null when they are the same. The first is everything. */
  update(snapshot: Snapshot): Update | null {
    if (snapshot.revision === this.revision) return null;
    const routes = new Map<string, CompiledRoute>();
    const set: CompiledRoute[] = [];
    for (const route of snapshot.routes) {
      const key = this.keyOf(route);
      routes.set(key, route);
      const before = this.sent.get(key);
      if (before !== route && before?.hash !== route.hash) set.push(route);
    }
    const remove: RouteKey[] = [...this.sent]
      .filter(([key]) => !routes.has(key))
      .map(([, { router, id }]) => ({ router, id }));
    const base = snapshot.base.hash === this.base ? null : snapshot.base;
    this.revision = snapshot.revision;
    this.base = snapshot.base.hash;
    this.sent = routes;
    return { revision: snapshot.revision, base, set, remove, defaults: snapshot.defaults };
  }

  private keyOf(route: CompiledRoute): string {
    const known = this.keys.get(route);
    if (known !== undefined) return known;
    const made = routeKeyText(route);
    this.keys.set(route, made);
    return made;
  }
}
