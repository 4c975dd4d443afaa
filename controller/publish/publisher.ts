import { type ResourceChanges, type RouteKey, routeKeyText, type Update } from '../../contract/snapshot.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';

/** Turns snapshots into what has to change. */
export class Publisher {
  private revision: string | null = null;
  private base: string | null = null;
  private sent = new Map<string, CompiledRoute>();
  private resources = new Map<string, string>();
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
    const resources = this.resourceChanges(snapshot);
    return {
      revision: snapshot.revision,
      base,
      set,
      remove,
      defaults: snapshot.defaults,
      ...(resources === null ? {} : { resources }),
    };
  }

  private resourceChanges({ resources = [] }: Snapshot): ResourceChanges | null {
    const before = this.resources;
    this.resources = new Map(resources.map(({ key, hash }) => [key, hash]));
    const set = resources.filter(({ key, hash }) => before.get(key) !== hash);
    const remove = [...before.keys()].filter((key) => !this.resources.has(key));
    return set.length + remove.length === 0 ? null : { set, remove };
  }

  private keyOf(route: CompiledRoute): string {
    const known = this.keys.get(route);
    if (known !== undefined) return known;
    const made = routeKeyText(route);
    this.keys.set(route, made);
    return made;
  }
}
