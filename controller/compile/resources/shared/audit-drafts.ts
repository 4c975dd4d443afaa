import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type Path, type Problem, pathText } from '../../../../contract/problem.ts';
import { isAllowedTo } from '../../../../contract/resources/allowed-namespaces.ts';
import { type AuditServiceSpec, auditServiceSpec } from '../../../../contract/resources/audit-service-resource.ts';
import type { Resource } from '../../../../contract/resources/resource.ts';
import type { SharedObjects } from '../../../../contract/snapshot.ts';
import { parsePlain } from '../../../../contract/vocabulary/parse-config.ts';
import { workTogether } from '../../../../contract/work-budget.ts';
import type { UnknownReference } from '../../checker.ts';
import { hasErrors } from '../../verdict.ts';
import type { PassTerms } from '../pass-terms.ts';
import type { ReferenceFault } from '../reference-fault.ts';
import type { ResourceState } from '../resource-state.ts';
import { isAbout, isStoreReference, type StoreDraft, type StoreDrafts, sameSpec } from '../store-drafts.ts';
import { unjudgeable } from '../unjudgeable.ts';
import { isResourceName, MOST_CHARACTERS, referredResource, sharedObjects, withStores } from './shared-objects.ts';

/** An AuditService as it was judged. The same object is the same service with the same secrets. */
export interface AuditDraft {
  readonly key: string;
  /** Their paths begin at the spec. */
  readonly problems: readonly Problem[];
  readonly faults: readonly ReferenceFault[];
  readonly offer: AuditOffer;
  /** What data planes build: itself and the stores that its handlers need; null when there is no usable version. */
  readonly resource: Omit<SharedObjects, 'sources'> | null;
}

/** An AuditService as Routes see it. It stays the same object until that view changes. */
export interface AuditOffer {
  readonly key: string;
  /** Why no Route can begin to use it; null when they can. */
  readonly fault: Omit<ReferenceFault, 'path'> | null;
  /** Whether its last valid version stays in force for Routes that used it, although there is a fault. */
  readonly isKept: boolean;
  readonly allowedNamespaces: readonly string[];
  /** The keys of all SecretStores and Secrets that it is made of. */
  readonly stores: readonly string[];
  readonly secrets: readonly string[];
  /** Names of the objects of `config.json` that it refers to. */
  readonly uses: readonly string[];
}

/** Result of looking up an audit service by name. */
export interface FoundAudit {
  readonly key: string;
  readonly offer: AuditOffer | null;
  readonly fault: Omit<ReferenceFault, 'path'> | null;
}

interface KnownAudit {
  /** Null when it is gone. */
  readonly resource: Resource | null;
  readonly terms: PassTerms;
  readonly needed: readonly (readonly [key: string, draft: StoreDraft | null])[];
  readonly draft: AuditDraft;
  /** The version that was valid last. */
  readonly good: Resource | null;
}

/** State of audit services that is kept between compilations. */
export type AuditMemory = Map<string, KnownAudit>;

interface JudgedAudit extends Pick<AuditDraft, 'problems' | 'faults' | 'resource'> {
  readonly allowedNamespaces: readonly string[];
  readonly stores: readonly string[];
  readonly secrets: readonly string[];
  readonly uses: readonly string[];
  readonly needed: KnownAudit['needed'];
}

const nothing = { faults: [], resource: null, allowedNamespaces: [], stores: [], secrets: [], uses: [], needed: [] };

/** Whether a name that leads nowhere in its document may be that of an AuditService. */
export function isAuditReference({ kind, name }: Pick<UnknownReference, 'kind' | 'name'>): boolean {
  return kind === 'auditService' && isResourceName(name);
}

/** Whether a Route with this fault may go on with its last good version: nobody withdrew what it was allowed. */
export function isAuditLost({ reason }: Pick<ReferenceFault, 'reason'>): boolean {
  return reason === 'AuditServiceNotFound' || reason === 'AuditServiceInvalid';
}

