import type { JsonObject } from '../../contract/document/json-value.ts';
import { nameOf, objectOr, ReviewFault, reviewRequest, textOr } from './review-envelope.ts';

/** A Pod that somebody wants to create or do something with, as the API server asks about it. */
export interface InjectionRequest {
  /** Ties the answer to the question. */
  readonly uid: string;
  readonly namespace: string;
  /** Of a Pod that is yet to get a name, what its name will begin with. */
  readonly name: string;
  /** Null when it is there already, or when only a part of it is asked about: a sidecar comes with a Pod or never. */
  readonly pod: JsonObject | null;
}

/** Reads an AdmissionReview of a Pod. @throws ReviewFault */
export function readInjectionReview(text: string): InjectionRequest {
  const request = reviewRequest(text);
  const { group, kind } = objectOr(request['kind'], 'request.kind');
  if (group !== '' || kind !== 'Pod') throw new ReviewFault('request.kind must be Pod');
  const isNew = request['operation'] === 'CREATE' && (request['subResource'] ?? '') === '';
  const pod = isNew ? objectOr(request['object'], 'request.object') : null;
  return {
    uid: textOr(request['uid'], 'request.uid'),
    namespace: textOr(request['namespace'], 'request.namespace'),
    name: nameOf(request, pod),
    pod,
  };
}
