import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readReview } from '../../../controller/admission/admission-request.ts';
import { ReviewFault } from '../../../controller/admission/review-envelope.ts';
import { review } from '../../support/cluster/admission-review.ts';

const read = (value: unknown): ReturnType<typeof readReview> => readReview(JSON.stringify(value));
const stored = { metadata: { name: 'orders' }, spec: {} };

describe('readReview', () => {
  it('reads the review request', () => {
    expect(read(review())).toEqual({
      uid: 'u-1',
      operation: 'CREATE',
      kind: 'Route',
      namespace: 'shop',
      name: 'orders',
      user: 'alice',
      object: { metadata: { name: 'orders', namespace: 'shop' }, spec: { handler: 'ReverseProxyHandler' } },
      oldObject: null,
    });
  });

  it('uses the stored object for a deletion', () => {
    const asked = read(review({ operation: 'DELETE', object: null, oldObject: stored }));
    expect(asked).toMatchObject({ object: null, oldObject: stored });
  });

  it.each<[string, JsonObject, string]>([
    ['of the request', { name: 'orders' }, 'orders'],
    ['of the object', { name: '', object: { metadata: { name: 'bills' } } }, 'bills'],
    ['that is yet to be made', { name: '', object: { metadata: { generateName: 'bill-' } } }, 'bill-'],
    ['of what goes', { name: '', operation: 'DELETE', object: null, oldObject: stored }, 'orders'],
    ['that is missing', { name: '', object: {} }, ''],
  ])('reads the name %s', (_, fields, name) => {
    expect(read(review(fields)).name).toBe(name);
  });

  it.each<[string, unknown, string]>([
    ['an array', [], 'the review must be an object'],
    ['another version', { ...review(), apiVersion: 'admission.k8s.io/v1beta1' }, 'must be an AdmissionReview of'],
    ['another kind of review', { ...review(), kind: 'ConversionReview' }, 'must be an AdmissionReview of'],
    ['no request', { ...review(), request: null }, 'request must be an object'],
    ['no uid', review({ uid: '' }), 'request.uid must be a text'],
    ['no namespace', review({ namespace: 7 }), 'request.namespace must be a text'],
    ['CONNECT', review({ operation: 'CONNECT' }), 'request.operation must be one of'],
    ['another group', review({ kind: { group: 'apps', kind: 'Route' } }), 'request.kind must be Route, SecretStore'],
    ['another resource', review({ kind: { group: 'gatewarden.io', kind: 'Pod' } }), 'request.kind must be Route'],
    ['no object to create', review({ object: null }), 'request.object must be an object'],
    ['no object to change', review({ operation: 'UPDATE' }), 'request.oldObject must be an object'],
  ])('refuses %s', (_, value, text) => {
    expect(() => read(value)).toThrow(ReviewFault);
    expect(() => read(value)).toThrow(text);
  });

  it('rejects a body that is not JSON', () => {
    expect(() => readReview('{')).toThrow('must be JSON');
  });
});
