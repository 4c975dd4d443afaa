import type { RouteEntry, Update } from '../../contract/snapshot.ts';

/** The whole of what a plane was told, so that a unit that starts later gets it in one piece. */
export class HeldSnapshot {
  private revision = '';
  private base: Update['base'] = null;
  private defaultSlots: Update['defaultSlots'] = {};
  private readonly entries = new Map<string, RouteEntry>();

  /** Takes in what changed. @returns the qualified names of the routes that are gone, or go by another name now. */
  take({ revision, base, set, remove, defaultSlots }: Update): string[] {
    this.revision = revision;
    this.base = base ?? this.base;
    this.defaultSlots = defaultSlots;
    const before = [...remove, ...set].flatMap(({ router, id }) => this.entries.get(key(router, id)) ?? []);
    for (const { router, id } of remove) this.entries.delete(key(router, id));
    for (const entry of set) this.entries.set(key(entry.router, entry.id), entry);
    return before
      .filter(({ router, id, name }) => this.entries.get(key(router, id))?.name !== name)
      .map(({ router, name }) => `${router}.${name}`);
  }

  /** An update that says everything. */
  whole(): Update {
    const { revision, base, defaultSlots } = this;
    return { revision, base, set: [...this.entries.values()], remove: [], defaultSlots };
  }

  get routes(): Iterable<RouteEntry> {
    return this.entries.values();
  }

  /** The routers that count what none of their routes takes, with where they do. */
  get defaults(): readonly (readonly [router: string, slot: number])[] {
    return Object.entries(this.defaultSlots);
  }
}

function key(router: string, id: string): string {
  return JSON.stringify([router, id]);
}
