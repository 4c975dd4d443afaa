import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { isAllowedTo } from '../../../contract/resources/allowed-namespaces.ts';
import { workTogether } from '../../../contract/work-budget.ts';
import type { TenantMeans } from '../checker.ts';
import { hasErrors } from '../verdict.ts';
import type { Pass } from './pass.ts';
import type { ReferenceFault } from './reference-fault.ts';
import { type FoundStore, isAbout, isStoreReference, type StoreOffer, storeResourceKey } from './store-drafts.ts';
import { unjudgeable } from './unjudgeable.ts';

/** Document and resources that data planes build for a route. */
export interface RouteBody {
  readonly document: JsonObject;
  /** Keys of shared resources by the names that the document has for them. Absent when it uses none. */
  readonly resources?: Readonly<Record<string, string>>;
}

/** Verdict on the document of a Route with the current state of its references. */
export interface JudgedRoute {
  readonly conditionIsReadable: boolean;
  /** Without what is wrong with references to resources. */
  readonly problems: readonly Problem[];
  readonly faults: readonly ReferenceFault[];
  /** Null when it cannot be served. */
  readonly body: RouteBody | null;
  /** The SecretStores that were looked for, by key: as long as they are the same, so is this. */
  readonly uses: readonly (readonly [key: string, offer: StoreOffer | null])[];
  /** The AuditService that was looked for, and whether it may be used. */
  readonly audit: AuditUse | null;
}

export interface AuditUse {
  readonly key: string;
  readonly fault: Omit<ReferenceFault, 'path'> | null;
}

/** Verdict on a document that could not be validated. */
export function unjudgedRoute(problems: readonly Problem[]): JudgedRoute {
  return { conditionIsReadable: false, problems, faults: [], body: null, uses: [], audit: null };
}

/** Judges the document of a Route, whose tokens are resolved, against what the resources that it refers to offer. */
export function judgeRoute(document: JsonObject, name: string, namespace: string, pass: Pass): JudgedRoute {
  try {
    return workTogether(() => judged(document, name, namespace, pass));
  } catch (error) {
    return unjudgedRoute([unjudgeable(error)]);
  }
}

function judged(document: JsonObject, name: string, namespace: string, pass: Pass): JudgedRoute {
  const { terms, stores } = pass;
  const { router, sharedObjects } = terms;
  const found = new Map<string, FoundStore>();
  const lend: TenantMeans['lend'] = (kind, store) => {
    if (!isStoreReference({ kind, name: store })) return null;
    const one = found.get(store) ?? stores.find(store, namespace);
    found.set(store, one);
    return one.fault === null ? one.draft.offer.type : null;
  };
  const judgement = router.route(document, name, { sharedObjects, files: {}, lend });
  const missing = judgement.unknownReferences.filter(isStoreReference);
  const audit = auditUse(document, namespace, pass);
  const told = audit === null ? judgement.problems : judgement.problems.map(auditIsToCome);
  const problems = told.filter((problem) => !isAbout(problem, missing));
  const faults = missing.flatMap(({ name: store, path }): ReferenceFault[] => {
    const fault = found.get(store)?.fault ?? null;
    return fault === null ? [] : [{ ...fault, path }];
  });
  if (audit?.fault) faults.push({ ...audit.fault, path: ['auditService'] });
  const isServable = judgement.sound && faults.length === 0 && !hasErrors(problems);
  return {
    conditionIsReadable: judgement.conditionIsReadable,
    problems,
    faults,
    body: isServable ? { document, ...resourcesOf(found) } : null,
    uses: [...found.values()].map(({ key, draft }) => [key, draft?.offer ?? null]),
    audit,
  };
}

/** Resources of this kind are stored for a later version: until then no route finds them. */
function auditIsToCome(problem: Problem): Problem {
  const { code, path } = problem;
  if (code !== 'reference' || path.length !== 1 || path[0] !== 'auditService') return problem;
  const message = 'the resource AuditService is known, but not available in this version';
  const hint = "declare the audit service in the Route: 'auditService' takes a declaration";
  return { code: 'unavailable-field', severity: 'error', path, message, hint };
}

/** Whether what a judgement was based on is as it was. */
export function isStillJudged(
  { uses, audit }: JudgedRoute,
  document: JsonObject | null,
  namespace: string,
  pass: Pass,
): boolean {
  if (uses.some(([key, offer]) => (pass.stores.get(key)?.offer ?? null) !== offer)) return false;
  return (
    audit === null || document === null || auditUse(document, namespace, pass)?.fault?.reason === audit.fault?.reason
  );
}

function resourcesOf(found: ReadonlyMap<string, FoundStore>): Pick<RouteBody, 'resources'> {
  if (found.size === 0) return {};
  return { resources: Object.fromEntries([...found].map(([name, { key }]) => [name, storeResourceKey(key)])) };
}

/** The AuditService that a document names, unless that is an object of its own. */
function auditUse(
  { auditService, heap }: JsonObject,
  namespace: string,
  { state: { auditServices } }: Pass,
): AuditUse | null {
  if (typeof auditService !== 'string') return null;
  const objects = Array.isArray(heap) ? (heap as readonly JsonValue[]) : [];
  if (objects.some((object) => isJsonObject(object) && object['name'] === auditService)) return null;
  const key = auditService.includes('/') ? auditService : `${namespace}/${auditService}`;
  const resource = auditServices.get(key);
  if (resource === undefined) {
    return { key, fault: { reason: 'AuditServiceNotFound', message: `there is no AuditService ${key}` } };
  }
  const { allowedNamespaces } = resource.spec;
  const allowed = Array.isArray(allowedNamespaces) ? allowedNamespaces.map(String) : [];
  if (isAllowedTo(namespace, resource.namespace, allowed)) return { key, fault: null };
  const message = `spec.allowedNamespaces of the AuditService ${key} does not list the namespace ${namespace}`;
  return { key, fault: { reason: 'AuditServiceNotGranted', message } };
}
