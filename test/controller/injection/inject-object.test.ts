import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { injectObject } from '../../../controller/injection/inject-object.ts';
import { injectPod } from '../../../controller/injection/inject-pod.ts';
import { plainPod, plainTerms } from '../../support/cluster/injected-pod.ts';

const template = (pod: JsonObject): JsonObject => ({ spec: { template: pod } });

const makers: [string, string, (pod: JsonObject) => JsonObject, string[]][] = [
  ['v1', 'Pod', (pod) => pod, []],
  ['v1', 'ReplicationController', template, ['spec', 'template']],
  ['apps/v1', 'Deployment', template, ['spec', 'template']],
  ['apps/v1', 'StatefulSet', template, ['spec', 'template']],
  ['apps/v1', 'DaemonSet', template, ['spec', 'template']],
  ['apps/v1', 'ReplicaSet', template, ['spec', 'template']],
  ['batch/v1', 'Job', template, ['spec', 'template']],
  [
    'batch/v1',
    'CronJob',
    (pod) => ({ spec: { jobTemplate: template(pod) } }),
    ['spec', 'jobTemplate', 'spec', 'template'],
  ],
];

describe('injectObject', () => {
  it.each(makers)('injects the Pod template of a %s %s like a Pod', (apiVersion, kind, make, path) => {
    for (const pod of [
      plainPod(),
      plainPod({ spec: { hostNetwork: true } }),
      plainPod({ labels: { 'gatewarden.io/inject': 'false' } }),
    ]) {
      const plain = injectPod(pod, plainTerms);
      const deep = <T extends { readonly path: readonly (string | number)[] }>(all: readonly T[]): T[] =>
        all.map((one) => ({ ...one, path: [...path, ...one.path] }));
      expect(injectObject({ ...make(pod), apiVersion, kind }, plainTerms)).toEqual({
        ...plain,
        ...('additions' in plain ? { additions: deep(plain.additions) } : {}),
        ...('problems' in plain ? { problems: deep(plain.problems) } : {}),
      });
    }
  });

  it.each([
    ['v1', 'Service'],
    ['apps.example.com/v1', 'Deployment'],
    ['serving.example.com/v1', 'Pod'],
  ])('does not change a %s %s', (apiVersion, kind) => {
    expect(injectObject({ ...template(plainPod()), apiVersion, kind }, plainTerms)).toBeNull();
  });

  it('refuses one without a template', () => {
    expect(injectObject({ apiVersion: 'apps/v1', kind: 'Deployment', spec: {} }, plainTerms)).toMatchObject({
      outcome: 'refused',
      problems: [{ path: ['spec', 'template'], message: 'is required' }],
    });
  });
});
