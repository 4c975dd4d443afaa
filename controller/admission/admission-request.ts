import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { GROUP, type ResourceKind, resourceKinds } from '../../contract/resources/resource.ts';

/** What somebody wants to do with a resource, as the API server asks about it. */
export interface AdmissionRequest {
  /** Ties the answer to the question. */
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly kind: ResourceKind;
  readonly namespace: string;
  /** Of an object that is yet to get a name, what its name will begin with. */
  readonly name: string;
  readonly user: string;
  /** As it is to be; null when it is to go. */
  readonly object: JsonObject | null;
  /** As it is; null when it is new. */
  readonly oldObject: JsonObject | null;
}

/** Thrown about a review that cannot be one. */
export class ReviewFault extends Error {
  override readonly name = 'ReviewFault';
}

export const REVIEW_VERSION = 'admission.k8s.io/v1';

const operations = ['CREATE', 'UPDATE', 'DELETE'] as const;

/** Reads an AdmissionReview. @throws ReviewFault */
export function readReview(text: string): AdmissionRequest {
  const review = parsed(text);
  if (review['apiVersion'] !== REVIEW_VERSION || review['kind'] !== 'AdmissionReview') {
    throw new ReviewFault(`must be an AdmissionReview of ${REVIEW_VERSION}`);
  }
  const request = objectOr(review['request'], 'request');
  const operation = operations.find((one) => one === request['operation']);
  if (operation === undefined) throw new ReviewFault(`request.operation must be one of ${operations.join(', ')}`);
  const object = operation === 'DELETE' ? null : objectOr(request['object'], 'request.object');
  const oldObject = operation === 'CREATE' ? null : objectOr(request['oldObject'], 'request.oldObject');
  const metadata = metadataOf(object ?? oldObject);
  return {
    uid: textOr(request['uid'], 'request.uid'),
    operation,
    kind: kindOf(objectOr(request['kind'], 'request.kind')),
    namespace: textOr(request['namespace'], 'request.namespace'),
    name: [request['name'], metadata['name'], metadata['generateName']].find(isName) ?? '',
    user: userOf(request['userInfo']),
    object,
    oldObject,
  };
}

/** The metadata of an object of the cluster; empty when it has none. */
export function metadataOf(object: JsonObject | null): JsonObject {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

function parsed(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReviewFault('must be JSON');
  }
  return objectOr(value, 'the review');
}

function kindOf({ group, kind }: JsonObject): ResourceKind {
  const known = resourceKinds.find((one) => one === kind);
  if (group !== GROUP || known === undefined) {
    throw new ReviewFault(`request.kind must be ${resourceKinds.join(', ')} of ${GROUP}`);
  }
  return known;
}

function userOf(info: JsonValue | undefined): string {
  const name = isJsonObject(info) ? info['username'] : undefined;
  return typeof name === 'string' ? name : '';
}

function objectOr(value: JsonValue | undefined, what: string): JsonObject {
  if (!isJsonObject(value)) throw new ReviewFault(`${what} must be an object`);
  return value;
}

function textOr(value: JsonValue | undefined, what: string): string {
  if (!isName(value)) throw new ReviewFault(`${what} must be a text`);
  return value;
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
