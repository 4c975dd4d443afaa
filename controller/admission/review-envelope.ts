import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';

/** Thrown about a review that cannot be one. */
export class ReviewFault extends Error {
  override readonly name = 'ReviewFault';
}

export const REVIEW_VERSION = 'admission.k8s.io/v1';

/** The request in an AdmissionReview. @throws ReviewFault */
export function reviewRequest(text: string): JsonObject {
  const review = parsed(text);
  if (review['apiVersion'] !== REVIEW_VERSION || review['kind'] !== 'AdmissionReview') {
    throw new ReviewFault(`must be an AdmissionReview of ${REVIEW_VERSION}`);
  }
  return objectOr(review['request'], 'request');
}

/** The metadata of an object of the cluster; empty when it has none. */
export function metadataOf(object: JsonObject | null): JsonObject {
  const metadata = object?.['metadata'];
  return isJsonObject(metadata) ? metadata : {};
}

/** Of an object that is yet to get a name, what its name will begin with. */
export function nameOf(request: JsonObject, object: JsonObject | null): string {
  const metadata = metadataOf(object);
  return [request['name'], metadata['name'], metadata['generateName']].find(isName) ?? '';
}

/** @throws ReviewFault */
export function objectOr(value: JsonValue | undefined, what: string): JsonObject {
  if (!isJsonObject(value)) throw new ReviewFault(`${what} must be an object`);
  return value;
}

/** @throws ReviewFault */
export function textOr(value: JsonValue | undefined, what: string): string {
  if (!isName(value)) throw new ReviewFault(`${what} must be a text`);
  return value;
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
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
