import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import { GROUP } from '../../contract/resources/resource.ts';
import type { Addition } from '../injection/pod-patch.ts';
import type { AdmissionJudge } from './admission-judge.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { breaksText, errorsText, routesText, shortWarnings, warningText } from './admission-texts.ts';
import { metadataOf } from './review-envelope.ts';

/** With this annotation an object may be changed or deleted although Routes would break. */
export const FORCE_ANNOTATION = `${GROUP}/force`;

/** Answer to the API server. */
export interface AdmissionVerdict {
  /** Null when it may be. */
  readonly denial: Denial | null;
  readonly warnings: readonly string[];
  /** What is put into the object before it is stored; nothing by default. */
  readonly additions?: readonly Addition[];
}

export interface Denial {
  readonly code: 403 | 422;
  readonly reason: 'Forbidden' | 'Invalid';
  readonly message: string;
}

/** They clean up what somebody was allowed to delete: to stop them would leave a namespace half deleted for good. */
const cleaners: ReadonlySet<string> = new Set([
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  'system:kube-controller-manager', // both of them, where they have no accounts of their own
]);

const unjudged =
  'gatewarden could not validate this yet, because the controller has not read the cluster; it was admitted, and its status will show any problems';

/** Decides whether an object may be as somebody wants it. */
export function admissionVerdict(request: AdmissionRequest, judge: AdmissionJudge): AdmissionVerdict {
  if (isLeaving(request)) return { denial: null, warnings: [] };
  const opinion = judge.judge(request);
  if (opinion === null) return { denial: null, warnings: [unjudged] };
  const label = `${request.kind} ${request.namespace}/${request.name}`;
  const errors = opinion.problems.filter(({ severity }) => severity === 'error');
  const warnings = opinion.problems.filter(({ severity }) => severity === 'warning').map(warningText);
  if (errors.length > 0 && !isAsBefore(request)) {
    const denial = { code: 422, reason: 'Invalid', message: errorsText(label, errors) } as const;
    return { denial, warnings: shortWarnings(warnings) };
  }
  const said = [...errors.map(warningText), ...warnings, ...opinion.notes];
  if (opinion.breaks.length === 0) return { denial: null, warnings: shortWarnings(said) };
  if (isForced(request)) {
    return { denial: null, warnings: shortWarnings([`${routesText(opinion.breaks)} will reject requests`, ...said]) };
  }
  const message = breaksText(
    label,
    opinion.breaks,
    `to allow that, set the annotation ${FORCE_ANNOTATION}: "true" on it`,
  );
  return { denial: { code: 403, reason: 'Forbidden', message }, warnings: shortWarnings(said) };
}

/** Whether the object is on its way out, which nothing may hold up. */
function isLeaving({ operation, object, user }: AdmissionRequest): boolean {
  if (operation === 'DELETE') return cleaners.has(user);
  return metadataOf(object)['deletionTimestamp'] !== undefined;
}

/** Whether nothing changes but labels, finalizers and the like: a fault that is already there is no reason to refuse. */
function isAsBefore({ operation, object, oldObject }: AdmissionRequest): boolean {
  return operation !== 'CREATE' && isDeepStrictEqual(object?.['spec'], oldObject?.['spec']);
}

/** The object that is to go says so itself, and one that is to change says so in its new version. */
function isForced({ object, oldObject }: AdmissionRequest): boolean {
  const annotations: JsonObject | undefined = annotationsOf(object ?? oldObject);
  return annotations?.[FORCE_ANNOTATION] === 'true';
}

function annotationsOf(object: JsonObject | null): JsonObject | undefined {
  const annotations = metadataOf(object)['annotations'];
  return isJsonObject(annotations) ? annotations : undefined;
}
