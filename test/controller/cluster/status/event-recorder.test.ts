import { expect, it } from 'vitest';
import type { ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import type { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { EventRecorder } from '../../../../controller/cluster/status/event-recorder.ts';
import type { StateChange } from '../../../../controller/cluster/status/status-transitions.ts';
import { resource } from '../../../support/cluster/judged-resources.ts';
import { failure, MemoryApi } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const change = (note: string): StateChange => ({ type: 'Warning', reason: 'NotAccepted', note });

function setting(failures: readonly ApiError[] = []) {
  const clock = new ManualClock();
  const api = new MemoryApi();
  const outcomes: string[] = [];
  const left = [...failures];
  const recorder = new EventRecorder({
    api: {
      async call(request: ApiRequest) {
        const next = left.shift();
        if (next !== undefined) throw next;
        return await api.call(request);
      },
    },
    clock,
    controller: 'controller-0',
    recorded: (outcome) => outcomes.push(outcome),
  });
  return { clock, api, outcomes, recorder };
}

it('writes an Event about the object, in its namespace', async () => {
  const { clock, api, recorder } = setting();
  recorder.record(resource('orders'), change('Invalid: spec.handler: missing'));
  await clock.pass(0);
  expect(api.requests).toHaveLength(1);
  expect(api.requests[0]).toMatchObject({
    method: 'POST',
    path: '/apis/events.k8s.io/v1/namespaces/shop/events',
    body: {
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: expect.stringMatching(/^orders\.[0-9a-f]{16}$/), namespace: 'shop' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'gatewarden.io/controller',
      reportingInstance: 'controller-0',
      action: 'Judge',
      reason: 'NotAccepted',
      type: 'Warning',
      note: 'Invalid: spec.handler: missing',
      regarding: { apiVersion: 'gatewarden.io/v1alpha1', kind: 'Route', namespace: 'shop', name: 'orders' },
    },
  });
});

it('counts repeated Events within minutes, and writes a new one later', async () => {
  const { clock, api, recorder } = setting();
  recorder.record(resource('orders'), change('a'));
  await clock.pass(60_000);
  recorder.record(resource('orders'), change('a'));
  await clock.pass(0);
  expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  expect(api.requests[1]).toMatchObject({
    contentType: 'application/merge-patch+json',
    body: { series: { count: 2, lastObservedTime: '2026-01-01T00:01:00.000000Z' } },
  });
  await clock.pass(11 * 60_000);
  recorder.record(resource('orders'), change('a'));
  await clock.pass(0);
  expect(api.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'POST']);
});

it('limits the Events of one object without delaying others', async () => {
  const { clock, api, outcomes, recorder } = setting();
  for (let i = 0; i < 100; i++) recorder.record(resource('orders'), change(`fault ${i}`));
  recorder.record(resource('carts'), change('fault'));
  await clock.pass(0);
  expect(api.requests).toHaveLength(11);
  expect(outcomes.filter((outcome) => outcome === 'dropped')).toHaveLength(90);
  await clock.pass(120_000);
  for (let i = 0; i < 10; i++) recorder.record(resource('orders'), change(`later ${i}`));
  await clock.pass(0);
  expect(api.requests).toHaveLength(13);
});

it('truncates a note at the byte limit of the API', async () => {
  const { clock, api, recorder } = setting();
  recorder.record(resource('orders'), change('ü'.repeat(2000)));
  await clock.pass(0);
  const { note } = api.requests[0]!.body as { note: string };
  expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
  expect(note).toMatch(/^ü+…$/);
});

it.each([
  [
    'tries again when the API server is away',
    [failure(0, 'Unreachable'), failure(503, 'ServiceUnavailable')],
    'written',
  ],
  ['drops what the API server will not have', [failure(403, 'Forbidden')], 'dropped'],
  ['gives up after a while', [1, 2, 3].map(() => failure(0, 'Unreachable')), 'dropped'],
])('%s', async (_, failures, outcome) => {
  const { clock, outcomes, recorder } = setting(failures);
  recorder.record(resource('orders'), change('a'));
  await clock.pass(30_000);
  expect(outcomes).toEqual([outcome]);
});
