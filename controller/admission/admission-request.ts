import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { GROUP, type ResourceKind, resourceKinds } from '../../contract/resources/resource.ts';
import { nameOf, objectOr, ReviewFault, reviewRequest, textOr } from './review-envelope.ts';

/** Requested change of a resource, as the API server asks about it. */
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

const operations = ['CREATE', 'UPDATE', 'DELETE'] as const;

/** Reads an AdmissionReview. @throws ReviewFault */
export function readReview(text: string): AdmissionRequest {
  const request = reviewRequest(text);
  const operation = operations.find((one) => one === request['operation']);
  if (operation === undefined) throw new ReviewFault(`request.operation must be one of ${operations.join(', ')}`);
  const object = operation === 'DELETE' ? null : objectOr(request['object'], 'request.object');
  const oldObject = operation === 'CREATE' ? null : objectOr(request['oldObject'], 'request.oldObject');
  return {
    uid: textOr(request['uid'], 'request.uid'),
    operation,
    kind: kindOf(objectOr(request['kind'], 'request.kind')),
    namespace: textOr(request['namespace'], 'request.namespace'),
    name: nameOf(request, object ?? oldObject),
    user: userOf(request['userInfo']),
    object,
    oldObject,
  };
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
