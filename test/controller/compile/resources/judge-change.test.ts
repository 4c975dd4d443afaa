import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { Resource, ResourceKind } from '../../../../contract/resources/resource.ts';
import type { ResourceOpinion } from '../../../../controller/compile/resources/judge-change.ts';
import { toSplunk } from '../../../support/audit/audit-resources.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const files: JsonObject = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name: 'keys' }] };
const plain: JsonObject = proxied;
const using = (store: string): JsonObject => ({ ...plain, secrets: { stores: [store] } });

function prepared(): CompiledCluster {
  const tenants = [{ name: 'shops', namespaces: ['shop'], hosts: ['*'] }];
  const cluster = new CompiledCluster()
    .base('trust', { tenants })
    .store('shop/one', files)
    .store('shop/unread', { ...files, secrets: [{ name: 'new' }] })
    .secret('shop/keys', { a: '1' })
    .route('shop/a', using('one'))
    .route('shop/b', { ...plain, name: 'taken' });
  cluster.compile();
  return cluster;
}

function resource(kind: ResourceKind, key: string, spec: JsonObject): Resource {
  const [namespace = '', name = ''] = key.split('/');
  const made = { labels: {}, uid: 'new', resourceVersion: '1', generation: 1, created: '', lastGood: null };
  return { ...made, kind, namespace, name, spec };
}

/** Codes with paths, notes and what would break. */
function lines(opinion: ResourceOpinion | null): string[] {
  if (opinion === null) return ['nothing is known'];
  const { problems, notes, breaks } = opinion;
  return [
    ...problems.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path.join('.')}`),
    ...notes.map((note) => `note ${note}`),
    ...breaks.map((key) => `breaks ${key}`),
  ];
}

describe('the verdict on a change', () => {
  it.each<[string, ResourceKind, string, JsonObject, string[]]>([
    ['a sound Route', 'Route', 'shop/c', plain, []],
    ['a Route that is not', 'Route', 'shop/c', { handler: 'nobody' }, ['reference spec.handler']],
    [
      'a Route whose store is not there yet',
      'Route',
      'shop/c',
      using('later'),
      ['note spec.secrets.stores[0]: there is no SecretStore shop/later'],
    ],
    ['a Route whose Secret nobody has read', 'Route', 'shop/c', using('unread'), []],
    ['a Route of nobody', 'Route', 'other/c', plain, ['not-allowed spec']],
    ['a Route with the name of another', 'Route', 'shop/c', { ...plain, name: 'taken' }, ['route-name spec.name']],
    ['a Route with its own name', 'Route', 'shop/b', { ...plain, name: 'taken' }, []],
    ['a sound store', 'SecretStore', 'shop/two', files, []],
    ['a store that is not', 'SecretStore', 'shop/two', { ...files, type: 'Nothing' }, ['unknown-type spec.type']],
    [
      'a store that is not sound any more',
      'SecretStore',
      'shop/one',
      { ...files, type: 'Nothing' },
      ['unknown-type spec.type', 'breaks shop/a'],
    ],
    [
      'a store with a key that is not there',
      'SecretStore',
      'shop/one',
      { ...files, secrets: [{ name: 'keys', items: [{ key: 'b' }] }] },
      ["note spec.secrets[0].items[0].key: there is no key 'b' in the Secret shop/keys", 'breaks shop/a'],
    ],
    [
      'an AuditService with a handler for operators and one that is none',
      'AuditService',
      'shop/audit',
      { eventHandlers: [{ class: 'Odd' }], config: { topicsSchemasDirectory: '/etc' } },
      ['not-allowed spec.config.topicsSchemasDirectory', 'value spec.eventHandlers.0.class'],
    ],
    [
      'an AuditService whose store is not there yet',
      'AuditService',
      'shop/audit',
      toSplunk('later'),
      ['note spec.eventHandlers[0].config.secretsProvider: there is no SecretStore shop/later'],
    ],
    [
      'a store with a Secret that nobody has read',
      'SecretStore',
      'shop/one',
      { ...files, secrets: [{ name: 'new' }] },
      [],
    ],
  ])('is given for %s', (_, kind, key, spec, expected) => {
    const { compiler } = prepared();
    expect(lines(compiler.judgeOne({ operation: 'set', resource: resource(kind, key, spec) }))).toEqual(expected);
  });

  it.each<[string, ResourceKind, string, string[]]>([
    ['of a store that is used', 'SecretStore', 'shop/one', ['breaks shop/a']],
    ['of a store that is not', 'SecretStore', 'shop/two', []],
    ['of a Route', 'Route', 'shop/a', []],
  ])('covers the deletion %s', (_, kind, key, expected) => {
    const { compiler } = prepared();
    expect(lines(compiler.judgeOne({ operation: 'delete', resource: resource(kind, key, files) }))).toEqual(expected);
  });

  it('counts the Routes whose version before uses a store', () => {
    const cluster = prepared().route('shop/a', { handler: 'nobody' });
    cluster.compile();
    const change = { operation: 'delete', resource: resource('SecretStore', 'shop/one', files) } as const;
    expect(lines(cluster.compiler.judgeOne(change))).toEqual(['breaks shop/a']);
  });

  it('counts the Routes that would lack an AuditService', () => {
    const cluster = prepared()
      .auditService('shop/audit')
      .route('shop/b', { ...plain, auditService: 'audit' });
    cluster.compile();
    const change = { operation: 'delete', resource: resource('AuditService', 'shop/audit', {}) } as const;
    expect(lines(cluster.compiler.judgeOne(change))).toEqual(['breaks shop/b']);
  });

  it('includes Routes of other namespaces whose grant is withdrawn', () => {
    const cluster = new CompiledCluster()
      .store('platform/one', { ...files, allowedNamespaces: ['shop'] })
      .secret('platform/keys', { a: '1' })
      .route('shop/a', using('platform/one'));
    cluster.compile();
    const change = { operation: 'set', resource: resource('SecretStore', 'platform/one', files) } as const;
    expect(lines(cluster.compiler.judgeOne(change))).toEqual(['breaks shop/a']);
  });

  it('is null before the first compilation', () => {
    const { compiler } = new CompiledCluster();
    expect(compiler.judgeOne({ operation: 'set', resource: resource('Route', 'shop/c', plain) })).toBeNull();
  });

  it('changes nothing', () => {
    const cluster = prepared();
    const before = cluster.compile();
    cluster.compiler.judgeOne({ operation: 'set', resource: resource('SecretStore', 'shop/one', { type: 'Nothing' }) });
    cluster.compiler.judgeOne({ operation: 'set', resource: resource('Route', 'shop/a', { handler: 'nobody' }) });
    const after = cluster.compile();
    expect(cluster.judged).toEqual([]);
    expect(after.snapshot?.revision).toBe(before.snapshot?.revision);
    expect(after.resources?.verdicts).toEqual(before.resources?.verdicts);
  });
});
