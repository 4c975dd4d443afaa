import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { readResource } from '../../contract/resources/read-resource.ts';
import type { Resource } from '../../contract/resources/resource.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { LeaseElection } from '../../controller/cluster/identity/lease-election.ts';
import { StatusWriter } from '../../controller/cluster/status/status-writer.ts';
import { PlaneLedger } from '../../controller/publish/plane-ledger.ts';
import { RoutePlanes } from '../../controller/publish/route-planes.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { CuttableWire } from '../support/backends/cuttable-wire.ts';
import { kubeconfigText, kubeconfigToken } from '../support/cluster/api-server.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { plane, verdict } from '../support/cluster/judged-resources.ts';
import { watchedDirectory } from '../support/state/temporary-files.ts';

const cluster: TestCluster = theCluster();
const patience = { timeout: 60_000, interval: 100 };
const times = { leaseDuration: 6000, renewDeadline: 4000, retryPeriod: 500 };
let namespace = '';

beforeAll(async () => {
  await cluster.run(['apply', '--server-side', '--force-conflicts', '-f', `${repositoryRoot}/crds`]);
  await cluster.run(['wait', '--for=condition=Established', '--timeout=300s', 'crd/routes.gatewarden.io']);
  namespace = await cluster.namespace('leaders');
});

/** What of a controller decides about status, behind a wire of its own to the API server. */
async function controller(name: string) {
  const wire = await CuttableWire.to(cluster.server);
  const kubeconfig = join(watchedDirectory().path, 'kubeconfig');
  const server = `https://127.0.0.1:${wire.port}`;
  writeFileSync(kubeconfig, kubeconfigText({ ...cluster, server }, kubeconfigToken(cluster.kubeconfig)));
  const api = new ClusterApi({ kubeconfig });
  const outcomes: string[] = [];
  const ledger = new PlaneLedger({ changed: (routes) => writer.planesChanged(routes) });
  const election = new LeaseElection({
    api,
    namespace,
    name: 'controller',
    identity: { name, address: `${name}:1` },
    ...times,
    changed: ({ isLeader }) => writer.setLeading(isLeader),
  });
  const writer = new StatusWriter({
    api,
    planes: new RoutePlanes(ledger),
    leadsFor: () => election.leadsFor,
    stateChanged: () => {},
    wrote: (_, outcome) => outcomes.push(outcome),
    settle: 1000,
  });
  onTestFinished(async () => {
    writer.close();
    ledger.close();
    await election.close();
    await api.close();
  });
  return { wire, election, ledger, writer, outcomes };
}

async function orders(): Promise<Resource> {
  const words = ['get', 'routes.gatewarden.io', 'orders', '-n', namespace, '-o', 'json'];
  return readResource(JSON.parse(await cluster.run(words)) as JsonObject, { kind: 'Route' }).resource!;
}

async function apply(spec: JsonObject): Promise<Resource> {
  const metadata = { name: 'orders', namespace };
  const object = { apiVersion: 'gatewarden.io/v1alpha1', kind: 'Route', metadata, spec };
  await cluster.run(['apply', '-f', '-'], JSON.stringify(object));
  return await orders();
}

it('status does not flap when a leader is cut off, nor when it is back', async () => {
  const [a, b] = [await controller('a'), await controller('b')];
  const both = [a, b];
  const run = (hash: string): void => {
    for (const { ledger } of both) for (const name of ['p1', 'p2']) ledger.heard(plane(name, { orders: hash }), null);
  };
  const judge = (resource: Resource): void => {
    for (const { writer } of both) writer.judged([verdict('orders', { resource })]);
  };
  run('orders-1');
  judge(await apply({ handler: 'ReverseProxyHandler' }));
  a.election.start();
  await vi.waitFor(async () => expect((await orders()).status).toMatchObject({ programmed: '2/2' }), patience);
  await vi.waitFor(async () => {
    expect((await orders()).status?.['conditions']).toContainEqual(expect.objectContaining({ reason: 'Programmed' }));
  }, patience);
  const before = await orders();
  judge(before);
  b.election.start();

  a.wire.cut();
  await vi.waitFor(() => expect(b.election.isLeader).toBe(true), patience);
  expect(a.election.isLeader).toBe(false);
  a.wire.mend();
  await vi.waitFor(() => expect(a.election.leader?.name).toBe('b'), patience);
  expect((await orders()).resourceVersion).toBe(before.resourceVersion);

  const written = a.outcomes.length;
  run('orders-2');
  judge(await apply({ handler: 'ReverseProxyHandler', name: 'renamed' }));
  await vi.waitFor(async () => {
    expect((await orders()).status).toMatchObject({ observedGeneration: 2, programmed: '2/2' });
  }, patience);
  expect(b.outcomes).toContain('written');
  expect(a.outcomes).toHaveLength(written);
});
