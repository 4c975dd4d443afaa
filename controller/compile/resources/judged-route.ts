import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { type Problem, pathText } from '../../../contract/problem.ts';
import { isAllowedTo } from '../../../contract/resources/allowed-namespaces.ts';
import { workTogether } from '../../../contract/work-budget.ts';
import type { Judgement, UnknownReference } from '../checker.ts';
import { hasErrors } from '../verdict.ts';
import type { Ground } from './ground.ts';
import type { ReferenceFault } from './reference-fault.ts';
import type { ResourceState } from './resource-state.ts';
import { type FoundStore, isAbout, isStoreReference, type StoreDraft, type StoreDrafts } from './store-drafts.ts';
import { unjudgeable } from './unjudgeable.ts';

/** What planes are to build. */
export interface RouteBody {
  readonly document: JsonObject;
  /** Absent when it uses no files. */
  readonly files?: Readonly<Record<string, string>>;
  /** Absent when it uses no SecretStores. */
  readonly stores?: readonly string[];
}

/** What is to be said of the document of a Route, with what it refers to as that is now. */
export interface JudgedRoute {
  readonly conditionIsReadable: boolean;
  /** Without what is wrong with references to resources. */
  readonly problems: readonly Problem[];
  readonly faults: readonly ReferenceFault[];
  /** Null when it cannot be served. */
  readonly body: RouteBody | null;
  /** The SecretStores that were looked for, by key: as long as they are the same, so is this. */
  readonly uses: readonly (readonly [key: string, draft: StoreDraft | null])[];
  /** The AuditService that was looked for, and whether it may be used. */
  readonly audit: AuditUse | null;
}

export interface AuditUse {
  readonly key: string;
  readonly fault: Omit<ReferenceFault, 'path'> | null;
}

/** Where a document stands. */
export interface RoutePlace {
  readonly ground: Ground;
  readonly stores: StoreDrafts;
  readonly auditServices: ResourceState['auditServices'];
  readonly namespace: string;
}

/** What is to be said of a document that nothing can be said of but this. */
export function unjudgedRoute(problems: readonly Problem[]): JudgedRoute {
  return { conditionIsReadable: false, problems, faults: [], body: null, uses: [], audit: null };
}

/** Judges a document whose tokens are resolved and which has no objects for SecretStores yet. */
export function judgeRoute(document: JsonObject, name: string, place: RoutePlace): JudgedRoute {
  try {
    return workTogether(() => judged(document, name, place));
  } catch (error) {
    return unjudgedRoute([unjudgeable(error)]);
  }
}

function judged(document: JsonObject, name: string, place: RoutePlace): JudgedRoute {
  const { ground, stores, namespace } = place;
  const { router, sharedObjects } = ground;
  const bare = router.route(document, name, { sharedObjects, files: {} });
  const wanted = bare.unknownReferences.filter(isStoreReference);
  const found = new Map<string, FoundStore>();
  for (const { name: store } of wanted) found.set(store, found.get(store) ?? stores.find(store, namespace));
  const injected = injection(found);
  const isChanged = injected.objects.length > 0;
  const whole = isChanged ? withObjects(document, injected.objects) : document;
  const judgement = isChanged ? router.route(whole, name, { sharedObjects, files: injected.files }) : bare;
  const { problems, faults } = sorted(judgement, wanted, found, heapLength(document));
  if (isChanged) problems.push(...overreaching(bare, wanted, problems));
  const audit = auditUse(document, place);
  if (audit?.fault) faults.push({ ...audit.fault, path: ['auditService'] });
  const isServable = judgement.sound && faults.length === 0 && !hasErrors(problems);
  return {
    conditionIsReadable: judgement.conditionIsReadable,
    problems,
    faults,
    body: isServable ? { document: whole, ...bodyFields(injected) } : null,
    uses: [...found.values()].map(({ key, draft }) => [key, draft]),
    audit,
  };
}

