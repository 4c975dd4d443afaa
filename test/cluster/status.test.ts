import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { readResource } from '../../contract/resources/read-resource.ts';
import type { Resource, ResourceKind } from '../../contract/resources/resource.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { EventRecorder } from '../../controller/cluster/status/event-recorder.ts';
import { StatusWriter } from '../../controller/cluster/status/status-writer.ts';
import type { ResourceVerdict } from '../../controller/compile/resources/resource-verdict.ts';
import { PlaneLedger } from '../../controller/publish/plane-ledger.ts';
import { RoutePlanes } from '../../controller/publish/route-planes.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { plane, routeKey, verdict } from '../support/cluster/judged-resources.ts';
import { limitedAccount } from '../support/cluster/limited-account.ts';

const cluster: TestCluster = theCluster();
const patience = { timeout: 30_000, interval: 100 };
const specs: Record<ResourceKind, JsonObject> = {
  Route: { handler: 'ReverseProxyHandler' },
  SecretStore: { type: 'Base64EncodedSecretStore', config: { secrets: {} } },
  AuditService: {},
};

/** What the writer needs and no more. */
const rules = [
  { apiGroups: ['gatewarden.io'], resources: ['routes', 'secretstores', 'auditservices'], verbs: ['get'] },
  {
    apiGroups: ['gatewarden.io'],
    resources: ['routes/status', 'secretstores/status', 'auditservices/status'],
    verbs: ['patch'],
  },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

beforeAll(async () => {
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', `${repositoryRoot}/crds`]);
  await cluster.run(['wait', '--for=condition=Established', '--timeout=300s', 'crd/routes.gatewarden.io']);
});

class Setting {
  readonly namespace: string;
  readonly outcomes: string[] = [];
  readonly writer: StatusWriter;
  readonly ledger = new PlaneLedger({ changed: (routes) => this.writer.planesChanged(routes) });
  isLeader = true;

  private constructor(namespace: string, api: ClusterApi) {
    this.namespace = namespace;
    const events = new EventRecorder({ api, controller: 'controller-0' });
    this.writer = new StatusWriter({
      api,
      planes: new RoutePlanes(this.ledger),
      leadsFor: () => (this.isLeader ? 10_000 : 0),
      stateChanged: (resource, change) => events.record(resource, change),
      wrote: (_, outcome) => this.outcomes.push(outcome),
      settle: 0,
    });
    onTestFinished(async () => {
      this.writer.close();
      this.ledger.close();
      await api.close();
    });
  }

  static async start(): Promise<Setting> {
    const account = await limitedAccount(cluster, 'status', rules);
    const api = new ClusterApi({ kubeconfig: account.kubeconfig() });
    return new Setting(await cluster.namespace('shop'), api);
  }

  async apply(kind: ResourceKind, name: string, over: JsonObject = {}): Promise<Resource> {
    const metadata = { name, namespace: this.namespace };
    const object = { apiVersion: 'gatewarden.io/v1alpha1', kind, metadata, spec: { ...specs[kind], ...over } };
    await cluster.run(['apply', '-f', '-'], JSON.stringify(object));
    return await this.read(kind, name);
  }

  async read(kind: ResourceKind, name: string): Promise<Resource> {
    const { resource } = readResource(await this.raw(kind, name), { kind });
    return resource!;
  }

  async raw(kind: ResourceKind, name: string): Promise<JsonObject> {
    const words = ['get', `${kind.toLowerCase()}s.gatewarden.io`, name, '-n', this.namespace, '-o', 'json'];
    return JSON.parse(await cluster.run(words)) as JsonObject;
  }

  of(name: string, resource: Resource, over: Partial<ResourceVerdict> = {}): ResourceVerdict {
    return verdict(name, { resource, ...over });
  }
}

it('shows the running version in the columns of kubectl, with valid times', async () => {
  const setting = await Setting.start();
  setting.writer.setLeading(true);
  const orders = await setting.apply('Route', 'orders');
  for (const name of ['p1', 'p2']) setting.ledger.heard(plane(name, { orders: 'orders-1' }), null);
  setting.writer.judged([setting.of('orders', orders)]);
  await vi.waitFor(async () => {
    const row = await cluster.run(['get', 'routes.gatewarden.io', '-n', setting.namespace, '--no-headers']);
    expect(row).toMatch(/^orders +True +2\/2 /);
  }, patience);
  const words = ['wait', '--for=condition=Programmed', '--timeout=300s', 'routes.gatewarden.io/orders'];
  await cluster.run([...words, '-n', setting.namespace]);
  const shown = await setting.read('Route', 'orders');
  expect(shown.lastGood).toEqual({ generation: 1, hash: 'orders-1' });
  expect(shown.generation).toBe(1);

  setting.writer.judged([setting.of('orders', shown)]);
  const written = setting.outcomes.length;
  setting.ledger.heard(plane('p3', { orders: 'orders-0' }), null);
  await vi.waitFor(async () => {
    expect((await setting.raw('Route', 'orders'))['status']).toMatchObject({ programmed: '2/3' });
  }, patience);
  expect(setting.outcomes.length).toBe(written + 1);
});

it('never overwrites a status of a newer version', async () => {
  const [setting, late] = [await Setting.start(), await Setting.start()];
  const stale = await setting.apply('Route', 'orders');
  setting.writer.setLeading(true);
  setting.ledger.heard(plane('p1', { orders: 'orders-2' }), null);
  const edited = await setting.apply('Route', 'orders', { name: 'renamed' });
  expect(edited.generation).toBe(2);
  setting.writer.judged([setting.of('orders', edited)]);
  await vi.waitFor(() => expect(setting.outcomes).toContain('written'), patience);
  late.writer.setLeading(true);
  late.writer.judged([late.of('orders', stale)]);
  await vi.waitFor(() => expect(late.outcomes).toContain('Conflict'), patience);
  const { status } = await setting.raw('Route', 'orders');
  expect(status).toMatchObject({ observedGeneration: 2 });
  expect(late.outcomes).not.toContain('written');
});

it('writes the status of other kinds, which have no data planes', async () => {
  const setting = await Setting.start();
  setting.writer.setLeading(true);
  const over = { route: null, accepted: { status: false, reason: 'NotAvailable', message: 'not yet' } } as const;
  const audit = await setting.apply('AuditService', 'audit');
  const store = await setting.apply('SecretStore', 'keys');
  setting.writer.judged([setting.of('audit', audit, over), setting.of('keys', store, { route: null })]);
  await vi.waitFor(() => expect(setting.outcomes).toEqual(['written', 'written']), patience);
  const conditions = async (kind: ResourceKind, name: string): Promise<string[]> => {
    const { status } = (await setting.raw(kind, name)) as { status: { conditions: Record<string, string>[] } };
    return status.conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
  };
  expect(await conditions('AuditService', 'audit')).toEqual([
    'Accepted=False NotAvailable',
    'ResolvedRefs=True ResolvedRefs',
  ]);
  expect(await conditions('SecretStore', 'keys')).toEqual(['Accepted=True Accepted', 'ResolvedRefs=True ResolvedRefs']);
});

it('writes Events for state changes only', async () => {
  const setting = await Setting.start();
  setting.writer.setLeading(true);
  const orders = await setting.apply('Route', 'orders');
  const accepted = { status: false, reason: 'Invalid', message: 'spec.handler: missing' } as const;
  setting.writer.judged([setting.of('orders', orders, { accepted, serves: 'nothing', route: null })]);
  const events = async (): Promise<string[]> => {
    const words = [
      'get',
      'events',
      '-n',
      setting.namespace,
      '-o',
      'json',
      '--field-selector=involvedObject.name=orders',
    ];
    const { items } = JSON.parse(await cluster.run(words)) as {
      items: { type: string; reason: string; message: string }[];
    };
    return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`).toSorted();
  };
  const first = [
    'Warning NotAccepted Invalid: spec.handler: missing',
    'Warning TakesNoTraffic not sent to data planes: its condition is not valid',
  ];
  await vi.waitFor(async () => expect(await events()).toEqual(first), patience);
  setting.ledger.heard(plane('p1', { orders: 'orders-2' }), [routeKey('orders')]);
  setting.writer.judged([setting.of('orders', await setting.apply('Route', 'orders', { name: 'better' }))]);
  await vi.waitFor(async () => {
    expect(await events()).toEqual([
      'Normal Accepted generation 2 is valid',
      'Normal Programmed generation 2 runs on all data planes that it selects',
      ...first,
    ]);
  }, patience);
  const described = await cluster.run(['describe', 'routes.gatewarden.io/orders', '-n', setting.namespace]);
  expect(described).toMatch(/Normal +Programmed/);
});
