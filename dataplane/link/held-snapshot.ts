import { changedResources, type SharedResources, withNamedResources } from '../../contract/shared-resources.ts';
import { type RouteKey, routeKeyText } from '../../contract/snapshot.ts';
import { routeScopeName } from '../routes/route-scope.ts';
import type { PlacedRoute, PlacedUpdate } from '../unit/placed-update.ts';

/** The whole of what a plane was told, so that a unit that starts later gets it in one piece. */
export class HeldSnapshot {
  private revision = '';
  private base: PlacedUpdate['base'] = null;
  private defaultSlots: PlacedUpdate['defaultSlots'] = {};
  private resources: SharedResources = new Map();
  /** The resources before the last update, which routes that are restored may name. */
  private earlier: SharedResources = new Map();
  private readonly entries = new Map<string, PlacedRoute>();

  /** Takes in what changed. @returns the qualified names of the routes that are gone, or go by another name now. */
  take({ revision, base, set, remove, defaultSlots, resources }: PlacedUpdate): string[] {
    this.revision = revision;
    this.base = base ?? this.base;
    this.defaultSlots = defaultSlots;
    const before = [...remove, ...set].flatMap((one) => this.entries.get(routeKeyText(one)) ?? []);
    for (const one of remove) this.entries.delete(routeKeyText(one));
    for (const entry of set) this.entries.set(routeKeyText(entry), entry);
    this.earlier = this.resources;
    this.resources = changedResources(this.resources, resources);
    return before.filter((one) => this.entries.get(routeKeyText(one))?.name !== one.name).map(routeScopeName);
  }

  /** What puts all back that an update is about to change, but shared resources: units keep those. */
  undoing({ set, remove }: PlacedUpdate): () => void {
    const { revision, base, defaultSlots } = this;
    const before = [...set, ...remove].map((one) => this.restoring(one));
    return () => {
      Object.assign(this, { revision, base, defaultSlots });
      for (const restore of before) restore();
    };
  }

  /** What puts one route back as it is now. */
  restoring(key: RouteKey): () => void {
    const text = routeKeyText(key);
    const entry = this.entries.get(text);
    return () => {
      if (entry === undefined) this.entries.delete(text);
      else this.entries.set(text, entry);
    };
  }

  /** Puts a resource back as it was before the last update. */
  restoreResource(key: string): void {
    const before = this.earlier.get(key);
    if (before !== undefined) this.resources = new Map(this.resources).set(key, before);
  }

  /** Keeps the resources that routes name which were restored. */
  keepNamed(): void {
    this.resources = withNamedResources(this.resources, this.earlier, this.entries.values());
    this.earlier = this.resources;
  }

  /** An update that says everything. */
  whole(): PlacedUpdate {
    const { revision, base, defaultSlots } = this;
    const resources = { set: [...this.resources.values()], remove: [] };
    return { revision, base, set: [...this.entries.values()], remove: [], defaultSlots, resources };
  }

  get routes(): Iterable<PlacedRoute> {
    return this.entries.values();
  }

  get routeCount(): number {
    return this.entries.size;
  }

  /** The routers that count what none of their routes takes, with where they do. */
  get defaults(): readonly (readonly [router: string, slot: number])[] {
    return Object.entries(this.defaultSlots);
  }
}
