import type { SharedResources } from '../../../contract/shared-resources.ts';
import {
  type BaseEntry,
  type GroupSessionKeys,
  type RemovedRoute,
  type ResourceChanges,
  type RouteKey,
  routeKeyFrom,
  SESSION_KEYS,
  type SharedResource,
} from '../../../contract/snapshot.ts';
import { LayeredMap } from '../../../platform/layered-map.ts';
import type { CompiledRoute } from '../../compile/snapshot.ts';
import type { RememberedRoute } from '../published-state.ts';
import { type EntryLengths, UpdateParts } from './update-parts.ts';

/** Entry of a view under one key: a route, or a route known only by its hash. */
export type ViewEntry =
  | { readonly key: string; readonly route: CompiledRoute; readonly remembered: null }
  | { readonly key: string; readonly route: null; readonly remembered: RememberedRoute };

/** The rest of a view: what is the same for all of its routes. */
export interface ViewFrame {
  readonly revision: string;
  readonly base: BaseEntry;
  readonly defaults: readonly string[];
  readonly seen: string | null;
  /** All of them: a view leaves out the objects and certificates that none of its routes names. */
  readonly resources: SharedResources;
  /** By the key of a certificate, the routes, by key, that name it. */
  readonly certificateUsers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The session keys of its planes; null for none, and planes keep those that they have. */
  readonly sessionKeys: GroupSessionKeys | null;
  /** Which version of a resource to name when its route goes. */
  goneAt(uid: string): string | null;
}

/** An update that is ready to be sent, to one plane or to many. */
export interface PreparedUpdate {
  /** The version of the view that a plane is at when it runs this. */
  readonly version: number;
  readonly revision: string;
  readonly full: boolean;
  readonly baseHash: string;
  /** What runs under each key that it mentions; null when nothing does. */
  readonly changes: ReadonlyMap<string, string | null>;
  /** Hash of each shared resource that it mentions; null when it goes. */
  readonly resources: ReadonlyMap<string, string | null>;
  /** What the plane is to keep as it has it. */
  readonly keeps: ReadonlySet<string>;
  /** Hash of every route of a plane that took all of it, by key; null where that differs from plane to plane. */
  readonly running: LayeredMap<string> | null;
  readonly parts: UpdateParts;
}

/** State that a data plane is known to run. */
export interface KnownState {
  readonly running: ReadonlyMap<string, string>;
  readonly baseHash: string | null;
  /** Hash of every shared resource that it holds, by key. */
  readonly resources: ReadonlyMap<string, string>;
}

interface Step {
  readonly version: number;
  readonly keys: ReadonlySet<string>;
  readonly changesBase: boolean;
  /** Keys of shared resources that are new, changed or gone. */
  readonly resources: ReadonlySet<string>;
  /** Where routes that went came from, for planes that have to know. */
  readonly gone: ReadonlyMap<string, CompiledRoute | null>;
}

/** How many changes a view remembers, so that planes a little behind need not be compared route by route. */
const REMEMBERED_STEPS = 512;
const REMEMBERED_KEYS = 20_000;

/** View shared by all data planes that no selector distinguishes. Each change of it is a version, counted from 1. */
export class PlaneView {
  version = 0;
  readonly entries = new Map<string, ViewEntry>();
  private readonly lengths: EntryLengths;
  /** How many routes of the view name a shared resource, by its key. */
  private readonly named = new Map<string, number>();
  private frame: ViewFrame | null = null;
  private steps: Step[] = [];
  private rememberedKeys = 0;
  private rememberedRoutes = 0;
  /** Hash of every route, by key. */
  private hashes = LayeredMap.of(new Map<string, string>());
  private readonly deltas = new Map<number, PreparedUpdate>();
  private full: WeakRef<PreparedUpdate> | null = null;

  constructor(lengths: EntryLengths) {
    this.lengths = lengths;
  }

  /** The revision at which it changed last; null before there is one. */
  get revision(): string | null {
    return this.frame?.revision ?? null;
  }

  /** Hash of every route of a plane that runs all of it, by key; null where that differs from plane to plane. */
  get running(): LayeredMap<string> | null {
    return this.rememberedRoutes === 0 ? this.hashes : null;
  }

  /** Qualified names of the routers whose default handlers are counted. */
  get defaults(): readonly string[] {
    return this.frame?.defaults ?? [];
  }