/** The AuditServices at one moment, each of which is judged once for what it is made of. */
export class AuditDrafts {
  private readonly terms: PassTerms;
  private readonly state: Pick<ResourceState, 'auditServices'>;
  private readonly stores: StoreDrafts;
  private readonly memory: AuditMemory;
  private readonly looked = new Map<string, AuditDraft | null>();

  constructor(terms: PassTerms, state: Pick<ResourceState, 'auditServices'>, stores: StoreDrafts, memory: AuditMemory) {
    this.terms = terms;
    this.state = state;
    this.stores = stores;
    this.memory = memory;
  }

  /** The service under this key; null when there is none, and none is remembered. */
  get(key: string): AuditDraft | null {
    const known = this.looked.get(key);
    if (known !== undefined) return known;
    const resource = this.state.auditServices.get(key) ?? null;
    const draft = this.remembered(key, resource) ?? this.made(key, resource);
    this.looked.set(key, draft);
    return draft;
  }

  /**
   * What a name leads to that a document of this namespace has.
   * @param keeps whether the last valid version will do while the newest one is invalid or gone
   */
  find(name: string, namespace: string, keeps: boolean): FoundAudit {
    const { key, owner } = referredResource(name, namespace);
    const offer = this.get(key)?.offer ?? null;
    if (offer === null) return { key, offer, fault: notFound(key) };
    if (!isAllowedTo(namespace, owner, offer.allowedNamespaces)) {
      const message = `spec.allowedNamespaces of the AuditService ${key} does not list the namespace ${namespace}`;
      return { key, offer, fault: { reason: 'AuditServiceNotGranted', message } };
    }
    return { key, offer, fault: keeps && offer.isKept ? null : offer.fault };
  }

  /** Forgets services that are gone and that no Route asks for. */
  sweep(): void {
    for (const key of this.memory.keys()) {
      if (!this.state.auditServices.has(key) && !this.looked.has(key)) this.memory.delete(key);
    }
  }

  private remembered(key: string, resource: Resource | null): AuditDraft | null {
    const known = this.memory.get(key);
    if (known === undefined || known.terms !== this.terms) return null;
    const isSame =
      known.resource === null || resource === null ? known.resource === resource : sameSpec(known.resource, resource);
    if (!isSame || known.needed.some(([name, draft]) => this.stores.get(name) !== draft)) return null;
    return known.draft;
  }

  private made(key: string, resource: Resource | null): AuditDraft | null {
    const before = this.memory.get(key)?.good ?? null;
    if (resource === null && before === null) return null;
    const own = resource === null ? null : this.judged(key, resource);
    if (resource !== null && own !== null && !hasErrors(own.problems)) {
      const [first] = own.faults;
      const fault = first && { reason: first.reason, message: `the AuditService ${key}: ${first.message}` };
      return this.kept(key, resource, fault === undefined ? resource : before, own, own, fault ?? null);
    }
    const good = before === null ? nothing : this.judged(key, before);
    const message = `the AuditService ${key} is not valid`;
    const fault = own === null ? notFound(key) : { reason: 'AuditServiceInvalid' as const, message };
    return this.kept(
      key,
      resource,
      before,
      own ?? { ...good, problems: [], faults: [] },
      { problems: [], ...good },
      fault,
    );
  }

  /** @param used the version that is in force, if it can be */
  private kept(
    key: string,
    resource: Resource | null,
    good: Resource | null,
    { problems, faults, allowedNamespaces, needed }: JudgedAudit,
    used: JudgedAudit,
    fault: AuditOffer['fault'],
  ): AuditDraft {
    const { stores, secrets, uses } = used;
    const isKept = fault !== null && isAuditLost(fault) && used.resource !== null;
    const offer: AuditOffer = { key, fault, isKept, allowedNamespaces, stores, secrets, uses };
    const before = this.memory.get(key)?.draft.offer;
    const draft: AuditDraft = {
      key,
      problems,
      faults,
      offer: before !== undefined && isDeepStrictEqual(before, offer) ? before : offer,
      resource: fault === null || isKept ? used.resource : null,
    };
    this.memory.set(key, { resource, terms: this.terms, needed: [...needed, ...used.needed], draft, good });
    return draft;
  }

