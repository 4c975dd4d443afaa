import { describe, expect, it } from 'vitest';
import { forbiddenAddresses, planeNamespaces } from '../../../../controller/compile/resources/forbidden-addresses.ts';
import type { PlatformFacts, PodFacts, ServiceFacts } from '../../../../controller/compile/resources/platform-facts.ts';

const groups = [
  { name: 'edge', serviceAccounts: ['system/plane', 'inner/plane'], sidecars: false },
  { name: 'sidecars', serviceAccounts: ['shop/*'], sidecars: true },
];

function pod(namespace: string, name: string, serviceAccount: string, more: Partial<PodFacts> = {}): PodFacts {
  const base = { uid: name, namespace, name, serviceAccount, labels: {}, addresses: [], nodeAddresses: [] };
  return { ...base, sidecarAdminPort: null, isReady: true, ...more };
}

function service(more: Partial<ServiceFacts>): ServiceFacts {
  return { namespace: 'system', selector: null, addresses: [], sharedAddresses: [], ports: [], published: [], ...more };
}

function platform(pods: readonly PodFacts[], more: Partial<PlatformFacts> = {}): PlatformFacts {
  const byNamespace = new Map<string, Map<string, PodFacts>>();
  for (const one of pods) {
    const all = byNamespace.get(one.namespace) ?? new Map<string, PodFacts>();
    byNamespace.set(one.namespace, all.set(`${one.namespace}/${one.name}`, one));
  }
  const controller = { namespace: 'system', pod: 'controller-1' };
  return { apiServer: [], pods: byNamespace, services: new Map(), controller, ...more };
}

/** What is forbidden, as words by key. */
function told(facts: PlatformFacts): Record<string, string[]> {
  return Object.fromEntries(
    forbiddenAddresses(facts, groups).map((one) => [
      one.key,
      ('places' in one ? one.places : []).map(({ address, port }) =>
        port === undefined ? address : `${address} ${port}`,
      ),
    ]),
  );
}

describe('addresses that are forbidden to tenants', () => {
  it('are those of the API server', () => {
    const apiServer = [{ address: '192.0.2.7' }, { address: '10.96.0.1', port: 443 }, { address: '192.0.2.7' }];
    expect(told(platform([], { apiServer }))).toEqual({ 'forbidden/api-server': ['10.96.0.1 443', '192.0.2.7'] });
  });

  it('are those of all controllers, of planes of all groups, and of their nodes', () => {
    const pods = [
      pod('system', 'controller-1', 'controller', { addresses: ['10.1.0.1'], nodeAddresses: ['192.0.2.1'] }),
      pod('system', 'controller-2', 'controller', { addresses: ['10.1.0.2', 'fd00::2'] }),
      pod('system', 'plane-1', 'plane', { addresses: ['10.1.0.3'], nodeAddresses: ['192.0.2.1'] }),
      pod('inner', 'plane-2', 'plane', { addresses: ['10.1.0.4'] }),
    ];
    expect(told(platform(pods))).toEqual({
      'forbidden/pods/inner': ['10.1.0.4'],
      'forbidden/pods/system': ['10.1.0.1', '10.1.0.2', '10.1.0.3', '192.0.2.1', 'fd00::2'],
    });
  });

  it('do not include other Pods of the same namespaces', () => {
    const pods = [
      pod('system', 'controller-1', 'controller'),
      pod('system', 'other', 'default', { addresses: ['10.1.0.9'], nodeAddresses: ['192.0.2.9'] }),
      pod('inner', 'controller-1', 'controller', { addresses: ['10.1.0.8'] }),
      pod('shop', 'app', 'default', { addresses: ['10.1.0.7'] }),
    ];
    expect(told(platform(pods))).toEqual({});
  });

  it('are of a sidecar the port of its figures: the application may be reached', () => {
    const sidecar = pod('shop', 'cart', 'default', {
      addresses: ['10.1.0.5'],
      nodeAddresses: ['192.0.2.2'],
      sidecarAdminPort: 9091,
    });
    expect(told(platform([sidecar]))).toEqual({ 'forbidden/pods/shop': ['10.1.0.5 9091', '192.0.2.2'] });
  });

  it('include Services of controllers and data planes, with their ports if the address is shared', () => {
    const labels = { app: 'gatewarden', component: 'dataplane' };
    const pods = [pod('system', 'plane-1', 'plane', { labels, addresses: ['10.1.0.3'] })];
    const services = new Map([
      ['system/planes', service({ selector: { app: 'gatewarden' }, addresses: ['10.96.1.1'] })],
      [
        'system/public',
        service({ selector: labels, addresses: ['10.96.1.2'], sharedAddresses: ['203.0.113.5'], ports: [80, 443] }),
      ],
      ['system/other', service({ selector: { app: 'other' }, addresses: ['10.96.1.3'] })],
      ['system/manual', service({ addresses: ['10.96.1.4'] })],
    ]);
    expect(told(platform(pods, { services }))).toEqual({
      'forbidden/pods/system': ['10.1.0.3', '10.96.1.1', '10.96.1.2', '203.0.113.5 443', '203.0.113.5 80'],
    });
  });

  it('have the same hash in any order of the objects, and another one after a removal', () => {
    const pods = ['10.1.0.3', '10.1.0.4'].map((address, at) =>
      pod('system', `plane-${at}`, 'plane', { addresses: [address] }),
    );
    const hashes = [pods, pods.toReversed(), pods.slice(1)].map(
      (some) => forbiddenAddresses(platform(some), groups)[0]?.hash,
    );
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  it('need the Pods of the namespaces of all groups', () => {
    expect([...planeNamespaces(groups)]).toEqual(['system', 'inner', 'shop']);
  });
});