  /**
   * Changes what planes are to run. Without a change that concerns them, nothing happens and the revision stays.
   * @param changes by key; null for what goes
   */
  change(given: ViewFrame, changes: ReadonlyMap<string, ViewEntry | null>): void {
    const keys = new Set<string>();
    const gone = new Map<string, CompiledRoute | null>();
    this.hashes = hashesAfter(this.hashes, changes);
    for (const [key, entry] of changes) {
      const before = this.entries.get(key);
      this.count(before?.route ?? null, -1);
      this.count(entry?.route ?? null, 1);
      if (entry === null) {
        if (before === undefined) continue;
        this.entries.delete(key);
        gone.set(key, before.route);
      } else {
        this.entries.set(key, entry);
        if (before !== undefined && isSame(before, entry)) continue;
      }
      this.rememberedRoutes += (entry?.route === null ? 1 : 0) - (before?.route === null ? 1 : 0);
      keys.add(key);
    }
    const frame = { ...given, resources: this.needed(given) };
    const changesBase = frame.base.hash !== this.frame?.base.hash;
    const resources = differing(this.frame?.resources ?? new Map(), frame.resources);
    const isSameSet = keys.size === 0 && resources.size === 0 && !changesBase;
    const isIdle = isSameSet && sameTexts(frame.defaults, this.frame?.defaults ?? null);
    if (isIdle && this.frame !== null) {
      this.frame = { ...frame, revision: this.frame.revision };
      return;
    }
    this.frame = frame;
    this.version++;
    this.deltas.clear();
    this.remember({ version: this.version, keys, changesBase, resources, gone });
  }

  private count(route: CompiledRoute | null, by: 1 | -1): void {
    for (const key of new Set(Object.values(route?.resources ?? {}))) {
      const count = (this.named.get(key) ?? 0) + by;
      if (count === 0) this.named.delete(key);
      else this.named.set(key, count);
    }
  }

  /** The resources that its planes get: objects, Services and certificates only if a route of theirs names them. */
  private needed({ resources, certificateUsers, sessionKeys }: ViewFrame): SharedResources {
    const isNamed = (key: string, type: SharedResource['type']): boolean => {
      if (type === 'objects' || type === 'service-endpoints') return this.named.has(key);
      if (type !== 'server-certificate') return true;
      return [...(certificateUsers.get(key) ?? [])].some((route) => this.entries.has(route));
    };
    const own = [...resources].filter(([key, { type }]) => isNamed(key, type));
    return new Map(sessionKeys === null ? own : [...own, [sessionKeys.key, sessionKeys]]);
  }

  /** What brings a plane from an earlier version to this one; null when that is too long ago. */
  since(version: number, known: KnownState): PreparedUpdate | null {
    const first = this.steps[0];
    if (first === undefined || version < first.version - 1 || version > this.version) return null;
    const ready = this.deltas.get(version);
    if (ready !== undefined) return ready;
    const steps = this.steps.filter((step) => step.version > version);
    const keys = new Set<string>();
    for (const step of steps) for (const key of step.keys) keys.add(key);
    // What is remembered depends on what each plane holds, so that such an update is nobody else's.
    const isShared = ![...keys].some((key) => this.entries.get(key)?.route === null);
    const changesBase = steps.some((step) => step.changesBase);
    const gone = new Map(steps.flatMap((step) => [...step.gone]));
    const resources = new Set(steps.flatMap((step) => [...step.resources]));
    const made = this.compose(keys, isShared ? null : known.running, changesBase, gone, resources);
    if (isShared) this.deltas.set(version, made);
    return made;
  }

  /** What brings a plane from what it is known to run to this version. */
  from(known: KnownState): PreparedUpdate {
    if (known.running.size === 0 && known.baseHash === null) return this.whole();
    const { base, resources } = this.current;
    const keys = new Set([...this.entries.keys(), ...known.running.keys()]);
    const differ = differing(known.resources, resources);
    return this.compose(keys, known.running, known.baseHash !== base.hash, new Map(), differ);
  }

  /** Everything, for a plane of which it is not known what it runs. What it holds of remembered routes stays. */
  everything(known: KnownState): PreparedUpdate {
    if (this.rememberedRoutes === 0) return this.whole();
    const { resources } = this.current;
    return this.compose(new Set(this.entries.keys()), known.running, true, new Map(), new Set(resources.keys()), true);
  }

  /** Everything, for planes that hold nothing: shared while somebody has it, and never older than the view. */
  private whole(): PreparedUpdate {
    const ready = this.full?.deref();
    if (ready?.version === this.version) return ready;
    const { resources } = this.current;
    const made = this.compose(new Set(this.entries.keys()), null, true, new Map(), new Set(resources.keys()), true);
    this.full = new WeakRef(made);
    return made;
  }

  private get current(): ViewFrame {
    if (this.frame === null) throw new Error('nothing has been published');
    return this.frame;
  }

