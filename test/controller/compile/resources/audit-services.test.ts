import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { isOlder, type SharedObjects } from '../../../../contract/snapshot.ts';
import type { Compilation } from '../../../../controller/compile/compiler.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { toSplunk, toSyslog } from '../../../support/audit/audit-resources.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const KEY = 'AuditService/shop/audit';
const values: JsonObject = {
  type: 'Base64EncodedSecretStore',
  secrets: [{ name: 'tokens', items: [{ key: 'token', secretId: 'token' }] }],
};

function audited(name = 'audit', more: JsonObject = {}): JsonObject {
  return { ...proxied, auditService: name, ...more };
}

function said({ accepted, resolvedRefs, serves }: ResourceVerdict): string {
  return `${accepted.reason} ${resolvedRefs.reason} ${serves}`;
}

function resourceIn({ snapshot }: Compilation, key = KEY): SharedObjects {
  const found = snapshot?.resources?.find((one) => one.key === key);
  if (found?.type !== 'objects') throw new Error(`the snapshot has no ${key}`);
  return found;
}

function prepared(): CompiledCluster {
  return new CompiledCluster().auditService('shop/audit', toSyslog('one.example')).route('shop/a', audited());
}

function withToken(token = 'sesame'): CompiledCluster {
  return new CompiledCluster()
    .store('shop/tokens', values)
    .secret('shop/tokens', { token })
    .auditService('shop/audit', toSplunk('tokens'))
    .route('shop/a', audited());
}

describe('an AuditService', () => {
  it('is one resource of the snapshot, however many Routes name it', () => {
    const compilation = prepared().route('shop/b', audited('shop/audit')).auditService('shop/idle').compile();
    expect(verdictIn(compilation, 'shop/a').route?.resources).toEqual({ audit: KEY });
    expect(verdictIn(compilation, 'shop/b').route?.resources).toEqual({ 'shop/audit': KEY });
    expect(compilation.snapshot?.resources).toMatchObject([
      { type: 'objects', key: KEY, objects: [{ name: 'shop/audit', type: 'AuditService' }], files: {} },
    ]);
    expect(verdictIn(compilation, 'shop/a').route?.sources?.map(({ uid }) => uid)).toEqual([
      'Route-shop/a',
      KEY,
      'config-map',
    ]);
  });

  it.each<[string, JsonObject, string, RegExp]>([
    ['a handler', toSyslog('one.example'), 'Accepted ResolvedRefs this', /it is valid/],
    ['no handlers', {}, 'Accepted ResolvedRefs this', /it is valid/],
    [
      'a class that is none',
      { eventHandlers: [{ class: 'Odd' }] },
      'Invalid ResolvedRefs nothing',
      /spec\.eventHandlers\[0\]\.class: there is no event handler 'Odd'/,
    ],
    [
      'a spool, which is a directory of the data plane',
      toSyslog('one.example', 514, { spool: { directory: '/var/spool' } }),
      'Invalid ResolvedRefs nothing',
      /spec\.eventHandlers\[0\]\.config\.spool\.directory: /,
    ],
    [
      'a directory of topic schemas',
      { config: { topicsSchemasDirectory: '/etc' } },
      'Invalid ResolvedRefs nothing',
      /spec\.config\.topicsSchemasDirectory: /,
    ],
    ['a field that is none', { handlers: [] }, 'Invalid ResolvedRefs nothing', /spec\.handlers: /],
    ['a grant that is none', { allowedNamespaces: ['A B'] }, 'Invalid ResolvedRefs nothing', /spec\.allowedNamespaces/],
    ['a token', toSyslog('&{HOME}'), 'Invalid ResolvedRefs nothing', /not allowed/],
    [
      'a custom topic with a schema that is none',
      { config: { topics: { logins: { schema: { type: 'odd' } } } } },
      'Invalid ResolvedRefs nothing',
      /spec\.config\.topics\.logins\.schema/,
    ],
    ['a store that is missing', toSplunk('nobody'), 'Accepted StoreNotFound nothing', /it is valid/],
  ])('has the conditions for %s', (_, spec, expected, message) => {
    const verdict = new CompiledCluster().auditService('shop/audit', spec).verdict('shop/audit', 'AuditService');
    expect(said(verdict)).toBe(expected);
    expect(verdict.accepted.message).toMatch(message);
  });

  it('says each problem once', () => {
    const { accepted } = new CompiledCluster()
      .auditService('shop/audit', { handlers: [], config: { handlerForQueries: 3 } })
      .verdict('shop/audit', 'AuditService');
    expect(accepted.message.split('; ').filter((part) => part.startsWith('spec.handlers'))).toHaveLength(1);
    expect(accepted.message.split('; ').filter((part) => part.startsWith('spec.config.'))).toHaveLength(1);
  });

  it('changes without its Routes', () => {
    const cluster = prepared().route('shop/b', audited());
    const before = cluster.compile();
    const after = cluster.auditService('shop/audit', toSyslog('two.example')).compile();
    for (const key of ['shop/a', 'shop/b']) expect(verdictIn(after, key).route).toBe(verdictIn(before, key).route);
    expect(after.snapshot?.revision).not.toBe(before.snapshot?.revision);
    expect(resourceIn(after).hash).not.toBe(resourceIn(before).hash);
    expect(JSON.stringify(resourceIn(after).objects)).toContain('two.example');
    expect(isOlder(resourceIn(before).sources![0]!, resourceIn(after).sources![0]!)).toBe(true);
    expect(cluster.judged).toEqual(['shop/audit']);
  });

  it('stays the same resource when a Route is edited', () => {
    const cluster = prepared();
    const before = cluster.compile();
    const after = cluster.route('shop/a', audited('audit', { name: 'other' })).compile();
    expect(resourceIn(after)).toBe(resourceIn(before));
    expect(cluster.judged).toEqual(['other']);
  });

  it('is not used where an object of the Route has the name', () => {
    const heap = [{ name: 'audit', type: 'NoOpAuditService' }];
    const { route } = prepared().route('shop/a', audited('audit', { heap })).verdict('shop/a');
    expect(route?.resources).toBeUndefined();
  });

  it('needs another name than a SecretStore of the same Route', () => {
    const cluster = withToken().auditService('shop/tokens', toSyslog('one.example'));
    const stores = { secrets: { stores: ['tokens'] } };
    const verdict = cluster.route('shop/a', audited('tokens', stores)).verdict('shop/a');
    expect(said(verdict)).toBe('Accepted NameAmbiguous refuses');
    expect(verdict.resolvedRefs.message).toContain("write 'shop/tokens' for one of them");
    const healed = cluster.route('shop/a', audited('shop/tokens', stores)).verdict('shop/a');
    expect(healed.route?.resources).toEqual({
      tokens: 'SecretStore/shop/tokens',
      'shop/tokens': 'AuditService/shop/tokens',
    });
  });
});

