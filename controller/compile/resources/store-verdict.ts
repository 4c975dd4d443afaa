import type { Resource } from '../../../contract/resources/resource.ts';
import { conditionText, problemPart } from './condition-text.ts';
import type { AcceptedReason, ConditionVerdict, ResourceVerdict } from './resource-verdict.ts';
import { faultProblem, isNotAvailable, resolvedRefs } from './route-verdict.ts';
import type { AuditDraft } from './shared/audit-drafts.ts';
import type { SharedDraft } from './shared/shared-drafts.ts';
import type { StoreDraft } from './store-drafts.ts';

const nowhere = { servingGeneration: null, route: null, dataPlanes: null };

/** Returns the verdict on a SecretStore. */
export function storeVerdict(resource: Resource, draft: StoreDraft): ResourceVerdict {
  return sharedVerdict(resource, draft, draft.offer.fault !== null ? 'nothing' : 'this');
}

/** Returns the verdict on an AuditService. */
export function auditServiceVerdict(resource: Resource, draft: AuditDraft): ResourceVerdict {
  const { fault, isKept } = draft.offer;
  return sharedVerdict(resource, draft, fault === null ? 'this' : isKept ? 'last-good' : 'nothing');
}

const OUTCOMES = {
  this: null,
  nothing: 'Routes that use it reject their requests',
  'last-good': 'Routes that used it keep its last valid version',
};

function sharedVerdict(
  resource: Resource,
  { problems, faults }: SharedDraft,
  serves: keyof typeof OUTCOMES,
): ResourceVerdict {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const outcome = OUTCOMES[serves];
  return {
    ...nowhere,
    resource,
    accepted: accepted(),
    resolvedRefs: resolvedRefs(faults, outcome),
    problems: [...problems, ...faults.map(faultProblem)].map((one) => ({ ...one, path: ['spec', ...one.path] })),
    serves,
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