  /** @param running what the plane holds; null for an update that planes share */
  private compose(
    keys: ReadonlySet<string>,
    running: ReadonlyMap<string, string> | null,
    sendsBase: boolean,
    gone: ReadonlyMap<string, CompiledRoute | null>,
    differ: ReadonlySet<string>,
    full = false,
  ): PreparedUpdate {
    const { revision, base, defaults, seen } = this.current;
    const resources = this.resourceChanges(differ);
    const content = { revision, full, base: sendsBase ? base : null, defaults, seen, resources };
    const set: CompiledRoute[] = [];
    const remove: RemovedRoute[] = [];
    const keep: (RouteKey & { readonly hash: string })[] = [];
    const keeps = new Set<string>();
    const changes = new Map<string, string | null>();
    for (const key of keys) {
      const entry = this.entries.get(key);
      if (entry?.remembered && running?.get(key) === entry.remembered.hash) {
        const { router, id, hash } = entry.remembered;
        keep.push({ router, id, hash });
        keeps.add(key);
        continue;
      }
      const wanted = entry?.route ?? entry?.remembered?.fallback ?? null;
      if (wanted !== null) {
        if (!full && running?.get(key) === wanted.hash) continue;
        set.push(wanted);
        changes.set(entry?.key ?? key, wanted.hash);
      } else if (!full && (running === null || running.has(key))) {
        remove.push(this.removed(key, gone.get(key) ?? null));
        changes.set(key, null);
      }
    }
    const parts = new UpdateParts({ ...content, set, remove, keep }, this.lengths);
    const hashes = new Map([...differ].map((key) => [key, this.current.resources.get(key)?.hash ?? null]));
    return {
      version: this.version,
      revision,
      full,
      baseHash: base.hash,
      changes,
      resources: hashes,
      keeps,
      running: this.running,
      parts,
    };
  }

  private resourceChanges(keys: ReadonlySet<string>): ResourceChanges | null {
    if (keys.size === 0) return null;
    const { resources } = this.current;
    const all = [...keys].flatMap((key) => resources.get(key) ?? []);
    // older planes read those of the first part only, and know no objects
    const set = [...all.filter(({ type }) => type !== 'objects'), ...all.filter(({ type }) => type === 'objects')];
    return { set, remove: [...keys].filter((key) => !resources.has(key)) };
  }

  private removed(key: string, route: CompiledRoute | null): RemovedRoute {
    const { router, id } = routeKeyFrom(key);
    const uid = route?.sources?.[0]?.uid;
    const resourceVersion = uid === undefined ? null : this.current.goneAt(uid);
    return uid === undefined || resourceVersion === null
      ? { router, id }
      : { router, id, source: { uid, resourceVersion } };
  }

  private remember(step: Step): void {
    this.steps.push(step);
    this.rememberedKeys += step.keys.size;
    while (this.steps.length > 1 && (this.steps.length > REMEMBERED_STEPS || this.rememberedKeys > REMEMBERED_KEYS)) {
      this.rememberedKeys -= this.steps.shift()?.keys.size ?? 0;
    }
  }
}

function hashesAfter(before: LayeredMap<string>, changes: ReadonlyMap<string, ViewEntry | null>): LayeredMap<string> {
  const hashes = [...changes].map(([key, entry]) => [entry?.key ?? key, entry?.route?.hash ?? null] as const);
  if (before.size > 0) return before.with(hashes);
  return LayeredMap.of(new Map(hashes.filter((one): one is [string, string] => one[1] !== null)));
}

/** Whether a plane need not hear of it. A generation counts although it changes nothing: it tells older from newer. */
function isSame(a: ViewEntry, b: ViewEntry): boolean {
  if (a.route !== null && b.route !== null) {
    return a.route === b.route || (a.route.hash === b.route.hash && a.route.generation === b.route.generation);
  }
  return (
    a.remembered !== null &&
    b.remembered !== null &&
    a.remembered.hash === b.remembered.hash &&
    a.remembered.fallback?.hash === b.remembered.fallback?.hash
  );
}

/** Keys of what is on one side only, or with another hash. */
function differing(
  before: ReadonlyMap<string, string | { readonly hash: string }>,
  after: SharedResources,
): ReadonlySet<string> {
  const hashOf = (one: string | { readonly hash: string } | undefined): string | undefined =>
    typeof one === 'string' ? one : one?.hash;
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  // session keys that this controller does not have at the moment are still those of the planes
  const isKept = (key: string): boolean => key === SESSION_KEYS && !after.has(key);
  return new Set(keys.filter((key) => hashOf(before.get(key)) !== after.get(key)?.hash && !isKept(key)));
}

function sameTexts(a: readonly string[], b: readonly string[] | null): boolean {
  return b !== null && a.length === b.length && a.every((text, index) => text === b[index]);
}
