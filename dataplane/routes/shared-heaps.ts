import type { Logger } from 'pino';
import type { Problem } from '../../contract/problem.ts';
import { type RouteKey, routeKeyText, type SharedObjects, type SharedResource } from '../../contract/snapshot.ts';
import type { Heap } from '../heap/heap.ts';
import type { BuiltKind } from '../heap/kinds.ts';
import { type Replaceable, replaceable } from '../heap/replaceable.ts';
import type { Tenancy } from './tenancy.ts';

/** Shared objects cannot be built. Paths begin at the resource. */
export class SharedFailure extends Error {
  override readonly name = 'SharedFailure';
  readonly problems: readonly Problem[];

  constructor(key: string, problems: readonly Problem[]) {
    super(`the shared resource '${key}' cannot be built`);
    this.problems = problems.map((problem) => ({ ...problem, path: [], message: `${key}: ${problem.message}` }));
  }
}

/** Shared objects that were built for one tenant. */
export interface BuiltShared {
  readonly heap: Heap;
  /** The object that routes refer to. */
  readonly object: unknown;
  readonly kind: BuiltKind;
}

/** Whose shared objects they are, and what they are built on. */
export interface SharedOwner {
  readonly tenancy: Tenancy;
  readonly tenant: string;
  /** The heap that the routes of the tenant inherit from. */
  readonly parent: Heap;
}

/** Builds the objects of a resource. @throws SharedFailure */
export type BuildShared = (resource: SharedObjects, owner: SharedOwner) => BuiltShared;

/** A shared object in the hands of one route. */
export interface SharedLease {
  readonly object: unknown;
  /** Names it among all objects, whatever version of the resource it is made from. */
  readonly key: string;
  release(): void;
}

/** Problem of a changed resource that cannot be built: its previous version stays in force. */
export interface FailedShared {
  readonly resource: string;
  readonly problems: readonly Problem[];
  /** The routes that use it. */
  readonly routes: readonly RouteKey[];
}

interface Version extends BuiltShared {
  readonly hash: string;
  readonly parent: Heap;
}

interface Entry {
  readonly owner: SharedOwner;
  readonly resource: string;
  readonly stand: Replaceable;
  readonly holders: Map<object, RouteKey>;
  current: Version;
  /** Built on the heap of a base that does not serve yet. */
  staged: Version | null;
}

/**
 * The shared objects that routes use, built once for each tenant. Routes hold what stands for an object, so that a
 * changed resource takes effect without building a route.
 */
export class SharedHeaps {
  private readonly build: BuildShared;
  private readonly log: Logger;
  private readonly entries = new Map<string, Entry>();

  constructor(build: BuildShared, log: Logger) {
    this.build = build;
    this.log = log;
  }

  /** Holds the object of a resource for a route. @throws SharedFailure */
  take(resource: SharedObjects, owner: SharedOwner, route: RouteKey): SharedLease {
    const id = JSON.stringify([owner.tenancy.id, owner.tenant, resource.key]);
    const entry = this.entries.get(id) ?? this.made(id, resource, owner);
    if (entry.current.parent !== owner.parent && entry.staged?.parent !== owner.parent) {
      if (entry.staged !== null) void entry.staged.heap.close();
      entry.staged = this.version(resource, owner);
    }
    const holder = {};
    entry.holders.set(holder, route);
    return {
      object: entry.stand.object,
      key: `shared ${id}`,
      release: () => {
        if (!entry.holders.delete(holder) || entry.holders.size > 0) return;
        this.entries.delete(id);
        void entry.current.heap.close();
        if (entry.staged !== null) void entry.staged.heap.close();
      },
    };
  }

  /** Has changed resources take effect. A resource that cannot be built stays as it was. */
  renew(changed: Iterable<SharedResource>, parent: Heap): readonly FailedShared[] {
    const failed: FailedShared[] = [];
    for (const resource of changed) {
      if (resource.type !== 'objects') continue;
      for (const entry of this.entries.values()) {
        const { current, owner } = entry;
        if (entry.resource !== resource.key || current.parent !== parent || current.hash === resource.hash) continue;
        try {
          this.use(entry, this.version(resource, { ...owner, parent }));
        } catch (error) {
          if (!(error instanceof SharedFailure)) throw error;
          const routes = new Map([...entry.holders.values()].map((route) => [routeKeyText(route), route]));
          failed.push({ resource: resource.key, problems: error.problems, routes: [...routes.values()] });
        }
      }
    }
    return failed;
  }

  /** A base serves from now on: so do the objects that were built on its heap. */
  settle(parent: Heap): void {
    for (const entry of this.entries.values()) {
      const { staged } = entry;
      if (staged === null || staged.parent !== parent) continue;
      entry.staged = null;
      this.use(entry, staged);
    }
  }

  /** A base could not be built: nothing that was built on its heap is used. */
  drop(parent: Heap): void {
    for (const entry of this.entries.values()) {
      if (entry.staged?.parent !== parent) continue;
      void entry.staged.heap.close();
      entry.staged = null;
    }
  }

  private made(id: string, resource: SharedObjects, owner: SharedOwner): Entry {
    const current = this.version(resource, owner);
    const stand = replaceable(current.kind, resource.key, current.object, this.log);
    if (stand === null) {
      void current.heap.close();
      const message = 'objects of this kind cannot be shared between routes';
      throw new SharedFailure(resource.key, [{ code: 'kind', severity: 'error', path: [], message }]);
    }
    const entry = { owner, resource: resource.key, stand, holders: new Map(), current, staged: null };
    this.entries.set(id, entry);
    return entry;
  }

  private use(entry: Entry, next: Version): void {
    const before = entry.current;
    entry.current = next;
    entry.stand.replace(next.object);
    void before.heap.close();
  }

  private version(resource: SharedObjects, owner: SharedOwner): Version {
    return { ...this.build(resource, owner), hash: resource.hash, parent: owner.parent };
  }
}
