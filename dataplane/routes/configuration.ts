import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { MayReach } from '../../contract/egress.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { type BaseEntry, type RouteKey, routeKeyText } from '../../contract/snapshot.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import { beginRecord } from '../audit/service/audited.ts';
import type { RefusedHead } from '../engine/client/listener.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import { refusalResponse } from '../engine/message/response.ts';
import { connectWire } from '../engine/wire/connect.ts';
import { checkDefaultObjects } from '../heap/default-objects.ts';
import { BuildFailure, Heap, type RouterPlace } from '../heap/heap.ts';
import type { AuditService } from '../heap/objects/audit-service.ts';
import type { SessionManager } from '../heap/objects/sessions.ts';
import type { TemporaryStorage } from '../heap/objects/temporary-storage.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { namedMemory } from '../heap/shared-memory.ts';
import { Survivors } from '../heap/survivors.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { lendDefaultSession, useSessionKeys } from '../sessions/default-session.ts';
import { GroupKeys } from '../sessions/group-keys.ts';
import type { HostCertificates } from '../tls/hosts/host-certificates.ts';
import type { PlacedRoute, PlacedUpdate } from '../unit/placed-update.ts';
import { buildProblem } from './build-problem.ts';
import { checkBase } from './check-document.ts';
import { documentReading, readingText } from './document-reading.ts';
import { FailedEvaluations } from './failed-evaluations.ts';
import { FailedRequests } from './failed-requests.ts';
import type { Generation, ServedParts } from './generation.ts';
import { instrumented, Lease, leased } from './instrumented.ts';
import type { Route } from './route.ts';
import { RouteBuilder } from './route-builder.ts';
import { noFigures, type RouteFigures } from './route-figures.ts';
import { RouteResources } from './route-resources.ts';
import { RouterTable } from './router-table.ts';
import { NO_TENANTS, type Tenancy, type TenantSurroundings, tenancyOf } from './tenancy.ts';

export interface ConfigurationOptions {
  readonly catalogue: TypeCatalogue;
  readonly reach: Reach;
  readonly log: Logger;
  figures(slot: number): RouteFigures;
  observe: PlaneServices['observe'];
  /** What becomes of what objects count and show; by default nothing. */
  count?: PlaneServices['count'];
  counter?: PlaneServices['counter'];
  gauge?: PlaneServices['gauge'];
  /** By default memory of its own. */
  sharedMemory?: PlaneServices['sharedMemory'];
  announce?: PlaneServices['announce'];
  /** Hands events of audit services to the audit writer; by default they are discarded. */
  auditLink?: PlaneServices['auditLink'];
  /** Name of the data plane in audit events; by default empty. */
  planeName?: string;
  refreshExchange?: PlaneServices['refreshExchange'];
  /** Number of the unit; by default 0. */
  unit?: number;
  mayReach: PlaneServices['mayReach'];
  /** What tenants' routes may not reach beside what nobody else's may; by default nothing. */
  forbidden?: TenantSurroundings['forbidden'];
  appPorts?: TenantSurroundings['appPorts'];
  zone?: string;
  /** How connections to backends are opened; by default through the kernel. */
  connect?: PlaneServices['connect'];
  /** Whether bodies are passed on as they arrive where no object says; by default they are. */
  streaming?: PlaneServices['streaming'];
  /** What keeps content where no document says; null for the default object. */
  storage?: TemporaryStorage | null;
  /** Gets the certificates of tenants' hosts, for connectors. */
  hostCertificates?: HostCertificates;
}

/** Build problem of a document; the document is null for `config.json`. */
export interface BuildProblem {
  readonly route: RouteKey | null;
  readonly problems: readonly Problem[];
  /** Whether the version before it keeps serving; otherwise requests are refused. */
  readonly keepsServing: boolean;
  /** Key of the shared resource that could not be built; the version before it stays in force. */
  readonly resource?: string;
}

type Decider = ReturnType<NonNullable<PlaneServices['decider']>>;

