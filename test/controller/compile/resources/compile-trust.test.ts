import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const tenant = (name: string, namespaces: string[], hosts: string[]): JsonObject => ({ name, namespaces, hosts });

const wrong = 'groups.0.serviceAccounts.0 value';

describe('trust.json', () => {
  it.each<[string, JsonObject, string]>([
    [
      'a namespace of two tenants',
      { tenants: [tenant('a', ['x'], ['a']), tenant('b', ['x'], ['b'])] },
      'tenants.1.namespaces.0 duplicate-name',
    ],
    [
      'two tenants for all others',
      { tenants: [tenant('a', ['*'], ['a']), tenant('b', ['*'], ['b'])] },
      'tenants.1.namespaces.0 duplicate-name',
    ],
    [
      'a host of two tenants',
      { tenants: [tenant('a', ['x'], ['h']), tenant('b', ['y'], ['H'])] },
      'tenants.1.hosts.0 duplicate-name',
    ],
    [
      'a name of two tenants',
      { tenants: [tenant('a', ['x'], ['a']), tenant('a', ['y'], ['b'])] },
      'tenants.1.name duplicate-name',
    ],
    ['a host that is none', { tenants: [tenant('a', ['x'], ['a/b'])] }, 'tenants.0.hosts.0 value'],
    ['two groups of one name', { groups: [{ name: 'g' }, { name: 'g' }] }, 'groups.1.name duplicate-name'],
    [
      'a ServiceAccount in two groups',
      {
        groups: [
          { name: 'g', serviceAccounts: ['a/b'] },
          { name: 'h', serviceAccounts: ['a/b'] },
        ],
      },
      'groups.1.serviceAccounts.0 duplicate-name',
    ],
    [
      'the ServiceAccounts of a namespace in two groups',
      {
        groups: [
          { name: 'g', serviceAccounts: ['a/*'], sidecars: true },
          { name: 'h', serviceAccounts: ['a/*'], sidecars: true },
        ],
      },
      'groups.1.serviceAccounts.0 duplicate-name',
    ],
    [
      'all ServiceAccounts of a namespace as planes for everybody',
      { groups: [{ name: 'g', serviceAccounts: ['a/b', 'a/*'] }] },
      'groups.0.serviceAccounts.1 value',
    ],
    [
      'a group for a tenant that is none',
      { groups: [{ name: 'g', tenants: ['default', 'b'] }] },
      'groups.0.tenants.1 value',
    ],
    ['a group for nobody', { groups: [{ name: 'g', tenants: [] }] }, 'groups.0.tenants value'],
    ['all ServiceAccounts', { groups: [{ name: 'g', serviceAccounts: ['*/*'], sidecars: true }] }, wrong],
    ['some ServiceAccounts', { groups: [{ name: 'g', serviceAccounts: ['a/b*'], sidecars: true }] }, wrong],
    ['no group', { groups: [] }, 'groups value'],
    ['egress that is no address', { egress: ['everywhere'] }, 'egress.0 value'],
    ['a field that is none', { tenant: [] }, 'tenant unknown-field'],
  ])('is refused with %s', (_, trust, expected) => {
    const { resources } = new CompiledCluster().base('trust', trust).compile();
    expect(resources?.trust).toBeNull();
    expect(resources?.trustProblems.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([expected]);
  });

  it('may use the environment of the controller', () => {
    const cluster = new CompiledCluster({ HOST: 'a.example' });
    const { resources } = cluster.base('trust', { tenants: [tenant('a', ['x'], ['&{host}'])] }).compile();
    expect(resources?.trust?.tenants[0]?.hosts).toEqual(['a.example']);
  });

  it('gives all other namespaces to the tenant with the asterisk', () => {
    const tenants = [tenant('a', ['x'], ['a']), tenant('rest', ['*'], ['*'])];
    const cluster = new CompiledCluster().base('trust', { tenants });
    const compilation = cluster.route('x/r', proxied).route('y/r', proxied).compile();
    expect(['x/r', 'y/r'].map((key) => verdictIn(compilation, key).route?.tenant)).toEqual(['a', 'rest']);
  });

  it('warns of missing shared objects', () => {
    const { resources } = new CompiledCluster().base('trust', { sharedObjects: ['vault'] }).compile();
    expect(resources?.trustProblems).toMatchObject([{ code: 'no-effect', path: ['sharedObjects', 0] }]);
  });

  it('is part of the hash of the base', () => {
    const cluster = new CompiledCluster();
    const before = cluster.compile().snapshot!.base;
    const after = cluster.base('trust', { egress: ['127.0.0.1:80'] }).compile().snapshot!.base;
    expect(after.hash).not.toBe(before.hash);
    expect(after.trust?.egress).toEqual(['127.0.0.1:80']);
    const admin = cluster.base('admin', { connectors: [{ port: 8081 }] }).compile().snapshot!.base;
    expect(admin.hash).not.toBe(after.hash);
    expect(admin).toMatchObject({ admin: { connectors: [{ port: 8081 }] }, sources: [{ uid: 'config-map' }] });
  });
});
