import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { type Resource, resourceKey, type SecretContent } from '../../../contract/resources/resource.ts';
import { isRouteOfHash } from '../../../contract/route-hash.ts';
import { compareTexts } from '../../../contract/route-order.ts';
import type { RouteEntry, SharedObjects, SourceVersion } from '../../../contract/snapshot.ts';
import { LayeredMap } from '../../../platform/layered-map.ts';
import type { Checker } from '../checker.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { CertificateFacts, CertificateFault } from './certificates/certificate-facts.ts';
import { type CompiledCertificates, RouteCertificates } from './certificates/route-certificates.ts';
import { TlsRoutes } from './certificates/tls-routes.ts';
import type { GoodRoute } from './good-resources.ts';
import type { Pass, PassStart } from './pass.ts';
import type { ResourceState } from './resource-state.ts';
import type { RememberedRoute, ResourceVerdict } from './resource-verdict.ts';
import { RouteRecord } from './route-record.ts';
import { type RouteChanges, RouteStandings } from './route-standings.ts';
import { AuditDrafts, type AuditMemory } from './shared/audit-drafts.ts';
import { ServiceDrafts, type ServiceMemory } from './shared/service-drafts.ts';
import { type SharedDraft, SharedDrafts } from './shared/shared-drafts.ts';
import { type WantedServices, wantedServicesOf } from './shared/wanted-services.ts';
import { StoreDrafts, type StoreMemory } from './store-drafts.ts';
import { type PassSources, StoreSources } from './store-sources.ts';
import { auditServiceVerdict, storeVerdict, waitingVerdict } from './store-verdict.ts';
import { type WantedSecrets, wantedSecretsOf } from './wanted-secrets.ts';

/** Verdicts on all resources. */
export interface JudgedResources {
  readonly verdicts: readonly ResourceVerdict[];
  readonly routes: readonly CompiledRoute[];
  readonly remembered: readonly RememberedRoute[];
  /** What the routes refer to, each once. */
  readonly shared: readonly SharedObjects[];
  readonly certificates: CompiledCertificates;
  readonly good: ReadonlyMap<string, GoodRoute>;
}

/** Decides which version of which Route serves. What did not change since the last time is not judged again. */
export class ResourceCompiler {
  /** What was judged last, for those who ask what would be. */
  latest: Pass | null = null;
  readonly records = new Map<string, RouteRecord>();
  readonly storeMemory: StoreMemory = new Map();
  readonly auditMemory: AuditMemory = new Map();
  readonly serviceMemory: ServiceMemory = new Map();
  /** The Services that Routes name. */
  services: WantedServices = { keys: new Set(), beyond: new Set() };
  private readonly storeSources = new StoreSources();
  private readonly recalledRoutes = new Map<string, GoodRoute>();
  private readonly standings = new RouteStandings();
  private readonly verdicts = new WeakMap<object, { readonly resource: Resource; readonly said: ResourceVerdict }>();
  private readonly shared = new Map<string, { readonly draft: SharedDraft; readonly made: SharedObjects }>();
  private wanted: { readonly by: readonly Resource[]; readonly secrets: WantedSecrets } | null = null;
  private readonly routeCertificates: RouteCertificates;
  private readonly certified = new WeakMap<ResourceVerdict, ResourceVerdict>();
  private readonly tlsRoutes = new TlsRoutes();
  /** Routes that refer to other resources, whose changes concern them. */
  private readonly dependants = new Set<string>();
  /** Routes whose last good version came from a data plane since the last pass. */
  private readonly recalledKeys = new Set<string>();
  /** The pass that was gone through to its end, and the good versions after it; null after a failure. */
  private done: { readonly pass: Pass; readonly good: ReadonlyMap<string, GoodRoute> } | null = null;

  constructor(checker: Pick<Checker, 'certificate'>) {
    this.routeCertificates = new RouteCertificates(checker);
  }