/** Configuration of one unit: build all, swap, close. Parts that cannot be built leave the running ones unchanged. */
export class Configuration {
  private readonly options: ConfigurationOptions;
  private readonly entries = new Map<string, Map<string, PlacedRoute>>();
  private defaultSlots: PlacedUpdate['defaultSlots'] = {};
  private generation: Generation | null = null;
  /** The routers of what is being built. */
  private staged = new Map<string, RouterTable>();
  /** What holds for the tenants of what is being built. */
  private tenancy: Tenancy = NO_TENANTS;
  /** The manager of sessions around what is being built. */
  private session: SessionManager | null = null;
  private problems: BuildProblem[] = [];
  private provisional: readonly string[] = [];
  private decider: Decider = { revision: '', plane: '', unit: 0 };
  /** Keys of the default object `Session`, which change without it. */
  private readonly sessionKeys = new GroupKeys();
  private readonly tokenCaches: NonNullable<PlaneServices['tokenCaches']> = new Map();
  /** One object for all routes. */
  private readonly plane: PlaneServices;
  private readonly survivors: Survivors;
  private readonly shared: RouteResources;
  private readonly builder: RouteBuilder;
  private readonly failedEvaluations: FailedEvaluations;
  private readonly failedRequests: FailedRequests;

  constructor(options: ConfigurationOptions) {
    this.options = options;
    this.plane = this.planeServices();
    this.survivors = new Survivors(options.log);
    const { survivors, dispatcher } = this;
    const [reading, services] = [this.reading.bind(this), this.tenantServices.bind(this)];
    this.shared = new RouteResources({ ...options, survivors, reading, services });
    this.builder = new RouteBuilder({
      ...{ ...options, survivors, dispatcher, shared: this.shared, reading, tenantServices: services },
      operatorServices: () => this.plane,
      failed: (route, error) => this.failed(route, error),
    });
    this.failedEvaluations = new FailedEvaluations(options.log);
    this.failedRequests = new FailedRequests(options.log);
  }

  readonly handle: Next = (exchange) => this.generation?.main(exchange) ?? refusalResponse('not-ready');

  /** Records a request that was refused before there was an exchange. */
  readonly refusedHead = (refused: RefusedHead): void => {
    this.generation?.auditing?.service.access?.refusedHead(refused);
  };

  /** Begins the record of an exchange that the configuration does not get. */
  recordUnserved(exchange: Exchange): void {
    const auditing = this.generation?.auditing ?? null;
    if (auditing !== null) beginRecord(auditing, exchange, '');
  }

  /** Parts for dry runs; null while nothing is served. */
  get served(): ServedParts | null {
    const { generation, decider } = this;
    if (generation === null) return null;
    const { heap, document, tables } = generation;
    return { heap, document, tables, plane: this.plane, revision: decider.revision };
  }

  /** Number of objects that are built, old ones that still serve a request included. */
  get builtObjects(): number {
    return this.survivors.size;
  }

  /** Number of routes that were built since the start, those that were built again included. */
  get builtRoutes(): number {
    return this.builder.built;
  }

  get ready(): boolean {
    return this.generation !== null;
  }

  /** Runs a new revision. @returns what could not be built. */
  apply(update: PlacedUpdate): readonly BuildProblem[] {
    this.problems = [];
    this.provisional = update.provisional ?? [];
    this.decider = { revision: update.revision, plane: this.options.planeName ?? '', unit: this.options.unit ?? 0 };
    const undo = this.undoing(update);
    const resources = this.shared.held;
    // before anything is built, and whatever becomes of the rest
    this.problems.push(...this.shared.change(update.resources, this.generation?.heap ?? null));
    useSessionKeys(this.sessionKeys, this.shared.held, this.options);
    this.defaultSlots = update.defaultSlots;
    for (const entry of update.set) this.entriesOf(entry.router).set(entry.id, entry);
    for (const { router, id } of update.remove) this.entriesOf(router).delete(id);
    let isTaken = false;
    try {
      if (update.base !== null) this.replaceBase(update.base);
      else this.replaceRoutes(update);
      isTaken = !this.problems.some(({ route }) => route === null);
    } finally {
      if (!isTaken && update.allOrNothing === true) undo();
      this.shared.settle(resources, this.entries.values(), this.generation?.tenancy ?? NO_TENANTS);
    }
    return this.problems;
  }