describe('a Route and its AuditService', () => {
  it.each<[string, (cluster: CompiledCluster) => unknown, string, string]>([
    ['deleted', (cluster) => cluster.auditServices.delete('shop/audit'), 'AuditServiceNotFound', 'there is no'],
    [
      'invalid',
      (cluster) => cluster.auditService('shop/audit', { eventHandlers: [{ class: 'Odd' }] }),
      'AuditServiceInvalid',
      'is not valid',
    ],
  ])('keeps its last good version with the last valid one of a service that is %s', (_, take, reason, message) => {
    const cluster = prepared();
    const before = cluster.compile();
    take(cluster);
    const after = cluster.compile();
    const verdict = verdictIn(after, 'shop/a');
    expect(said(verdict)).toBe(`Accepted ${reason} last-good`);
    expect(verdict.resolvedRefs.message).toContain('spec.auditService: ');
    expect(verdict.resolvedRefs.message).toContain(message);
    expect(verdict.route?.hash).toBe(verdictIn(before, 'shop/a').route?.hash);
    expect(resourceIn(after).hash).toBe(resourceIn(before).hash);
    cluster.auditService('shop/audit', toSyslog('two.example'));
    const healed = cluster.compile();
    expect(said(verdictIn(healed, 'shop/a'))).toBe('Accepted ResolvedRefs this');
    expect(JSON.stringify(resourceIn(healed).objects)).toContain('two.example');
  });

  it('says of an invalid service that its last valid version is in force', () => {
    const cluster = prepared();
    cluster.compile();
    cluster.auditService('shop/audit', { eventHandlers: [{ class: 'Odd' }] });
    const verdict = cluster.verdict('shop/audit', 'AuditService');
    expect(said(verdict)).toBe('Invalid ResolvedRefs last-good');
    expect(verdict.accepted.message).toContain('Routes that used it keep its last valid version');
  });

  it('keeps the version before an edit that names a service that is missing', () => {
    const cluster = new CompiledCluster().route('shop/a', proxied);
    cluster.compile();
    expect(said(cluster.route('shop/a', audited('none')).verdict('shop/a'))).toBe(
      'Accepted AuditServiceNotFound last-good',
    );
    expect(said(cluster.route('shop/b', audited('none')).verdict('shop/b'))).toBe(
      'Accepted AuditServiceNotFound refuses',
    );
  });

  it('refuses while its service is missing if it wants that', () => {
    const cluster = prepared().route('shop/a', audited('audit', { onInvalid: 'Refuse' }));
    cluster.compile();
    cluster.auditServices.delete('shop/audit');
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted AuditServiceNotFound refuses');
  });

  it('is left to data planes that hold it, by a controller that never knew the service', () => {
    const cluster = prepared();
    const before = cluster.verdict('shop/a').route!;
    cluster.touch('shop/a', { lastGood: { generation: 1, hash: before.hash } });
    cluster.auditServices.delete('shop/audit');
    const remembered = { hash: before.hash, fallback: { refuses: true } };
    const verdict = cluster.restart().verdict('shop/a');
    expect(said(verdict)).toBe('Accepted AuditServiceNotFound last-good');
    expect(verdict.remembered).toMatchObject(remembered);
    expect(cluster.compiler.recalled(before)).toBe(true);
    expect(cluster.verdict('shop/a').remembered).toMatchObject(remembered);
  });

  it.each<[string, JsonObject, string]>([
    ['lists ours', { allowedNamespaces: ['shop'] }, 'Accepted ResolvedRefs this'],
    ['lists all', { allowedNamespaces: ['*'] }, 'Accepted ResolvedRefs this'],
    ['lists none', {}, 'Accepted AuditServiceNotGranted refuses'],
  ])('can use a service of another namespace that %s', (_, grant, expected) => {
    const cluster = new CompiledCluster().auditService('platform/audit', { ...toSyslog('one.example'), ...grant });
    expect(said(cluster.route('shop/a', audited('platform/audit')).verdict('shop/a'))).toBe(expected);
  });

  it('refuses when its grant is withdrawn, also by an invalid version of the service', () => {
    const cluster = new CompiledCluster()
      .auditService('platform/audit', { ...toSyslog('one.example'), allowedNamespaces: ['shop'] })
      .route('shop/a', audited('platform/audit'));
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted ResolvedRefs this');
    cluster.auditService('platform/audit', { eventHandlers: [{ class: 'Odd' }] });
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted AuditServiceNotGranted refuses');
  });
});

