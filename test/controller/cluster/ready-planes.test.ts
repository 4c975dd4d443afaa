import { expect, it } from 'vitest';
import { podFacts } from '../../../controller/cluster/platform-objects.ts';
import { readyPlanes } from '../../../controller/cluster/ready-planes.ts';
import type { PodFacts } from '../../../controller/compile/resources/platform-facts.ts';

const groups = [
  { name: 'edge', serviceAccounts: ['system/plane'], sidecars: false },
  { name: 'sidecars', serviceAccounts: ['shop/*'], sidecars: true },
];

interface Shown {
  readonly ready?: string;
  readonly deletionTimestamp?: string;
  readonly port?: string;
}

function pod(namespace: string, name: string, serviceAccountName: string, shown: Shown = {}): PodFacts {
  const { ready = 'True', port = 'http', ...metadata } = shown;
  const containers = [{ ports: [{ name: port, containerPort: 9090 }] }];
  const conditions = [{ type: 'Ready', status: ready }];
  return podFacts(
    {
      metadata: { uid: `uid-${name}`, namespace, name, labels: { app: name }, ...metadata },
      spec: { serviceAccountName, containers },
      status: { phase: 'Running', podIPs: [{ ip: '10.1.0.1' }], conditions },
    },
    null,
  )!;
}

function identities(pods: readonly PodFacts[]) {
  const byNamespace = new Map<string, Map<string, PodFacts>>();
  for (const one of pods) {
    const all = byNamespace.get(one.namespace) ?? new Map<string, PodFacts>();
    byNamespace.set(one.namespace, all.set(one.name, one));
  }
  const controller = { namespace: 'system', pod: 'controller-1' };
  return readyPlanes({ apiServer: [], pods: byNamespace, services: new Map(), controller }, groups);
}

it('finds data planes and sidecars whose Pods are Ready', () => {
  const found = identities([
    pod('system', 'edge-1', 'plane'),
    pod('shop', 'orders-1', 'anybody', { port: 'gw-metrics' }),
  ]);
  const shared = { labels: { app: 'edge-1' }, isSidecar: false, until: null };
  expect(found[0]).toEqual({ id: 'uid-edge-1', name: 'edge-1', namespace: 'system', group: 'edge', ...shared });
  expect(found[1]).toMatchObject({ id: 'uid-orders-1', group: 'sidecars', isSidecar: true });
  expect(found).toHaveLength(2);
});

it('leaves out Pods that are not Ready, that terminate, and that are no data planes', () => {
  const found = identities([
    pod('system', 'edge-1', 'plane', { ready: 'False' }),
    pod('system', 'edge-2', 'plane', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    pod('system', 'controller-1', 'controller'),
    pod('shop', 'orders-1', 'anybody'),
  ]);
  expect(found).toEqual([]);
});