  private judged(key: string, resource: Resource): JudgedAudit {
    if (resource.excess !== undefined) return { ...nothing, problems: [resource.excess] };
    try {
      return workTogether(() => this.judge(key, resource));
    } catch (error) {
      return { ...nothing, problems: [unjudgeable(error)] };
    }
  }

  private judge(key: string, { namespace, spec }: Resource): JudgedAudit {
    const { router, sharedObjects: shared } = this.terms;
    const parsed = parsePlain<AuditServiceSpec>(auditServiceSpec, spec, []);
    const { allowedNamespaces: _, ...service } = spec;
    const resolved = this.terms.resolve(service, null);
    const declared: JsonObject = { name: key, type: 'AuditService', config: resolved.document ?? {} };
    const judged = router.auditService(declared, { sharedObjects: shared, files: {} });
    const needs = judged.unknownReferences.filter(isStoreReference);
    const found = needs.map(({ name, path }) => ({ path, ...this.stores.find(name, namespace) }));
    const inner = found.flatMap(({ draft }) => draft ?? []);
    const { objects, files } = withStores(declared, {}, found);
    const problems = united([
      ...resolved.told(judged.problems.filter((one) => !isAbout(one, needs)).map(withinSpec)),
      ...resolved.problems,
      ...parsed.problems,
      ...tooLong(objects, files),
    ]);
    const faults = found.flatMap(({ fault, path }) => (fault === null ? [] : [{ ...fault, path: path.slice(1) }]));
    const isUsable = !hasErrors(problems) && faults.length === 0;
    return {
      problems,
      faults,
      resource: isUsable ? sharedObjects(auditResourceKey(key), objects, files) : null,
      allowedNamespaces: allowedIn(spec),
      stores: [...found.map((one) => one.key), ...inner.flatMap(({ offer }) => offer.stores)],
      secrets: inner.flatMap(({ offer }) => offer.secrets),
      uses: isUsable ? router.uses({ heap: objects }, key, { sharedObjects: shared, files }) : [],
      needed: found.map(({ key: name, draft }) => [name, draft]),
    };
  }
}

/** The key under which data planes get an AuditService. */
export function auditResourceKey(key: string): string {
  return `AuditService/${key}`;
}

function notFound(key: string): Omit<ReferenceFault, 'path'> {
  return { reason: 'AuditServiceNotFound', message: `there is no AuditService ${key}` };
}

/** A spec is the `config` of the declaration. */
function withinSpec(problem: Problem): Problem {
  const inside = (path: Path): Path => (path[0] === 'config' ? path.slice(1) : path);
  const { others } = problem;
  return { ...problem, path: inside(problem.path), ...(others === undefined ? {} : { others: others.map(inside) }) };
}

/** Two schemas read a spec: what both found is told once. */
function united(problems: readonly Problem[]): Problem[] {
  return [
    ...new Map([...problems].reverse().map((one) => [`${one.code} ${pathText(one.path)}`, one])).values(),
  ].reverse();
}

function allowedIn({ allowedNamespaces }: JsonObject): readonly string[] {
  const read = auditServiceSpec.shape.allowedNamespaces.safeParse(allowedNamespaces);
  return (read.success ? read.data : undefined) ?? [];
}

/** What is longer cannot be sent to data planes in one message. */
function tooLong(objects: readonly JsonObject[], files: Readonly<Record<string, string>>): Problem[] {
  const length = JSON.stringify(objects).length + Object.values(files).reduce((sum, one) => sum + one.length, 0);
  if (length <= MOST_CHARACTERS) return [];
  const message = `the service and the stores of its handlers have ${length} characters, more than the ${MOST_CHARACTERS} that are possible`;
  return [{ code: 'value', severity: 'error', path: ['eventHandlers'], message, hint: 'use smaller secret stores' }];
}
