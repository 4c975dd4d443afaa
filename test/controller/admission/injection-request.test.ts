import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readInjectionReview } from '../../../controller/admission/injection-request.ts';
import { ReviewFault } from '../../../controller/admission/review-envelope.ts';
import { podReview } from '../../support/cluster/admission-review.ts';
import { plainPod } from '../../support/cluster/injected-pod.ts';

const read = (fields: JsonObject = {}): ReturnType<typeof readInjectionReview> =>
  readInjectionReview(JSON.stringify(podReview(plainPod(), fields)));

describe('readInjectionReview', () => {
  it('reads the Pod of the review', () => {
    expect(read()).toEqual({ uid: 'u-1', namespace: 'shop', name: 'web', pod: plainPod() });
  });

  it('uses generateName if there is no name', () => {
    expect(read({ object: { metadata: { generateName: 'web-' } } }).name).toBe('web-');
  });

  it.each<[string, JsonObject]>([
    ['is changed', { operation: 'UPDATE', oldObject: plainPod() }],
    ['is deleted', { operation: 'DELETE', object: null, oldObject: plainPod() }],
    ['gets an ephemeral container', { operation: 'UPDATE', subResource: 'ephemeralcontainers' }],
    ['is bound', { operation: 'CREATE', subResource: 'binding', object: {} }],
  ])('sees no new Pod where one %s', (_, fields) => {
    expect(read(fields).pod).toBeNull();
  });

  it.each<[string, JsonObject, string]>([
    ['of something else', { kind: { group: 'apps', kind: 'Deployment' } }, 'request.kind must be Pod'],
    ['of a Pod of another group', { kind: { group: 'x', kind: 'Pod' } }, 'request.kind must be Pod'],
    ['without a Pod', { object: null }, 'request.object must be an object'],
    ['without a namespace', { namespace: '' }, 'request.namespace must be a text'],
  ])('refuses a review %s', (_, fields, message) => {
    expect(() => read(fields)).toThrow(new ReviewFault(message));
  });
});
