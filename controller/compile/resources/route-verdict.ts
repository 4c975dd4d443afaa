import type { Problem } from '../../../contract/problem.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { conditionText, faultPart, problemPart } from './condition-text.ts';
import type { ReferenceFault } from './reference-fault.ts';
import type { AcceptedReason, ConditionVerdict, ResolvedRefsReason, ResourceVerdict } from './resource-verdict.ts';
import type { RouteChoice } from './route-choice.ts';
import type { RouteResourceDraft } from './route-resource-draft.ts';
import type { ServiceNote } from './shared/service-content.ts';

/** Facts for the verdict on a Route. */
export interface RouteFacts {
  readonly resource: Resource;
  /** Null when it was not judged: it is nobody's. */
  readonly draft: RouteResourceDraft | null;
  readonly tenant: string | null;
  /** What it is served by; null for nothing. */
  readonly choice: RouteChoice | null;
  /** Who has its name, if somebody else does. */
  readonly owner: string | null;
  /** Why the version that was accepted last does not serve either. */
  readonly lost: string | null;
}

/** Returns the verdict on a Route. */
export function routeVerdict(facts: RouteFacts): ResourceVerdict {
  const { resource, draft, tenant, choice, owner } = facts;
  const faults = draft?.judged.faults ?? [];
  const problems = [
    ...(draft?.judged.problems ?? []),
    ...faults.map(faultProblem),
    ...(tenant === null ? [notGranted(resource)] : []),
    ...(owner === null ? [] : [nameTaken(draft?.identity?.name ?? '', owner)]),
  ];
  const outcome = outcomeOf(choice);
  const { lastGood = null, remembered = null } = choice ?? {};
  return {
    resource,
    accepted: accepted(facts, outcome),
    resolvedRefs: resolvedRefs(faults, outcome, draft?.judged.notes),
    problems: problems.map((problem) => ({ ...problem, path: ['spec', ...problem.path] })),
    serves: choice?.serves ?? 'nothing',
    servingGeneration: choice?.generation ?? null,
    route: choice?.route ?? null,
    dataPlanes: (choice ?? draft)?.dataPlanes ?? null,
    ...(lastGood === null ? {} : { lastGood }),
    ...(remembered === null ? {} : { remembered }),
  };
}

export function resolvedRefs(
  faults: readonly ReferenceFault[],
  outcome: string | null,
  notes: readonly ServiceNote[] = [],
): ConditionVerdict<ResolvedRefsReason> {
  const [first] = [...faults.filter(({ reason }) => reason !== 'Pending'), ...faults];
  if (first === undefined && notes.length > 0) {
    const isWithout = notes.some(({ reason }) => reason === 'NoReadyEndpoints');
    const messages = new Set(notes.map(({ message }) => message));
    const reason = isWithout ? 'NoReadyEndpoints' : 'EndpointsLeftOut';
    return { status: true, reason, message: conditionText([...messages], outcome) };
  }
  if (first === undefined) {
    return { status: true, reason: 'ResolvedRefs', message: 'all references are resolved' };
  }
  return { status: false, reason: first.reason, message: conditionText(faults.map(faultPart), outcome) };
}

/** A fault as `gatewarden check` tells it. */
export function faultProblem({ path, message }: ReferenceFault): Problem {
  return { code: 'reference', severity: 'error', path, message };
}

/** Whether all that is wrong is that something is not available in this version. */
export function isNotAvailable(errors: readonly Problem[]): boolean {
  return errors.length > 0 && errors.every(({ code }) => code === 'unavailable-field' || code === 'unavailable-type');
}

export function nameTaken(name: string, owner: string): Problem {
  const message = `the name '${name}' already belongs to ${owner}, which is older`;
  const hint = 'names of Routes are unique within a tenant';
  return { code: 'route-name', severity: 'error', path: ['name'], message, hint };
}

export function notGranted({ namespace }: Resource): Problem {
  const message = `the namespace ${namespace} belongs to no tenant, so it has no hosts`;
  const hint = 'an operator lists namespaces and their hosts in trust.json';
  return { code: 'not-allowed', severity: 'error', path: [], message, hint };
}

function accepted(facts: RouteFacts, outcome: string | null): ConditionVerdict<AcceptedReason> {
  const { resource, draft, tenant, owner, lost } = facts;
  const all = draft?.judged.problems ?? [];
  const errors = all.filter(({ severity }) => severity === 'error');
  const refuse = (reason: AcceptedReason, problems: readonly Problem[]): ConditionVerdict<AcceptedReason> => {
    const parts = [...problems.map(problemPart), ...(lost === null ? [] : [lost])];
    return { status: false, reason, message: conditionText(parts, outcome) };
  };
  if (tenant === null) return refuse('HostNotGranted', [notGranted(resource)]);
  if (owner !== null) return refuse('NameTaken', [...errors, nameTaken(draft?.identity?.name ?? '', owner)]);
  if (isNotAvailable(errors)) return refuse('NotAvailable', errors);
  if (errors.length > 0) return refuse('Invalid', errors);
  const sound = all.length === 0 ? 'it is valid' : 'it is valid, with warnings';
  return { status: true, reason: 'Accepted', message: conditionText([sound, ...all.map(problemPart)], outcome) };
}

/** What requests meet; null when that is this version. */
function outcomeOf(choice: RouteChoice | null): string | null {
  if (choice === null) return 'it receives no requests';
  if (choice.serves === 'refuses') return 'its requests are rejected with 500';
  return choice.serves === 'this' ? null : `generation ${choice.generation} keeps serving`;
}