  compile(start: PassStart): JudgedResources {
    const { state } = start;
    const stores = new StoreDrafts(start.terms, state, this.storeMemory, this.wantedSecrets(state).beyond);
    const audits = new AuditDrafts(start.terms, state, stores, this.auditMemory);
    const services = new ServiceDrafts(state, start.trust, this.services.beyond, this.serviceMemory);
    const shared = new SharedDrafts(stores, audits, services);
    const sources = this.storeSources.at(shared, state);
    const known = this.latest?.baseSources;
    const baseSources = known !== undefined && sameSources(known, start.baseSources) ? known : start.baseSources;
    const pass: Pass = { ...start, baseSources, shared, sharedSources: (key) => sources.ofRoutes(key) };
    this.latest = pass;
    const candidates = this.candidates(pass);
    this.done = null;
    const changes = this.look(pass, candidates);
    const good = new GoodRoutes(start.good);
    for (const record of this.standings.update(this.records, changes, pass)) {
      good.keep(record.key, record.goodAfter(record.chosen));
      this.noteDependant(record);
    }
    const certificates = this.routeCertificates.compile({
      ...{ state, routes: this.tlsRoutes.of(state.routes) },
      trust: start.trust,
      verdicts: this.standings.verdicts,
      beyond: this.wantedSecrets(state).beyond,
      sourceOf: (secret) => sources.ofSecret(secret),
    });
    const plain = [...this.standings.verdicts.values()];
    const isCertified = certificates.facts.size > 0;
    const verdicts = isCertified ? plain.map((one) => this.withCertificates(one, certificates)) : plain;
    for (const [key, resource] of state.secretStores) {
      const draft = stores.get(key)!;
      verdicts.push(this.remark(draft, resource, () => storeVerdict(resource, draft)));
    }
    for (const [key, resource] of state.auditServices) {
      const draft = audits.get(key)!;
      verdicts.push(this.remark(draft, resource, () => auditServiceVerdict(resource, draft)));
    }
    const { served: routes, remembered } = this.standings;
    const objects = this.sharedBy(routes, pass, sources);
    const naming =
      this.dependants.size === 0 ? [] : this.records.values().filter(({ key }) => this.dependants.has(key));
    this.services = wantedServicesOf(naming, this.services);
    services.sweep(this.services.keys);
    shared.sweep();
    const goodAfter = good.after(this.records);
    this.done = { pass, good: goodAfter };
    return {
      verdicts,
      routes,
      remembered: [...remembered.values()],
      shared: objects,
      certificates,
      good: goodAfter,
    };
  }

  /** The verdicts while nothing can be judged. */
  wait({ routes, secretStores, auditServices }: ResourceState, why: string): ResourceVerdict[] {
    const all = [...routes.values(), ...secretStores.values(), ...auditServices.values()];
    return all.map((resource) => waitingVerdict(resource, why));
  }

  /** The Secrets that stores and Routes name; the same object as long as these are the same. */
  wantedSecrets({ secretStores, routes }: ResourceState): WantedSecrets {
    const stores = [...secretStores.values()];
    const certified = this.tlsRoutes.of(routes);
    const by = [...stores, ...certified];
    if (this.wanted?.by.length !== by.length || this.wanted.by.some((one, at) => one !== by[at])) {
      const secrets = wantedSecretsOf(stores, certified);
      const before = this.wanted?.secrets;
      this.wanted = { by, secrets: before !== undefined && isDeepStrictEqual(before, secrets) ? before : secrets };
    }
    return this.wanted.secrets;
  }

  /**
   * Takes the body of a route that a plane kept. It becomes the last good version of its Route if it is what the hash in
   * the Route's status names. @returns whether it is
   */
  recalled(entry: RouteEntry): boolean {
    const record = this.records.get(entry.id.replace('.', '/')); // no namespace has a dot
    const mark = record?.resource.lastGood ?? null;
    if (record === undefined || mark === null || mark.hash !== entry.hash || entry.refuses === true) return false;
    if (entry.router !== record.chosen?.remembered?.router || !isRouteOfHash(entry)) return false;
    const document: JsonObject = withoutStores(entry);
    const { id, name, hash } = entry;
    const { uid } = record.resource;
    this.recalledKeys.add(record.key);
    this.recalledRoutes.set(record.key, { uid, generation: mark.generation, hash, identity: { id, name }, document });
    return true;
  }

  /** Reads the certificate of a Secret, if it has one. */
  readSecret(key: string, content: SecretContent): void {
    this.routeCertificates.readSecret(key, content);
  }

  /** What is wrong with the certificates that a Route names, in any version of it. */
  certificateFaults(route: Resource, { state, trust }: Pass): readonly CertificateFault[] {
    const { beyond } = this.wantedSecrets(state);
    return this.routeCertificates.faultsOf(route, { state, trust, beyond });
  }

  /** Names of the objects of `config.json` that a shared resource refers to. */
  usedBy(resource: string): readonly string[] {
    return this.shared.get(resource)?.draft.offer.uses ?? [];
  }

  /** The resources that routes name; each is the same object as long as nothing about it changes. */
  private sharedBy(routes: readonly CompiledRoute[], pass: Pass, sources: PassSources): readonly SharedObjects[] {
    const named = new Set<string>();
    for (const { resources } of routes) for (const key in resources) named.add(resources[key]!);
    for (const key of this.shared.keys()) if (!named.has(key)) this.shared.delete(key);
    if (named.size === 0) return [];
    for (const key of named) {
      const draft = pass.shared.get(key);
      if (draft === null || draft.resource === null) continue;
      const versions = sources.ofResource(key);
      const known = this.shared.get(key);
      if (known?.draft === draft && known.made.sources === versions) continue;
      this.shared.set(key, { draft, made: { ...draft.resource, sources: versions } });
    }
    return [...this.shared].sort(([a], [b]) => compareTexts(a, b)).map(([, { made }]) => made);
  }