/** Whether what a judgement was based on is as it was. */
export function isStillJudged({ uses, audit }: JudgedRoute, document: JsonObject | null, place: RoutePlace): boolean {
  if (uses.some(([key, draft]) => place.stores.get(key) !== draft)) return false;
  return audit === null || document === null || auditUse(document, place)?.fault?.reason === audit.fault?.reason;
}

/** A document as it was before SecretStores were put into its heap. */
export function withoutStores({ document, stores = [] }: RouteBody): JsonObject {
  const { heap, ...rest } = document;
  if (stores.length === 0 || !Array.isArray(heap)) return document;
  const own = (heap as readonly JsonValue[]).filter(
    (object) => !isJsonObject(object) || !stores.some((name) => name === object['name']),
  );
  return own.length === 0 ? rest : { ...document, heap: own };
}

interface Injection {
  readonly objects: readonly JsonObject[];
  readonly files: Readonly<Record<string, string>>;
}

/** The stores as objects of a heap: under the name that the document has for them, and those that they need. */
function injection(found: ReadonlyMap<string, FoundStore>): Injection {
  const objects = new Map<string, JsonObject>();
  const files: Record<string, string> = {};
  for (const [name, { draft, fault }] of found) {
    if (fault !== null || draft.objects === null) continue;
    const [own, ...others] = draft.objects;
    objects.set(name, { ...own, name });
    for (const other of others) objects.set(String(other['name']), other);
    Object.assign(files, draft.files);
  }
  return { objects: [...objects.values()], files };
}

function bodyFields({ objects, files }: Injection): Pick<RouteBody, 'files' | 'stores'> {
  if (objects.length === 0) return {};
  const stores = objects.map((object) => String(object['name']));
  return { stores, ...(Object.keys(files).length === 0 ? {} : { files }) };
}

/** Tells what is wrong with the document from what is wrong with the resources that it refers to. */
function sorted(
  judgement: Judgement,
  wanted: readonly UnknownReference[],
  found: ReadonlyMap<string, FoundStore>,
  ownObjects: number,
): { problems: Problem[]; faults: ReferenceFault[] } {
  const isInjected = ({ path: [heap, index] }: Problem): boolean => heap === 'heap' && Number(index) >= ownObjects;
  const about = judgement.problems.filter((problem) => !isAbout(problem, wanted));
  const faults = wanted.flatMap(({ name, path }): ReferenceFault[] => {
    const fault = found.get(name)?.fault ?? null;
    return fault === null ? [] : [{ ...fault, path }];
  });
  for (const problem of about) {
    if (problem.severity !== 'error' || !isInjected(problem)) continue;
    const message = `a SecretStore that it uses cannot be used here: ${problem.message}`;
    faults.push({ reason: 'StoreInvalid', path: wanted[0]?.path ?? [], message });
  }
  return { problems: about.filter((problem) => !isInjected(problem)), faults };
}

/**
 * What was wrong without the stores and is not a reference to one of them: the document does not get at their files, nor
 * at stores that they need, by having its own objects name these.
 */
function overreaching(bare: Judgement, wanted: readonly UnknownReference[], known: readonly Problem[]): Problem[] {
  const told = new Set(known.map(({ path }) => pathText(path)));
  return bare.problems.filter(
    (problem) =>
      (problem.code === 'reference' || problem.code === 'not-allowed') &&
      problem.severity === 'error' &&
      !isAbout(problem, wanted) &&
      !told.has(pathText(problem.path)),
  );
}

function withObjects(document: JsonObject, objects: readonly JsonObject[]): JsonObject {
  const heap = document['heap'];
  return { ...document, heap: Array.isArray(heap) ? [...(heap as readonly JsonValue[]), ...objects] : objects };
}

function heapLength({ heap }: JsonObject): number {
  return Array.isArray(heap) ? heap.length : 0;
}

/** The AuditService that a document names, unless that is an object of its own. */
function auditUse({ auditService, heap }: JsonObject, { auditServices, namespace }: RoutePlace): AuditUse | null {
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
  const message = `the AuditService ${key} does not have the namespace ${namespace} in its spec.allowedNamespaces`;
  return { key, fault: { reason: 'AuditServiceNotGranted', message } };
}
