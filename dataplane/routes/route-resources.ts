import type { Logger } from 'pino';
import { contentHash } from '../../contract/document/canonical.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { MayReach } from '../../contract/egress.ts';
import type { Problem } from '../../contract/problem.ts';
import { type Reach, tenantReach } from '../../contract/reach.ts';
import { isServiceKey, serviceLendName } from '../../contract/resources/service-reference.ts';
import { changedResources, type SharedResources, withNamedResources } from '../../contract/shared-resources.ts';
import type { ResourceChanges, RouteEntry, RouteKey, SharedObjects, SharedResource } from '../../contract/snapshot.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { HeldServices } from '../backends/endpoints/services/held-services.ts';
import { egressChanges } from '../engine/backend/egress-changes.ts';
import { BuildFailure, Heap } from '../heap/heap.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { kindOf } from '../heap/scope.ts';
import type { Survivors } from '../heap/survivors.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { HostCertificates } from '../tls/hosts/host-certificates.ts';
import { buildProblem } from './build-problem.ts';
import { checkShared } from './check-shared.ts';
import { type BuildShared, SharedFailure, SharedHeaps } from './shared-heaps.ts';
import type { Tenancy } from './tenancy.ts';

export interface RouteResourcesOptions {
  readonly catalogue: TypeCatalogue;
  readonly survivors: Survivors;
  readonly log: Logger;
  /** Zone of the data plane; absent where it is not known. */
  readonly zone?: string;
  reading(documents: readonly JsonObject[], reach: Reach): Reading;
  /** Gets the certificates of tenants' hosts; by default one of its own. */
  readonly hostCertificates?: HostCertificates;
  /** What the objects of a tenant get. */
  services(reach: Reach, egress: MayReach): PlaneServices;
}

/** A resource that could not be built, told of a route that uses it: the version before it stays in force. */
export interface ResourceProblem {
  readonly route: RouteKey;
  readonly problems: readonly Problem[];
  readonly keepsServing: true;
  /** Key of the resource. */
  readonly resource: string;
}

/** The shared objects that one route names. */
export interface NamedResources {
  /** Resources that the route names and that are not held. */
  readonly missing: readonly Problem[];
  /** The type of the object that a name of the route stands for; null for none. */
  lend(kind: unknown, name: string): string | null;
  /** Finds a Service that the route names. */
  readonly service: NonNullable<PlaneServices['service']>;
  /** Puts the objects into the heap of the route, which gives them back when it is closed. @throws SharedFailure */
  lendTo(heap: Heap, tenancy: Tenancy, parent: Heap): void;
}

const NOTHING_NAMED: NamedResources = { missing: [], lend: () => null, service: () => null, lendTo: () => {} };

/** The shared resources of one unit, and the objects that its routes use of them. */
export class RouteResources {
  /** By key. */
  held: SharedResources = new Map();
  readonly heaps: SharedHeaps;
  private readonly certificates: HostCertificates;
  private readonly options: RouteResourcesOptions;
  private readonly services: HeldServices;

  constructor(options: RouteResourcesOptions) {
    this.options = options;
    this.certificates = options.hostCertificates ?? new HostCertificates();
    this.heaps = new SharedHeaps(this.build, options.log);
    this.services = new HeldServices(() => this.held, options.zone ?? null);
  }

  /** Has changes take effect in the routes on this heap. @returns what stays as it was, for each route that uses it */
  change(changes: ResourceChanges | undefined, parent: Heap | null): readonly ResourceProblem[] {
    const before = this.held;
    this.held = changedResources(before, changes);
    if (changes === undefined || this.held === before) return [];
    const forbids = (key: string): boolean => [before, this.held].some((all) => isForbidding(all.get(key)));
    if ([...changes.remove, ...changes.set.map(({ key }) => key)].some(forbids)) egressChanges.count++;
    return (parent === null ? [] : this.heaps.renew(changes.set, parent)).flatMap(({ resource, problems, routes }) =>
      routes.map((route) => ({ route, problems, keepsServing: true as const, resource })),
    );
  }

  /** Keeps the resources of before that routes name, hands certificates to connectors, and tells of changed endpoints. */
  settle(before: SharedResources, byRouter: Iterable<ReadonlyMap<string, RouteEntry>>, { grants }: Tenancy): void {
    if (before !== this.held) this.held = withNamedResources(this.held, before, everyEntry(byRouter));
    this.certificates.use(this.held, grants);
    this.services.tell();
  }

  /** What a route names. */
  namedBy({ router, id, tenant, resources }: RouteEntry): NamedResources {
    if (resources === undefined) return NOTHING_NAMED;
    const named = new Map<string, SharedObjects>();
    const missing: Problem[] = [];
    for (const [name, key] of Object.entries(resources)) {
      const resource = this.held.get(key);
      if (resource?.type === 'objects') named.set(name, resource);
      else if (!isServiceKey(key)) missing.push(missingResource(key)); // a Service may have no endpoints yet
    }
    return {
      missing,
      lend: (_, name) => typeOf(named.get(name)),
      service: (use) => {
        const key = resources[serviceLendName(use)];
        return key === undefined ? null : this.services.at(key);
      },
      lendTo: (heap, tenancy, parent) => {
        if (tenant === undefined) return;
        for (const [name, resource] of named) {
          const owner = { tenancy, tenant, parent };
          const { object, key, release } = this.heaps.take(resource, owner, { router, id });
          heap.lend(name, object, key, release);
        }
      },
    };
  }

  private readonly build: BuildShared = (resource, { tenancy, tenant, parent }) => {
    const { key, files } = resource;
    const { catalogue, survivors } = this.options;
    const { sharedObjects } = tenancy;
    const reach = tenantReach(files);
    const reading = this.options.reading([], reach);
    const check = { catalogue, reading, tenant: { sharedObjects }, report: (): void => {} };
    const { scope, object, problems } = checkShared(resource, parent.scope, check);
    if (object === null) throw new SharedFailure(key, problems);
    const heap = new Heap(scope, parent, this.options.services(reach, tenancy.egressOf(tenant)), {
      realm: tenant,
      survivors,
      owner: JSON.stringify([tenancy.id, tenant, key]),
      files: contentHash(files),
    });
    try {
      heap.buildAll();
      return { heap, object: heap.get(object), kind: kindOf(object) };
    } catch (error) {
      void heap.close();
      if (!(error instanceof BuildFailure)) throw error;
      throw new SharedFailure(key, [buildProblem(error)]);
    }
  };
}

function* everyEntry(byRouter: Iterable<ReadonlyMap<string, RouteEntry>>): Generator<RouteEntry> {
  for (const entries of byRouter) yield* entries.values();
}

function isForbidding(resource: SharedResource | undefined): boolean {
  return resource?.type === 'forbidden-addresses';
}

/** The type of the object that routes refer to. */
function typeOf(resource: SharedObjects | undefined): string | null {
  const type = resource?.objects[0]?.['type'];
  return typeof type === 'string' ? type : null;
}

function missingResource(key: string): Problem {
  const message = `the data plane does not hold the shared resource ${key}`;
  return { code: 'reference', severity: 'error', path: [], message };
}