  /** What makes an update as if it had never come, where nothing of it was built. */
  private undoing({ set, remove, allOrNothing }: PlacedUpdate): () => void {
    if (allOrNothing !== true) return () => {};
    const { defaultSlots } = this;
    const before = [...set, ...remove].map((one) => ({ one, entry: this.entriesOf(one.router).get(one.id) }));
    return () => {
      this.defaultSlots = defaultSlots;
      for (const { one, entry } of before) {
        if (entry === undefined) this.entriesOf(one.router).delete(one.id);
        else this.entriesOf(one.router).set(one.id, entry);
      }
    };
  }

  /** Closes everything once it is idle. */
  close(): void {
    const last = this.generation;
    this.generation = null;
    if (last !== null) this.retireGeneration(last);
  }

  // ---- the base

  private replaceBase({ document, trust }: BaseEntry): void {
    const before = this.generation;
    const { forbidden = [], appPorts = [], mayReach } = this.options;
    const surroundings = { forbidden, appPorts, resources: () => this.shared.held };
    const isSameTrust = before !== null && isDeepStrictEqual(before.trust, trust);
    const tenancy = isSameTrust ? before.tenancy : tenancyOf(trust, surroundings, mayReach);
    const built = Array.isArray(tenancy) ? tenancy : this.buildGeneration(document, tenancy, trust);
    if (Array.isArray(built)) {
      this.problems.push({ route: null, problems: built, keepsServing: before !== null });
      return;
    }
    this.generation = built;
    this.shared.heaps.settle(built.heap);
    if (before !== null) this.retireGeneration(before);
  }

  private buildGeneration(base: JsonObject, tenancy: Tenancy, trust: BaseEntry['trust']): Generation | Problem[] {
    this.staged = new Map();
    this.tenancy = tenancy;
    const { plane } = this;
    const reading = this.reading([base]);
    const check = { catalogue: this.options.catalogue, reading, report: (): void => {} };
    const { survivors, dispatcher } = this;
    const owner = readingText([base]);
    const defaults = new Heap(checkDefaultObjects(check), null, plane, { survivors, dispatcher });
    const { storage = null } = this.options;
    if (storage !== null) defaults.lend('TemporaryStorage', storage);
    lendDefaultSession(defaults, this.sessionKeys, plane.log);
    const { document, problems } = checkBase(base, defaults.scope, check);
    if (document === null) return [...problems];
    const heap = new Heap(document.scope, defaults, plane, { survivors, owner, dispatcher });
    this.builder.setAncestors(document.scope, [base]);
    const lease = new Lease();
    try {
      // routes of tenants, which are built with their router, need it
      this.session = document.session === null ? null : (heap.get(document.session) as SessionManager);
      heap.buildAll();
      const handler = heap.decorated(document.handler, document.decorations) as Next;
      const sessions = this.session?.sessions({ realm: '', isLent: false }) ?? null;
      const { audit } = document;
      const auditing = audit === null ? null : { service: heap.get(audit) as AuditService, isAdded: false };
      const main = leased({ handler, lease, sessions, auditing, failed: (error) => this.failed('gateway', error) });
      const { session, staged: tables } = this;
      return { tenancy, trust, main, lease, heap, document, defaults, session, auditing, tables };
    } catch (error) {
      this.shared.heaps.drop(heap);
      void heap.close().then(() => defaults.close());
      if (!(error instanceof BuildFailure)) throw error;
      return [buildProblem(error)];
    }
  }

  private retireGeneration({ lease, heap, defaults, tables }: Generation): void {
    lease.onceFree(() => {
      for (const table of tables.values()) retireAll(table);
      this.builder.setAncestors(heap.scope, null);
      void heap.close().then(() => defaults.close());
    });
  }

  // ---- routes
  private replaceRoutes({ set, remove }: PlacedUpdate): void {
    if (this.generation === null) return;
    this.staged = new Map(this.generation.tables);
    this.tenancy = this.generation.tenancy;
    this.session = this.generation.session;
    const before = new Set(this.staged.values());
    const pending = new Map<RouterTable, Map<string, Route | null>>();
    const retired: Route[] = [];
    const change = (table: RouterTable, id: string, route: Route | null): void => {
      const changes = pending.get(table) ?? new Map<string, Route | null>();
      pending.set(table, changes.set(id, route));
    };
    // routes come before the routes of routers inside them, which are built with them
    for (const entry of [...set].sort((a, b) => a.router.length - b.router.length)) {
      const table = this.staged.get(entry.router);
      if (table === undefined || !before.has(table)) continue;
      const old = table.routes.get(entry.id);
      const route = this.routeOf(entry, table.heap, old);
      if (route === old) continue;
      if (old !== undefined) retired.push(old);
      change(table, entry.id, route);
    }
    for (const { router, id } of remove) {
      const table = this.staged.get(router);
      const old = table?.routes.get(id);
      if (table === undefined || old === undefined) continue;
      retired.push(old);
      change(table, id, null);
    }
    for (const [table, changes] of pending) table.change(changes);
    this.generation.tables = this.staged;
    for (const route of retired) route.retire();
  }