describe('a secret of an AuditService', () => {
  it('comes with it from a SecretStore, and a rotation changes one resource', () => {
    const cluster = withToken();
    const before = cluster.compile();
    const { objects, sources } = resourceIn(before);
    expect(objects.map(({ name }) => name)).toEqual(['shop/audit', 'shop/tokens']);
    expect(objects[0]).toMatchObject({ config: { eventHandlers: [{ config: { secretsProvider: 'shop/tokens' } }] } });
    expect(sources?.map(({ uid }) => uid)).toEqual([KEY, 'SecretStore/shop/tokens', 'Secret/shop/tokens']);
    expect(before.snapshot?.resources).toHaveLength(1);
    const after = cluster.secret('shop/tokens', { token: 'other' }).compile();
    expect(verdictIn(after, 'shop/a').route).toBe(verdictIn(before, 'shop/a').route);
    expect(resourceIn(after).hash).not.toBe(resourceIn(before).hash);
  });

  it.each<[string, (cluster: CompiledCluster) => unknown, string]>([
    ['its store is deleted', (cluster) => cluster.secretStores.delete('shop/tokens'), 'StoreNotFound'],
    ['its Secret is deleted', (cluster) => cluster.secret('shop/tokens', undefined), 'SecretNotFound'],
    ['its Secret loses the label of consent', (cluster) => cluster.secret('shop/tokens', null), 'SecretNotAllowed'],
  ])('is not used any more when %s', (_, take, reason) => {
    const cluster = withToken();
    cluster.compile();
    take(cluster);
    const compilation = cluster.compile();
    expect(said(verdictIn(compilation, 'shop/a'))).toBe(`Accepted ${reason} refuses`);
    expect(said(verdictIn(compilation, 'shop/audit', 'AuditService'))).toBe(`Accepted ${reason} nothing`);
    expect(compilation.snapshot).not.toHaveProperty('resources');
    cluster.store('shop/tokens', values).secret('shop/tokens', { token: 'sesame' });
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted ResolvedRefs this');
  });

  it('is not used any more either by the last valid version of a service that is invalid', () => {
    const cluster = withToken();
    cluster.compile();
    cluster.auditService('shop/audit', { eventHandlers: [{ class: 'Odd' }] });
    expect(resourceIn(cluster.compile()).objects).toHaveLength(2);
    const compilation = cluster.secret('shop/tokens', null).compile();
    expect(said(verdictIn(compilation, 'shop/a'))).toBe('Accepted AuditServiceInvalid refuses');
    expect(JSON.stringify(compilation.snapshot)).not.toContain(Buffer.from('sesame').toString('base64'));
  });

  it('is in no verdict', () => {
    const { resources } = withToken().compile();
    const shown = JSON.stringify(resources?.verdicts);
    expect(shown).not.toContain('sesame');
    expect(shown).not.toContain(Buffer.from('sesame').toString('base64'));
  });
});
