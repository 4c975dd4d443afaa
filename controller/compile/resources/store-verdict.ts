import type { Resource } from '../../../contract/resources/resource.ts';
import { conditionText, problemPart } from './condition-text.ts';
import type { AcceptedReason, ConditionVerdict, ResourceVerdict } from './resource-verdict.ts';
import { faultProblem, isNotAvailable, resolvedRefs } from './route-verdict.ts';
import type { StoreDraft } from './store-drafts.ts';

const nowhere = { servingGeneration: null, route: null, dataPlanes: null };
const resolved = { status: true, reason: 'ResolvedRefs', message: 'it has no references' } as const;

/** Returns the verdict on a SecretStore. */
export function storeVerdict(resource: Resource, { problems, faults, offer }: StoreDraft): ResourceVerdict {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const outcome = offer.fault !== null ? 'Routes that use it reject their requests' : null;
  return {
    ...nowhere,
    resource,
    accepted: accepted(),
    resolvedRefs: resolvedRefs(faults, outcome),
    problems: [...problems, ...faults.map(faultProblem)].map((one) => ({ ...one, path: ['spec', ...one.path] })),
    serves: offer.fault !== null ? 'nothing' : 'this',
  };

  function accepted(): ConditionVerdict<AcceptedReason> {
    if (errors.length === 0) {
      const parts = ['it is valid', ...problems.map(problemPart)];
      return { status: true, reason: 'Accepted', message: conditionText(parts, null) };
    }
    const reason = isNotAvailable(errors) ? 'NotAvailable' : 'Invalid';
    return { status: false, reason, message: conditionText(errors.map(problemPart), outcome) };
  }
}

/** Returns the verdict on an AuditService, which is stored for a later version. */
export function auditServiceVerdict(resource: Resource): ResourceVerdict {
  const message = 'is known, but not available in this version: the resource is stored, but nothing is recorded';
  return {
    ...nowhere,
    resource,
    accepted: { status: false, reason: 'NotAvailable', message },
    resolvedRefs: resolved,
    problems: [{ code: 'unavailable-type', severity: 'error', path: ['spec'], message }],
    serves: 'nothing',
  };
}

/** Returns the verdict on every resource while nothing can be served. */
export function waitingVerdict(resource: Resource, why: string): ResourceVerdict {
  const message = `${why}; nothing is served`;
  return {
    ...nowhere,
    resource,
    accepted: { status: false, reason: 'BaseConfigurationInvalid', message },
    resolvedRefs: { status: false, reason: 'Pending', message },
    problems: [],
    serves: 'waits',
    ...(resource.lastGood === null ? {} : { lastGood: resource.lastGood }),
  };
}
