import { expect, it } from 'vitest';
import type { Report } from '../../../../contract/channel.ts';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { Resource } from '../../../../contract/resources/resource.ts';
import {
  LOGIN_FAILED,
  placeOf,
  reportedCounts,
  routeCounts,
  SCRIPT_SUSPENDED,
} from '../../../../contract/route-counts.ts';
import type { ApiCaller, ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import type { StateChange } from '../../../../controller/cluster/status/status-transitions.ts';
import { StatusWriter } from '../../../../controller/cluster/status/status-writer.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { PlaneLedger } from '../../../../controller/publish/plane-ledger.ts';
import { RoutePlanes } from '../../../../controller/publish/route-planes.ts';
import { changedTroubles } from '../../../../controller/publish/route-troubles.ts';
import { plane, resource, routeKey, routeProblems, verdict } from '../../../support/cluster/judged-resources.ts';
import { failure, MemoryApi } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const pathOf = (name: string): string => `/apis/gatewarden.io/v1alpha1/namespaces/shop/routes/${name}`;

class Setting {
  readonly clock = new ManualClock();
  readonly api = new MemoryApi();
  readonly events: string[] = [];
  readonly outcomes: string[] = [];
  /** Thrown for the next writes, in order. */
  readonly failures: Error[] = [];
  leadsFor = 10_000;
  readonly ledger = new PlaneLedger({ clock: this.clock, changed: (routes) => this.writer.planesChanged(routes) });
  readonly writer: StatusWriter;

  constructor() {
    const { api, failures } = this;
    const caller: Pick<ApiCaller, 'call'> = {
      async call(request) {
        const next = request.method === 'PATCH' ? failures.shift() : undefined;
        if (next === undefined) return await api.call(request);
        api.requests.push(request);
        throw next;
      },
    };
    this.writer = new StatusWriter({
      api: caller,
      clock: this.clock,
      planes: new RoutePlanes(this.ledger),
      leadsFor: () => this.leadsFor,
      stateChanged: (of: Resource, { type, reason }: StateChange) => this.events.push(`${of.name} ${type} ${reason}`),
      wrote: (kind, outcome) => this.outcomes.push(`${kind} ${outcome}`),
    });
  }

  get writes(): readonly ApiRequest[] {
    return this.api.requests.filter(({ method }) => method === 'PATCH');
  }

  /** What the cluster has, as a watch would show it. */
  stored(name: string, generation = 1): Resource {
    const at = pathOf(name);
    const { metadata, status } = this.api.objects.get(at) ?? this.api.put(at, {}, generation);
    const shown = status === undefined ? {} : { status: status as JsonObject };
    return resource(name, { ...metadata, generation, ...shown });
  }

  /** Somebody edits it. */
  edited(name: string, generation: number): Resource {
    this.api.put(pathOf(name), this.api.find(pathOf(name)), generation);
    return this.stored(name, generation);
  }

  /** Leads, and knows all planes. */
  async lead(): Promise<void> {
    this.writer.setLeading(true);
    await this.clock.pass(5000);
  }

  judge(...verdicts: readonly ResourceVerdict[]): void {
    this.writer.judged(verdicts);
  }

  condition(name: string, type: string): Record<string, unknown> | undefined {
    const { conditions } = this.api.find(pathOf(name))['status'] as { conditions: Record<string, unknown>[] };
    return conditions.find((one) => one['type'] === type);
  }

  status(name: string): Record<string, unknown> {
    return this.api.find(pathOf(name))['status'] as Record<string, unknown>;
  }
}

it('writes everything in one go once planes run it, and nothing more', async () => {
  const setting = new Setting();
  await setting.lead();
  setting.ledger.heard(plane('p1'), null);
  await setting.clock.pass(1000);
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(50);
  setting.ledger.heard(plane('p1', { orders: 'orders-1' }), [routeKey('orders')]);
  await setting.clock.pass(60_000);
  expect(setting.writes).toHaveLength(1);
  expect(setting.writes[0]).toMatchObject({
    path: `${pathOf('orders')}/status`,
    query: { fieldManager: 'gatewarden-controller', force: true },
    contentType: 'application/apply-patch+yaml',
    // whole objects would fill the memory in a burst of thousands
    accept: expect.stringMatching(/^application\/json;as=PartialObjectMetadata;g=meta\.k8s\.io;v=v1,/),
    body: { apiVersion: 'gatewarden.io/v1alpha1', kind: 'Route', metadata: { name: 'orders', namespace: 'shop' } },
  });
  expect(setting.status('orders')).toMatchObject({
    observedGeneration: 1,
    programmed: '1/1',
    lastGood: { generation: 1, hash: 'orders-1' },
    conditions: [
      { type: 'Accepted', status: 'True', reason: 'Accepted', observedGeneration: 1 },
      { type: 'ResolvedRefs', status: 'True', reason: 'ResolvedRefs' },
      { type: 'Programmed', status: 'True', reason: 'Programmed', lastTransitionTime: '2026-01-01T00:00:06Z' },
    ],
  });
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(60_000);
  expect(setting.writes).toHaveLength(1);
  expect(setting.events).toEqual(['orders Normal Programmed']);
});

it('keeps the time of an unchanged condition, and the last good version of an invalid Route', async () => {
  const setting = new Setting();
  setting.ledger.heard(plane('p1', { orders: 'orders-1' }), null);
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(20_000);
  const accepted = { status: false, reason: 'Invalid', message: 'spec.handler: missing' } as const;
  const { route } = verdict('orders');
  const broken = { accepted, serves: 'last-good', servingGeneration: 1, route } as const;
  setting.judge(verdict('orders', { resource: setting.edited('orders', 2), ...broken }));
  await setting.clock.pass(1000);
  expect(setting.status('orders')).toMatchObject({
    observedGeneration: 2,
    programmed: '1/1 (gen 1)',
    lastGood: { generation: 1, hash: 'orders-1' },
  });
  expect(setting.condition('orders', 'Accepted')).toMatchObject({
    status: 'False',
    reason: 'Invalid',
    message: 'spec.handler: missing',
    lastTransitionTime: '2026-01-01T00:00:25Z',
  });
  expect(setting.condition('orders', 'ResolvedRefs')).toMatchObject({
    observedGeneration: 2,
    lastTransitionTime: '2026-01-01T00:00:05Z',
  });
  expect(setting.events.slice(1)).toEqual(['orders Warning NotAccepted', 'orders Warning LastGoodServes']);
  setting.judge(verdict('orders', { resource: setting.edited('orders', 3) }));
  await setting.clock.pass(1000);
  expect(setting.events.slice(3)).toEqual(['orders Normal Accepted']);
});

it('writes an object at most twice a second, and the newest last', async () => {
  const setting = new Setting();
  await setting.lead();
  setting.ledger.heard(plane('p1'), null);
  let generation = 1;
  setting.stored('orders');
  for (; generation <= 100; generation++) {
    const accepted = { status: false, reason: 'Invalid', message: `fault ${generation}` } as const;
    setting.judge(verdict('orders', { resource: setting.edited('orders', generation), accepted }));
    await setting.clock.pass(50);
  }
  await setting.clock.pass(2000);
  expect(setting.writes.length).toBeGreaterThan(5);
  expect(setting.writes.length).toBeLessThanOrEqual(11);
  expect(setting.condition('orders', 'Accepted')).toMatchObject({ message: 'fault 100', observedGeneration: 100 });
});

it('reports the data plane that could not build it', async () => {
  const setting = new Setting();
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  setting.ledger.heard(plane('p1', { orders: 'orders-1' }), null);
  const problems = new Map([[routeKey('orders'), routeProblems('no such directory')]]);
  setting.ledger.heard(plane('p2', {}, { problems }), null);
  await setting.clock.pass(1000);
  expect(setting.condition('orders', 'Programmed')).toMatchObject({
    status: 'False',
    reason: 'PlaneRefused',
    message: expect.stringContaining('plane edge/p2: handler.config: no such directory'),
  });
  expect(setting.status('orders')['programmed']).toBe('1/2');
  expect(setting.events).toContain('orders Warning PlaneRefused');
});

it.each([
  ['the API server is away', [failure(0, 'Unreachable'), failure(503, 'ServiceUnavailable')], 5000],
  ['the API server asks for patience', [failure(429, 'TooManyRequests', 3000)], 4000],
])('tries again when %s', async (_, failures, time) => {
  const setting = new Setting();
  await setting.lead();
  setting.failures.push(...failures);
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(time);
  expect(setting.outcomes.at(-1)).toBe('Route written');
  expect(setting.writes).toHaveLength(failures.length + 1);
});

it('writes on top of a change that did not touch the spec, and waits for the watch when one did', async () => {
  const setting = new Setting();
  await setting.lead();
  const stale = setting.stored('orders');
  setting.api.put(pathOf('orders'), { labelled: true });
  setting.judge(verdict('orders', { resource: stale }));
  await setting.clock.pass(1000);
  expect(setting.outcomes).toEqual(['Route Conflict', 'Route written']);
  const before = setting.stored('orders');
  const fresh = setting.edited('orders', 2);
  const accepted = { status: false, reason: 'NameTaken', message: 'taken' } as const;
  setting.judge(verdict('orders', { resource: before, accepted }));
  await setting.clock.pass(5000);
  expect(setting.condition('orders', 'Accepted')).toMatchObject({ status: 'True', observedGeneration: 1 });
  setting.judge(verdict('orders', { resource: fresh, accepted }));
  await setting.clock.pass(31_000);
  expect(setting.condition('orders', 'Accepted')).toMatchObject({ status: 'False', observedGeneration: 2 });
});

it('forgets deleted objects, and treats a new object of the same name separately', async () => {
  const setting = new Setting();
  setting.ledger.heard(plane('p1'), null);
  await setting.lead();
  setting.judge(
    verdict('orders', { resource: setting.stored('orders') }),
    verdict('carts', { resource: setting.stored('carts') }),
  );
  setting.judge(verdict('carts', { resource: setting.stored('carts') }));
  setting.api.objects.delete(pathOf('orders'));
  await setting.clock.pass(60_000);
  expect(setting.writes.filter(({ path }) => path.includes('orders')).length).toBeLessThanOrEqual(1);
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  expect(setting.status('orders')).toMatchObject({ observedGeneration: 1 });
});

it('writes nothing while another controller leads, nor once its own time is over', async () => {
  const setting = new Setting();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(10_000);
  expect(setting.writes).toHaveLength(0);
  setting.leadsFor = 0;
  setting.writer.setLeading(true);
  await setting.clock.pass(10_000);
  expect(setting.writes).toHaveLength(0);
  setting.leadsFor = 2999.5;
  setting.judge(verdict('orders', { resource: setting.edited('orders', 2) }));
  await setting.clock.pass(1000);
  expect(setting.writes).toHaveLength(1);
  expect(setting.writes[0]?.timeout).toBe(3000);
  setting.writer.setLeading(false);
  setting.judge(verdict('orders', { resource: setting.edited('orders', 3) }));
  await setting.clock.pass(10_000);
  expect(setting.writes).toHaveLength(1);
});

it('does not overwrite the status of an earlier leader before it knows the data planes', async () => {
  const first = new Setting();
  for (const name of ['p1', 'p2', 'p3']) first.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  await first.lead();
  first.judge(verdict('orders', { resource: first.stored('orders') }));
  await first.clock.pass(1000);
  const second = new Setting();
  second.api.put(pathOf('orders'), first.api.find(pathOf('orders')));
  second.judge(verdict('orders', { resource: second.stored('orders') }));
  second.writer.setLeading(true);
  second.ledger.heard(plane('p1', { orders: 'orders-1' }), null);
  await second.clock.pass(2000);
  for (const name of ['p2', 'p3']) second.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  await second.clock.pass(60_000);
  expect(second.writes).toHaveLength(0);
  expect(second.status('orders')['programmed']).toBe('3/3');
});

it('delays writes when only the number of data planes changes, to save writes during a rollout', async () => {
  const setting = new Setting();
  setting.ledger.heard(plane('p0', { orders: 'orders-1' }), null);
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  expect(setting.writes).toHaveLength(1);
  for (let i = 1; i <= 20; i++) {
    setting.ledger.heard(plane(`p${i}`, { orders: 'orders-1' }), null);
    await setting.clock.pass(200);
  }
  await setting.clock.pass(11_000);
  expect(setting.status('orders')['programmed']).toBe('21/21');
  expect(setting.writes).toHaveLength(2);
  setting.ledger.heard(plane('p1', { orders: 'orders-0' }), [routeKey('orders')]);
  await setting.clock.pass(200);
  expect(setting.condition('orders', 'Programmed')).toMatchObject({ status: 'False', reason: 'Pending' });
});

it('corrects a foreign change of the status within a second', async () => {
  const setting = new Setting();
  for (const name of ['p1', 'p2', 'p3']) setting.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(60_000);
  for (const forged of [{ programmed: '99/99' }, { observedGeneration: 7 }, { conditions: [] }]) {
    setting.api.put(pathOf('orders'), { status: { ...setting.status('orders'), ...forged } });
    setting.judge(verdict('orders', { resource: setting.stored('orders') }));
    await setting.clock.pass(1000);
    expect(setting.status('orders')).toMatchObject({ programmed: '3/3', observedGeneration: 1 });
    expect(setting.condition('orders', 'Programmed')).toMatchObject({ status: 'True', reason: 'Programmed' });
  }
  expect(setting.events).toEqual(['orders Normal Programmed', 'orders Normal Programmed']);
});

it('reports rejected requests even before a new leader has counted the data planes', async () => {
  const setting = new Setting();
  for (const name of ['p1', 'p2', 'p3']) setting.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  setting.writer.setLeading(false);
  setting.writer.setLeading(true);
  const { route } = verdict('orders');
  const resolvedRefs = { status: false, reason: 'SecretNotAllowed', message: 'no label' } as const;
  const refusing = { resolvedRefs, serves: 'refuses', servingGeneration: null } as const;
  const refusal = { ...route!, hash: 'refusal', refuses: true as const };
  setting.judge(verdict('orders', { resource: setting.stored('orders'), ...refusing, route: refusal }));
  await setting.clock.pass(700);
  expect(setting.condition('orders', 'ResolvedRefs')).toMatchObject({ status: 'False', reason: 'SecretNotAllowed' });
  expect(setting.condition('orders', 'Programmed')).toMatchObject({ status: 'False', reason: 'RefusesTraffic' });
  expect(setting.status('orders')['programmed']).toBe('0/3 (refuses)');
});

it('does not repeat how many planes ran another version before a new leader has counted them', async () => {
  const setting = new Setting();
  for (const name of ['p1', 'p2', 'p3']) setting.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  await setting.lead();
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  setting.writer.setLeading(false);
  setting.writer.setLeading(true);
  const changed = { ...verdict('orders').route!, hash: 'with another secret' };
  setting.judge(verdict('orders', { resource: setting.stored('orders'), route: changed }));
  await setting.clock.pass(1000);
  expect(setting.condition('orders', 'Programmed')).toMatchObject({ status: 'False', reason: 'Pending' });
  expect(setting.status('orders')['programmed']).toBe('?');
  await setting.clock.pass(10_000);
  expect(setting.condition('orders', 'Programmed')).toMatchObject({ status: 'False', reason: 'Pending' });
  expect(setting.status('orders')['programmed']).toBe('0/3');
});

it('writes fewer at a time while the API server is busy', async () => {
  const setting = new Setting();
  await setting.lead();
  setting.failures.push(...Array.from({ length: 20 }, () => failure(429, 'TooManyRequests', 1000)));
  const names = Array.from({ length: 100 }, (_, at) => `route-${at}`);
  setting.judge(...names.map((name) => verdict(name, { resource: setting.stored(name) })));
  await setting.clock.pass(60_000);
  for (const name of names) expect(setting.status(name)).toMatchObject({ observedGeneration: 1 });
});

it('sets a condition on every resource while the last good base configuration serves', async () => {
  const setting = new Setting();
  const orders = verdict('orders', { resource: setting.stored('orders') });
  const others = verdict('others', { resource: setting.stored('others') });
  setting.judge(orders, others);
  await setting.lead();
  await setting.clock.pass(1000);
  expect(setting.condition('orders', 'BaseCurrent')).toBeUndefined();
  setting.writer.judged([orders, others], 'trust.json is not valid');
  await setting.clock.pass(1000);
  for (const name of ['orders', 'others']) {
    expect(setting.condition(name, 'BaseCurrent')).toMatchObject({
      status: 'False',
      reason: 'LastGoodServes',
      message: 'trust.json is not valid',
    });
  }
  setting.writer.judged([orders, others], null);
  await setting.clock.pass(1000);
  expect(setting.condition('orders', 'BaseCurrent')).toBeUndefined();
});

it.each([
  [
    LOGIN_FAILED,
    'AccessManagerLogin',
    'LoginFailed',
    'cannot log in at data plane edge/p2;',
    ['AccessManagerLoginFailed', 'AccessManagerLoginRestored'],
  ],
  [
    SCRIPT_SUSPENDED,
    'ScriptsRunning',
    'Suspended',
    'is suspended at data plane edge/p2;',
    ['ScriptSuspended', 'ScriptResumed'],
  ],
])(
  'sets a condition on a Route while data planes report %s, and records Events',
  async (metric, type, reason, note, events) => {
    const setting = new Setting();
    await setting.lead();
    setting.judge(verdict('orders', { resource: setting.stored('orders') }));
    const reporting = (name: string, failing: number) => {
      const counts = new Float64Array(routeCounts.length);
      counts[placeOf(metric, {})] = failing;
      const { router, id } = verdict('orders').route!;
      const route = { router, id, name: 'orders', figures: [], counts: reportedCounts(counts) };
      const figures = { revision: '1', ready: true, unitsServing: 1, clock: 0, since: '', routes: [route] };
      const report: Report = { type: 'report', ...figures };
      return plane(name, { orders: 'orders-1' }, { lastReport: { at: 0, report } });
    };
    setting.ledger.heard(reporting('p1', 0), null);
    setting.ledger.heard(reporting('p2', 2), null);
    await setting.clock.pass(1000);
    expect(setting.condition('orders', type)).toMatchObject({
      status: 'False',
      reason,
      message: expect.stringContaining(note),
    });
    expect(setting.condition('orders', 'ResolvedRefs')).toMatchObject({ status: 'True' });
    const restored = reporting('p2', 0);
    const changed = changedTroubles(reporting('p2', 2).lastReport!.report, restored.lastReport!.report);
    expect(changed).toEqual([routeKey('orders')]);
    setting.ledger.heard(restored, changed);
    await setting.clock.pass(2000);
    expect(setting.condition('orders', type)).toBeUndefined();
    expect(setting.events).toEqual([
      'orders Normal Programmed',
      `orders Warning ${events[0]}`,
      `orders Normal ${events[1]}`,
    ]);
  },
);

it('says when a certificate is about to expire and when it has, without a change of any resource', async () => {
  const setting = new Setting();
  setting.ledger.heard(plane('p1', { orders: 'orders-1' }), null);
  await setting.lead();
  const [notBefore, hour] = [setting.clock.wall(), 3_600_000];
  const certificates = { faults: [], shown: [{ secret: 'shop/web', notBefore, notAfter: notBefore + 100 * hour }] };
  setting.judge(verdict('orders', { resource: setting.stored('orders'), certificates }));
  await setting.clock.pass(89 * hour);
  expect(setting.condition('orders', 'Certificates')).toMatchObject({ status: 'True', reason: 'Ready' });
  const { length } = setting.writes;
  await setting.clock.pass(hour + 1000);
  expect(setting.condition('orders', 'Certificates')).toMatchObject({ status: 'False', reason: 'Expiring' });
  await setting.clock.pass(10 * hour);
  expect(setting.condition('orders', 'Certificates')).toMatchObject({ status: 'False', reason: 'Expired' });
  expect(setting.writes).toHaveLength(length + 2);
  setting.judge(verdict('orders', { resource: setting.stored('orders') }));
  await setting.clock.pass(1000);
  expect(setting.condition('orders', 'Certificates')).toBeUndefined();
  expect(setting.clock.pending).toBe(0);
  expect(setting.events.slice(1)).toEqual([
    'orders Warning CertificatesNotReady',
    'orders Warning CertificatesNotReady',
  ]);
});