  /** Routes of which something may be different since the last pass; null for all. */
  private candidates({ state: { routes }, terms, trust, baseSources, good }: Pass): ReadonlySet<string> | null {
    const before = this.done?.pass;
    if (before === undefined || this.done?.good !== good || !(routes instanceof LayeredMap)) return null;
    if (before.terms !== terms || before.trust !== trust || before.baseSources !== baseSources) return null;
    const changed = routes.changedSince(before.state.routes);
    return changed === null ? null : changed.union(this.dependants).union(this.recalledKeys);
  }

  /** Looks at Routes again. @param candidates those that may be different; null for all */
  private look(pass: Pass, candidates: ReadonlySet<string> | null): RouteChanges {
    const { routes } = pass.state;
    const changed: RouteRecord[] = [];
    const gone: RouteRecord[] = [];
    for (const key of candidates ?? routes.keys()) {
      const resource = routes.get(key);
      const known = this.records.get(key);
      if (known !== undefined && known.resource.uid !== resource?.uid) gone.push(known);
      if (resource === undefined) this.forget(key);
      else if (this.recordOf(key, resource).look(resource, this.goodOf(key, resource, pass), pass)) {
        changed.push(this.records.get(key)!);
      }
    }
    if (this.records.size > routes.size) {
      for (const [key, record] of this.records) {
        if (routes.has(key)) continue;
        gone.push(record);
        this.forget(key);
      }
    }
    this.recalledKeys.clear();
    return { changed, gone };
  }

  private recordOf(key: string, resource: Resource): RouteRecord {
    const known = this.records.get(key);
    if (known?.resource.uid === resource.uid) return known;
    const made = new RouteRecord(resource);
    this.records.set(key, made);
    return made;
  }

  private goodOf(key: string, { uid }: Resource, { good }: Pass): GoodRoute | null {
    const kept = good.get(key);
    return kept?.uid === uid ? kept : (this.recalledRoutes.get(key) ?? null);
  }

  private forget(key: string): void {
    this.records.delete(key);
    this.recalledRoutes.delete(key);
    this.dependants.delete(key);
  }

  private noteDependant({ key, judgements }: RouteRecord): void {
    if (judgements.some(({ uses }) => uses.length > 0)) this.dependants.add(key);
    else this.dependants.delete(key);
  }

  /** The same object as long as nothing about it changes. */
  private withCertificates(verdict: ResourceVerdict, { facts }: CompiledCertificates): ResourceVerdict {
    const certificates = facts.get(resourceKey(verdict.resource));
    if (certificates === undefined) return verdict;
    const known = this.certified.get(verdict);
    if (known?.certificates === certificates) return known;
    const made = { ...verdict, problems: [...verdict.problems, ...certificateProblems(certificates)], certificates };
    this.certified.set(verdict, made);
    return made;
  }

  private remark(about: object, resource: Resource, say: () => ResourceVerdict): ResourceVerdict {
    const known = this.verdicts.get(about);
    if (known?.resource === resource) return known.said;
    const said = say();
    this.verdicts.set(about, { resource, said });
    return said;
  }
}

/** Problems as `gatewarden check` prints them: the Route serves all the same. */
function certificateProblems({ faults }: CertificateFacts): Problem[] {
  const told = faults.filter(({ reason }) => reason !== 'Pending');
  return told.map(({ path, message }) => ({
    code: 'reference',
    severity: 'warning',
    path: ['spec', ...path],
    message: `${message}; data planes show the certificate of the connector`,
  }));
}

/** Collects the good versions of Routes: the same map as long as none changes. */
class GoodRoutes {
  private readonly before: ReadonlyMap<string, GoodRoute>;
  private readonly changes = new Map<string, GoodRoute | null>();

  constructor(before: ReadonlyMap<string, GoodRoute>) {
    this.before = before;
  }

  keep(key: string, good: GoodRoute | null): void {
    if (good !== null && this.before.get(key) !== good) this.changes.set(key, good);
  }

  /** @param present the Routes that there are */
  after(present: ReadonlyMap<string, unknown>): ReadonlyMap<string, GoodRoute> {
    const { before, changes } = this;
    if (changes.size === 0 && before.size <= present.size) return before;
    const all = LayeredMap.from(before).with(changes);
    if (all.size <= present.size) return all;
    return LayeredMap.of(new Map([...all].filter(([key]) => present.has(key))));
  }
}

function sameSources(a: readonly SourceVersion[], b: readonly SourceVersion[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every(({ uid, resourceVersion }, at) => uid === b[at]?.uid && resourceVersion === b[at]?.resourceVersion))
  );
}

/** A document without the SecretStores that an older controller put into its heap. */
function withoutStores({ document, stores = [] }: RouteEntry): JsonObject {
  const { heap, ...rest } = document;
  if (stores.length === 0 || !Array.isArray(heap)) return document;
  const own = (heap as readonly JsonValue[]).filter(
    (object) => !isJsonObject(object) || !stores.some((name) => name === object['name']),
  );
  return own.length === 0 ? rest : { ...document, heap: own };
}
