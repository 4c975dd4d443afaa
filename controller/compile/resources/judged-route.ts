import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { serviceLendName } from '../../../contract/resources/service-reference.ts';
import type { Kind } from '../../../contract/vocabulary/reference.ts';
import { workTogether } from '../../../contract/work-budget.ts';
import type { TenantMeans } from '../checker.ts';
import { hasErrors } from '../verdict.ts';
import type { Pass } from './pass.ts';
import type { ReferenceFault } from './reference-fault.ts';
import { auditResourceKey, isAuditReference } from './shared/audit-drafts.ts';
import type { ServiceNote } from './shared/service-content.ts';
import type { SharedOffer } from './shared/shared-drafts.ts';
import { isAbout, isStoreReference, storeResourceKey } from './store-drafts.ts';
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
  /** What the writer should know of Services that can be used. */
  readonly notes: readonly ServiceNote[];
  /** Null when it cannot be served. */
  readonly body: RouteBody | null;
  /** The shared resources that were looked for, by key: as long as they are the same, so is this. */
  readonly uses: readonly (readonly [key: string, offer: SharedOffer | null])[];
}

/** A shared resource that a name of the document stands for. */
interface FoundShared {
  /** The key under which data planes get it. */
  readonly key: string;
  readonly type: string;
  readonly offer: SharedOffer | null;
  readonly fault: Omit<ReferenceFault, 'path'> | null;
}

/** Verdict on a document that could not be validated. */
export function unjudgedRoute(problems: readonly Problem[]): JudgedRoute {
  return { conditionIsReadable: false, problems, faults: [], notes: [], body: null, uses: [] };
}

/**
 * Judges the document of a Route, whose tokens are resolved, against what the resources that it refers to offer.
 * @param keeps whether it served before: it then goes on with the last valid version of an AuditService
 */
export function judgeRoute(
  document: JsonObject,
  name: string,
  namespace: string,
  pass: Pass,
  keeps = false,
): JudgedRoute {
  try {
    return workTogether(() => judged(document, name, namespace, pass, keeps));
  } catch (error) {
    return unjudgedRoute([unjudgeable(error)]);
  }
}

function judged(document: JsonObject, name: string, namespace: string, pass: Pass, keeps: boolean): JudgedRoute {
  const { router, sharedObjects } = pass.terms;
  const found = new Map<string, FoundShared>();
  const asked: FoundShared[] = [];
  const lend: TenantMeans['lend'] = (kind, called) => {
    const one = sharedBy(kind, called, namespace, pass, keeps);
    if (one === null) return null;
    const other = found.get(called);
    const isClash = other !== undefined && other.key !== one.key;
    if (!isClash) found.set(called, one);
    asked.push(isClash ? { ...one, fault: clash(called, namespace) } : one);
    return isClash || one.fault !== null ? null : one.type;
  };
  const judgement = router.route(document, name, { sharedObjects, files: {}, lend });
  const missing = judgement.unknownReferences.filter((one) => isStoreReference(one) || isAuditReference(one));
  const problems = judgement.problems.filter((problem) => !isAbout(problem, missing));
  const services = judgement.services.map(({ path, ...use }) => ({
    ...{ path, name: serviceLendName(use) },
    ...pass.shared.services.find(use, namespace, keeps),
  }));
  const lacking = missing.flatMap(({ kind, name: called, path }): ReferenceFault[] => {
    const key = sharedBy(kind, called, namespace, pass, keeps)?.key;
    const fault = asked.find((one) => one.key === key && one.fault !== null)?.fault ?? null;
    return fault === null ? [] : [{ ...fault, path }];
  });
  const faults = [...lacking, ...services.flatMap(({ fault, path }) => (fault === null ? [] : [{ ...fault, path }]))];
  const isServable = judgement.sound && faults.length === 0 && !hasErrors(problems);
  return {
    conditionIsReadable: judgement.conditionIsReadable,
    problems,
    faults,
    notes: services.flatMap(({ note }) => note ?? []),
    body: isServable
      ? { document, ...resourcesOf([...found, ...services.map((one) => [one.name, one] as const)]) }
      : null,
    uses: [...new Map([...asked, ...services].map(({ key, offer }) => [key, offer]))],
  };
}

function sharedBy(kind: Kind, name: string, namespace: string, pass: Pass, keeps: boolean): FoundShared | null {
  const { stores, audits } = pass.shared;
  if (isStoreReference({ kind, name })) {
    const { key, draft, fault } = stores.find(name, namespace);
    const offer = draft?.offer ?? null;
    return { key: storeResourceKey(key), type: offer?.type ?? '', offer, fault };
  }
  if (!isAuditReference({ kind, name })) return null;
  const { key, offer, fault } = audits.find(name, namespace, keeps);
  return { key: auditResourceKey(key), type: 'AuditService', offer, fault };
}

/** A document has one object for a name. */
function clash(name: string, namespace: string): Omit<ReferenceFault, 'path'> {
  const hint = name.includes('/') ? 'rename one of them' : `write '${namespace}/${name}' for one of them`;
  return { reason: 'NameAmbiguous', message: `'${name}' stands for a SecretStore and for an AuditService: ${hint}` };
}

/** Whether what a judgement was based on is as it was. */
export function isStillJudged({ uses }: JudgedRoute, { shared }: Pass): boolean {
  return uses.every(([key, offer]) => shared.offer(key) === offer);
}

function resourcesOf(
  found: readonly (readonly [name: string, shared: { readonly key: string }])[],
): Pick<RouteBody, 'resources'> {
  if (found.length === 0) return {};
  return { resources: Object.fromEntries(found.map(([name, { key }]) => [name, key])) };
}
