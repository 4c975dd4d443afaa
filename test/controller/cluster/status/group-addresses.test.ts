import { describe, expect, it } from 'vitest';
import { type TrustSettings, trustSettings } from '../../../../contract/trust-settings.ts';
import { groupAddresses } from '../../../../controller/cluster/status/group-addresses.ts';
import type { PlatformFacts, PodFacts, ServiceFacts } from '../../../../controller/compile/resources/platform-facts.ts';

const pod = (name: string, labels: Record<string, string>): PodFacts => ({
  ...{ uid: name, namespace: 'system', name, serviceAccount: name, labels, addresses: ['10.0.0.1'] },
  ...{ nodeAddresses: [], sidecarAdminPort: null, isReady: true },
});

const service = (selector: Record<string, string> | null, published: readonly string[] = []): ServiceFacts => ({
  ...{ namespace: 'system', selector, addresses: ['10.96.0.1'], sharedAddresses: [], ports: [80], published },
});

function platform(services: Readonly<Record<string, ServiceFacts>>): PlatformFacts {
  const pods = [pod('edge', { group: 'edge' }), pod('inside', { group: 'inside' })];
  return {
    apiServer: [],
    pods: new Map([['system', new Map(pods.map((one) => [`system/${one.name}`, one]))]]),
    services: new Map(Object.entries(services).map(([name, facts]) => [`system/${name}`, facts])),
    controller: { namespace: 'system', pod: 'controller' },
  };
}

function groups(more: Readonly<Record<string, unknown>> = {}): TrustSettings['groups'] {
  return trustSettings.parse({
    groups: [
      { name: 'edge', serviceAccounts: ['system/edge'], ...more },
      { name: 'inside', serviceAccounts: ['system/inside'] },
      { name: 'beside', serviceAccounts: ['shop/*'], sidecars: true },
    ],
  }).groups;
}

describe('the addresses of a group', () => {
  it('are those of load balancers and external ones of its own Services, addresses and names', () => {
    const found = groupAddresses(
      platform({
        edge: service({ group: 'edge' }, ['203.0.113.7', 'lb.example.com', '203.0.113.7']),
        others: service({ group: 'others' }, ['203.0.113.8']),
        all: service(null, ['203.0.113.9']),
      }),
      groups(),
    );
    expect(found.get('edge')).toEqual([
      { group: 'edge', type: 'IPAddress', value: '203.0.113.7' },
      { group: 'edge', type: 'Hostname', value: 'lb.example.com' },
    ]);
    expect(found.get('inside')).toEqual([]);
  });

  it('are the names of its Services where nothing is published', () => {
    const found = groupAddresses(platform({ gateway: service({ group: 'inside' }) }), groups());
    expect(found.get('inside')).toEqual([{ group: 'inside', type: 'Hostname', value: 'gateway.system.svc' }]);
  });

  it('are those that the operator wrote, whatever Services have', () => {
    const facts = platform({ edge: service({ group: 'edge' }, ['203.0.113.7']) });
    const found = groupAddresses(facts, groups({ addresses: ['www.example.com'] }));
    expect(found.get('edge')).toEqual([{ group: 'edge', type: 'Hostname', value: 'www.example.com' }]);
  });

  it('are none of sidecars, and none outside of a cluster', () => {
    expect([...groupAddresses(undefined, groups()).values()].flat()).toEqual([]);
    expect(groupAddresses(platform({}), groups()).get('beside')).toEqual([]);
  });
});
