import { contentHash } from '../../contract/document/canonical.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { MayReach } from '../../contract/egress.ts';
import type { Problem } from '../../contract/problem.ts';
import { type Reach, tenantReach } from '../../contract/reach.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { Auditing } from '../audit/service/audited.ts';
import { confinedRoute } from '../engine/message/confined.ts';
import type { Next } from '../engine/message/exchange.ts';
import { BuildFailure, Heap, type HeapOptions } from '../heap/heap.ts';
import type { AuditService } from '../heap/objects/audit-service.ts';
import type { RouteSessions, SessionManager } from '../heap/objects/sessions.ts';
import type { ClaimedPlace, PlaneServices } from '../heap/plane-services.ts';
import type { Scope } from '../heap/scope.ts';
import type { Survivors } from '../heap/survivors.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { TenantSessions } from '../sessions/tenant-sessions.ts';
import type { PlacedRoute } from '../unit/placed-update.ts';
import { buildProblem } from './build-problem.ts';
import { checkRoute } from './check-document.ts';
import type { CheckedDocument } from './checked-document.ts';
import { readingText } from './document-reading.ts';
import { makeRoute, type Route, refusingRoute } from './route.ts';
import type { RouteFigures } from './route-figures.ts';
import type { RouteResources } from './route-resources.ts';
import { routeScopeName } from './route-scope.ts';
import { SharedFailure } from './shared-heaps.ts';
import type { Tenancy } from './tenancy.ts';

export interface RouteBuilderOptions {
  readonly catalogue: TypeCatalogue;
  readonly reach: Reach;
  readonly survivors: Survivors;
  readonly shared: RouteResources;
  readonly dispatcher: NonNullable<HeapOptions['dispatcher']>;
  figures(slot: number): RouteFigures;
  reading(documents: readonly JsonObject[], reach: Reach): Reading;
  /** What the objects of an operator's route get. */
  operatorServices(): PlaneServices;
  /** What the objects of a tenant's route get. */
  tenantServices(reach: Reach, egress: MayReach): PlaneServices;
  /** Hears of a request that failed. */
  failed(route: string, error: unknown): void;
}

/** What came of building a route. */
export type RouteResult =
  | { readonly route: Route }
  | {
      readonly route: null;
      readonly problems: readonly Problem[];
      /** What refuses its requests in its place; null when it is not known which those are. */
      readonly refusing: Route | null;
    };

/** Builds routes, one at a time. It knows no version of a route but the one it builds: a route holds what made it. */
export class RouteBuilder {
  /** Number of routes that were built, those that were built again included. */
  built = 0;
  private readonly options: RouteBuilderOptions;
  /** The documents above a router's routes, outermost first: their properties are names in the routes. */
  private readonly ancestors = new Map<Scope, readonly JsonObject[]>();
  private readonly sessions = new TenantSessions();

  constructor(options: RouteBuilderOptions) {
    this.options = options;
  }

  /** Says which documents are above the routes of a scope's routers; null when the scope is gone. */
  setAncestors(scope: Scope, documents: readonly JsonObject[] | null): void {
    if (documents === null) this.ancestors.delete(scope);
    else this.ancestors.set(scope, documents);
  }

  /** @param sessionManager keeps the sessions around the route */
  build(entry: PlacedRoute, parent: Heap, tenancy: Tenancy, sessionManager: SessionManager | null): RouteResult {
    const { catalogue, shared } = this.options;
    const figures = this.options.figures(entry.slot);
    const name = routeScopeName(entry);
    const egress = entry.tenant === undefined ? null : tenancy.egressOf(entry.tenant);
    const reach = egress === null ? this.options.reach : tenantReach(entry.files);
    // properties of operators are no names in the document of a tenant
    const around = egress === null ? (this.ancestors.get(parent.scope) ?? []) : [];
    const above = [...around, entry.document];
    const reading = this.options.reading(above, reach);
    const { missing, lend, lendTo, service } = shared.namedBy(entry);
    const means = { tenant: { sharedObjects: tenancy.sharedObjects }, service: (): void => {} };
    const tenant = egress === null ? {} : means;
    const check = { catalogue, reading, router: entry.router, report: (): void => {}, lend, ...tenant };
    const verdict = checkRoute(entry.document, name, parent.scope, check);
    const unsound = (problems: readonly Problem[]): RouteResult => {
      const isReadable = verdict.condition !== null || entry.document['condition'] === undefined;
      return { route: null, problems, refusing: isReadable ? refusingRoute(entry, verdict.condition, figures) : null };
    };
    if (missing.length > 0) return unsound(missing);
    if (verdict.document === null || entry.refuses === true) return unsound(verdict.problems);
    const { scope, handler, decorations, condition } = verdict.document;
    const claims: ClaimedPlace[] = [];
    const claim: PlaneServices['claim'] = (place) => claims.push(place);
    const services = egress === null ? this.options.operatorServices() : this.options.tenantServices(reach, egress);
    const heap = new Heap(scope, parent, { ...services, claim, service }, this.heapOptions(entry, above, tenancy));
    this.ancestors.set(scope, above);
    const close = (): void => {
      this.ancestors.delete(scope);
      void heap.close();
    };
    try {
      lendTo(heap, tenancy, parent);
      heap.buildAll();
      const main = heap.decorated(handler, decorations) as Next;
      this.built++;
      const route = makeRoute({
        entry,
        condition,
        handler: egress === null ? main : confinedRoute(main, egress),
        figures,
        claims,
        sessions: this.sessionsOf(entry, heap, verdict.document, sessionManager),
        auditing: auditingOf(entry, heap, verdict.document),
        inside: { heap, document: verdict.document },
        failed: (error) => this.options.failed(name, error),
        close,
      });
      return { route };
    } catch (error) {
      close();
      if (error instanceof SharedFailure) return unsound(error.problems);
      if (!(error instanceof BuildFailure)) throw error;
      return unsound([buildProblem(error)]);
    }
  }

  /** The sessions of a route; null where they are those around it, which tenants do not get to see. */
  private sessionsOf(
    { tenant }: PlacedRoute,
    heap: Heap,
    { session }: CheckedDocument,
    around: SessionManager | null,
  ): RouteSessions | null {
    if (session === null && tenant === undefined) return null;
    const manager = session === null ? around : (heap.get(session) as SessionManager);
    if (manager === null) return null;
    if (tenant === undefined) return manager.sessions({ realm: '', isLent: false });
    return this.sessions.of(manager, { realm: tenant, isLent: session?.scope !== heap.scope });
  }

  private heapOptions(
    { router, id, tenant, files }: PlacedRoute,
    above: readonly JsonObject[],
    tenancy: Tenancy,
  ): HeapOptions {
    const { survivors, dispatcher } = this.options;
    return {
      route: { router, id },
      realm: tenant ?? '',
      survivors,
      owner: `${tenant === undefined ? '' : `${tenancy.id} ${tenant}`} ${readingText(above)}`,
      files: files === undefined ? '' : contentHash(files),
      dispatcher,
    };
  }
}

/** The audit service of a route; null where the one around it records. */
function auditingOf({ tenant }: PlacedRoute, heap: Heap, { audit }: CheckedDocument): Auditing | null {
  return audit === null ? null : { service: heap.get(audit) as AuditService, isAdded: tenant !== undefined };
}