  /** The new route; `old` when it cannot be built and there is one; null when it can take no request. */
  private routeOf(entry: PlacedRoute, parent: Heap, old: Route | undefined): Route | null {
    const result = this.builder.build(entry, parent, this.tenancy, this.session);
    if (result.route !== null) return result.route;
    if (entry.refuses === true) return result.refusing;
    const { router, id, tenant } = entry;
    const keepsServing = old !== undefined && old.entry.tenant === tenant;
    this.problems.push({ route: { router, id }, problems: result.problems, keepsServing });
    return keepsServing ? old : this.provisional.includes(routeKeyText(entry)) ? null : result.refusing;
  }

  private readonly dispatcher = (place: RouterPlace, defaultHandler: Next | null): Next => {
    const { qualifiedName: name, heap } = place;
    const defaultFigures = this.options.figures(this.defaultSlots[name] ?? -1);
    const nothing: Next = () => refusalResponse('no-route');
    const lastRoute = instrumented({
      handler: defaultHandler ?? nothing,
      figures: defaultHandler === null ? noFigures : defaultFigures,
      lease: new Lease(),
      sessions: null,
      auditing: null,
      id: null,
      failed: (error) => this.failed(`${name}.default`, error),
    });
    const table = new RouterTable(name, heap, lastRoute, this.tenancy.grants);
    const routes = new Map<string, Route>();
    for (const entry of this.entriesOf(name).values()) {
      const route = this.routeOf(entry, heap, undefined);
      if (route !== null) routes.set(entry.id, route);
    }
    table.change(routes);
    this.staged.set(name, table);
    place.onClose(() => {
      table.close();
      retireAll(table);
      if (this.generation?.tables.get(name) === table) this.generation.tables.delete(name);
    });
    return table.handle;
  };

  // ---- what both need
  private planeServices(): PlaneServices {
    const { log, reach, observe, mayReach, connect = connectWire, streaming = true, unit = 0 } = this.options;
    const { count = () => {}, counter = () => () => {}, gauge = () => () => {} } = this.options;
    const { sharedMemory = namedMemory() } = this.options;
    const { announce, refreshExchange, auditLink } = this.options;
    const told = {
      tokenCaches: this.tokenCaches,
      ...(announce && { announce }),
      ...(refreshExchange && { refreshExchange }),
      ...(auditLink && { auditLink }),
      decider: (): Decider => this.decider,
      groupSecrets: () => this.sessionKeys.secrets,
    };
    return { log, reach, observe, count, counter, gauge, sharedMemory, ...told, mayReach, connect, streaming, unit };
  }

  /** What the objects of a tenant's route get: of the machine its own files only, and connections within its bounds. */
  private tenantServices(reach: Reach, egress: MayReach): PlaneServices {
    const temporaryDirectory = this.options.reach.directories?.temp;
    return {
      ...this.plane,
      reach,
      egress,
      mayReach: egress,
      ...(temporaryDirectory !== undefined && { temporaryDirectory }),
    };
  }

  private reading(documents: readonly JsonObject[], reach = this.options.reach): Reading {
    return documentReading(reach, documents, (source, reason) => this.failedEvaluations.add(source, reason));
  }

  private entriesOf(router: string): Map<string, PlacedRoute> {
    const known = this.entries.get(router) ?? new Map<string, PlacedRoute>();
    this.entries.set(router, known);
    return known;
  }

  private failed(route: string, error: unknown): void {
    this.failedRequests.add(route, error);
  }
}

function retireAll(table: RouterTable): void {
  for (const route of table.routes.values()) route.retire();
}
