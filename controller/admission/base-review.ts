import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import { shortWarnings } from './admission-texts.ts';
import { type AdmissionVerdict, FORCE_ANNOTATION } from './admission-verdict.ts';
import { metadataOf, nameOf, objectOr, reviewRequest, textOr } from './review-envelope.ts';

/** Requested ConfigMap of the base configuration. */
export interface BaseReview {
  /** Ties the answer to the question. */
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
  /** As it is; null when it is new. */
  readonly oldObject: JsonObject | null;
}

/** Verdict of the compiler on a base configuration. */
export interface BaseOpinion {
  /** Why it would not be used, each with its file and path. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Why Routes that are there would not be served any more; null when they would. */
  readonly breaks: string | null;
}

export interface BaseJudge {
  /** The ConfigMap of the base configuration, which is judged and no other. */
  readonly base: { readonly namespace: string; readonly name: string };
  /** Of this controller: what is written for another version is for that version to judge. */
  readonly version: string;
  /** Null as long as not everything was read that a verdict depends on. */
  judge(configMap: JsonObject): BaseOpinion | null;
}

/** Reads an AdmissionReview of a ConfigMap that is created or updated. @throws ReviewFault */
export function readBaseReview(text: string): BaseReview {
  const request = reviewRequest(text);
  const object = objectOr(request['object'], 'request.object');
  const oldObject = request['oldObject'];
  return {
    uid: textOr(request['uid'], 'request.uid'),
    namespace: textOr(request['namespace'], 'request.namespace'),
    name: nameOf(request, object),
    object,
    oldObject: isJsonObject(oldObject) ? oldObject : null,
  };
}

/** Decides whether the base configuration may be as somebody wants it. */
export function baseVerdict(review: BaseReview, judge: BaseJudge): AdmissionVerdict {
  const { namespace, name, object, oldObject } = review;
  const metadata = metadataOf(object);
  const isAnother = namespace !== judge.base.namespace || name !== judge.base.name;
  if (isAnother || metadata['deletionTimestamp'] !== undefined) return allowed();
  // a fault that is already there is no reason to refuse other labels
  if (oldObject !== null && hasSameData(object, oldObject)) return allowed();
  const version = textIn(metadata['labels'], 'app.kubernetes.io/version');
  if (version !== undefined && version !== judge.version) {
    return allowed(`was not validated: it is for version ${version}, and this controller is ${judge.version}`);
  }
  const opinion = judge.judge(object);
  if (opinion === null) return allowed('was not validated: the controller has not read the cluster yet');
  const { errors, breaks } = opinion;
  const isForced = textIn(metadata['annotations'], FORCE_ANNOTATION) === 'true';
  const warnings = shortWarnings([...opinion.warnings, ...(breaks !== null && isForced ? [breaks] : [])]);
  const label = `ConfigMap ${namespace}/${name}`;
  if (errors.length > 0) {
    const message = `${label}: the base configuration is not valid\n${errors.join('\n')}`;
    return { denial: { code: 422, reason: 'Invalid', message }, warnings };
  }
  if (breaks === null || isForced) return { denial: null, warnings };
  const message = `${label}: ${breaks}; to allow that, set the annotation ${FORCE_ANNOTATION}: "true" on it`;
  return { denial: { code: 403, reason: 'Forbidden', message }, warnings };
}

function allowed(warning?: string): AdmissionVerdict {
  return { denial: null, warnings: warning === undefined ? [] : [`the base configuration ${warning}`] };
}

function hasSameData(a: JsonObject, b: JsonObject): boolean {
  return ['data', 'binaryData'].every((key) => isDeepStrictEqual(a[key] ?? {}, b[key] ?? {}));
}

function textIn(values: JsonObject[string] | undefined, key: string): string | undefined {
  const value = isJsonObject(values) ? values[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}
