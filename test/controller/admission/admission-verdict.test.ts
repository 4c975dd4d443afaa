import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { AdmissionOpinion } from '../../../controller/admission/admission-judge.ts';
import { readReview } from '../../../controller/admission/admission-request.ts';
import { type AdmissionVerdict, admissionVerdict } from '../../../controller/admission/admission-verdict.ts';
import { review, settledJudge } from '../../support/cluster/admission-review.ts';

const missing: Problem = {
  code: 'missing',
  severity: 'error',
  path: ['spec', 'handler'],
  message: 'a route needs a handler',
};
const unknown: Problem = {
  code: 'unknown-field',
  severity: 'error',
  path: ['spec', 'heap', 0, 'config', 'scpoes'],
  message: "there is no field 'scpoes'",
  hint: "did you mean 'scopes'?",
};
const deprecated: Problem = {
  code: 'deprecated-field',
  severity: 'warning',
  path: ['spec', 'monitor'],
  message: "'monitor' is deprecated",
};

const store = { kind: { group: 'gatewarden.io', kind: 'SecretStore' }, name: 'keys' };
const before = { metadata: {}, spec: { type: 'FileSystemSecretStore' } };
const after = { metadata: {}, spec: { type: 'Base64EncodedSecretStore' } };
const forced = { annotations: { 'gatewarden.io/force': 'true' } };

function verdict(fields: JsonObject, opinion: Partial<AdmissionOpinion> | null): AdmissionVerdict {
  return admissionVerdict(readReview(JSON.stringify(review(fields))), settledJudge(opinion));
}

describe('admissionVerdict', () => {
  it('admits a valid object without warnings', () => {
    expect(verdict({}, {})).toEqual({ denial: null, warnings: [] });
  });

  it('lists all errors at once, in the words of gatewarden check, with warnings', () => {
    expect(verdict({}, { problems: [missing, deprecated, unknown] })).toEqual({
      denial: {
        code: 422,
        reason: 'Invalid',
        message: [
          'error: Route shop/orders → spec.handler: a route needs a handler [missing]',
          "error: Route shop/orders → spec.heap[0].config.scpoes: there is no field 'scpoes' [unknown-field]",
          "  hint: did you mean 'scopes'?",
        ].join('\n'),
      },
      warnings: ["spec.monitor: 'monitor' is deprecated [deprecated-field]"],
    });
  });

  it('admits objects with warnings and notes', () => {
    expect(verdict({}, { problems: [deprecated], notes: ['there is no SecretStore shop/keys yet'] })).toEqual({
      denial: null,
      warnings: ["spec.monitor: 'monitor' is deprecated [deprecated-field]", 'there is no SecretStore shop/keys yet'],
    });
  });

  it('admits everything with a warning while it cannot validate', () => {
    const { denial, warnings } = verdict({}, null);
    expect(denial).toBeNull();
    expect(warnings).toEqual([expect.stringContaining('was admitted')]);
  });

  it('admits changes of labels and finalizers of an invalid object, with a warning', () => {
    const oldObject = { metadata: { finalizers: ['a/b'] }, spec: { a: [1, { b: null }] } };
    const object = { metadata: {}, spec: { a: [1, { b: null }] } };
    expect(verdict({ operation: 'UPDATE', object, oldObject }, { problems: [missing] })).toEqual({
      denial: null,
      warnings: ['spec.handler: a route needs a handler [missing]'],
    });
    const changed = { metadata: {}, spec: { a: [1, { b: false }] } };
    expect(verdict({ operation: 'UPDATE', object: changed, oldObject }, { problems: [missing] }).denial).not.toBeNull();
  });

  it('admits every change of an object that is being deleted', () => {
    const object = { metadata: { deletionTimestamp: '2026-11-15T00:00:00Z' }, spec: { a: 2 } };
    const fields = { operation: 'UPDATE', object, oldObject: before };
    expect(verdict(fields, { problems: [missing], breaks: ['shop/orders'] })).toEqual({ denial: null, warnings: [] });
  });

  it.each<[string, JsonObject]>([
    ['changes', { ...store, operation: 'UPDATE', object: after, oldObject: before }],
    ['is deleted', { ...store, operation: 'DELETE', object: null, oldObject: before }],
  ])('names the Routes that would break when a store %s', (_, fields) => {
    expect(verdict(fields, { breaks: ['shop/orders', 'bills/all'] }).denial).toEqual({
      code: 403,
      reason: 'Forbidden',
      message:
        'SecretStore shop/keys is in use: Routes shop/orders, bills/all would reject requests; ' +
        'to allow that, set the annotation gatewarden.io/force: "true" on it',
    });
  });

  it.each<[string, JsonObject]>([
    ['changes', { ...store, operation: 'UPDATE', object: { ...after, metadata: forced }, oldObject: before }],
    ['is deleted', { ...store, operation: 'DELETE', object: null, oldObject: { ...before, metadata: forced } }],
  ])('honours the force annotation of a store that %s, and warns what breaks', (_, fields) => {
    expect(verdict(fields, { breaks: ['shop/orders'] })).toEqual({
      denial: null,
      warnings: ['Route shop/orders will reject requests'],
    });
  });

  it('ignores a force annotation that the new version lacks or that has another value', () => {
    const oldObject = { ...before, metadata: forced };
    const breaks = ['shop/orders'];
    expect(verdict({ ...store, operation: 'UPDATE', object: after, oldObject }, { breaks }).denial).not.toBeNull();
    const no = { ...before, metadata: { annotations: { 'gatewarden.io/force': 'false' } } };
    expect(verdict({ ...store, operation: 'DELETE', object: null, oldObject: no }, { breaks }).denial).not.toBeNull();
  });

  it('rejects errors despite the force annotation', () => {
    const object = { ...after, metadata: forced };
    expect(verdict({ ...store, object }, { problems: [missing] }).denial?.code).toBe(422);
  });

  it.each([
    ['system:serviceaccount:kube-system:namespace-controller', true],
    ['system:serviceaccount:kube-system:generic-garbage-collector', true],
    ['system:kube-controller-manager', true],
    ['system:serviceaccount:shop:namespace-controller', false],
    ['alice', false],
  ])('when a store is deleted by %s: passes is %s', (username, passes) => {
    const fields = { ...store, operation: 'DELETE', object: null, oldObject: before, userInfo: { username } };
    expect(verdict(fields, { breaks: ['shop/orders'] }).denial === null).toBe(passes);
  });

  it('stays within the size that the API server passes on', () => {
    const long = { ...deprecated, message: `${'x'.repeat(300)}\u0007` };
    const { warnings } = verdict({}, { problems: Array.from({ length: 40 }, () => long) });
    expect(Math.max(...warnings.map((text) => text.length))).toBe(256);
    expect(warnings.join('').length).toBeLessThanOrEqual(4096);
    expect(warnings.at(-1)).toBe(`and ${40 - (warnings.length - 1)} more warnings`);
  });

  it('shortens a denial and counts the omitted errors', () => {
    const { denial } = verdict({}, { problems: Array.from({ length: 500 }, () => missing) });
    const lines = denial!.message.split('\n');
    expect(denial!.message.length).toBeLessThanOrEqual(8192);
    expect(lines.at(-1)).toBe(`… and ${500 - (lines.length - 1)} more problems`);
  });

  it('names no more Routes than people read', () => {
    const breaks = Array.from({ length: 25 }, (_, at) => `shop/r${at}`);
    const { denial } = verdict({ ...store, operation: 'DELETE', object: null, oldObject: before }, { breaks });
    expect(denial?.message).toContain('shop/r19 and 5 more would reject requests');
  });
});
