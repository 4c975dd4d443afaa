import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { baseRecordOf, readBaseRecord } from '../../../controller/compile/base-record.ts';
import { CompiledCluster, verdictIn } from '../../support/cluster/compiled-cluster.ts';

const config = {
  heap: [{ name: 'shared', type: 'ReverseProxyHandler' }],
  handler: { name: '_router', type: 'Router' },
};
const trust = { tenants: [{ name: 'shop', namespaces: ['shop'], hosts: ['shop.example.com'] }] };
const admin = { maxBodyLength: 1000 };

/** A cluster with a sound base configuration and a Route that needs it. */
function soundCluster(env: Record<string, string> = {}): CompiledCluster {
  const cluster = new CompiledCluster(env).base('config', config).base('trust', trust).base('admin', admin);
  return cluster.route('shop/orders', { baseURI: 'http://app.example.com:8080', handler: 'shared' });
}

/** Another controller takes over with nothing but the record of this one. */
function restartWithRecord(cluster: CompiledCluster): CompiledCluster {
  const record = readBaseRecord(JSON.parse(JSON.stringify(baseRecordOf(cluster.lastGood))));
  expect(record).not.toBeNull();
  cluster.restart();
  cluster.lastGood = cluster.compiler.restored(record!);
  return cluster;
}

describe('the record of the last good base configuration', () => {
  const broken: readonly (readonly ['config' | 'admin' | 'trust', string, JsonValue | string | null])[] = [
    ['config', 'a misspelt heap', { hepa: [] }],
    ['config', 'an object without a proper name', { heap: [{ name: 1 }] }],
    ['config', 'no JSON', '{'],
    ['config', 'a file that was removed', null],
    ['admin', 'an unknown field', { maxBodyLenght: 5 }],
    ['admin', 'no JSON', '{'],
    ['trust', 'an egress rule that is none', { ...trust, egress: ['nonsense'] }],
    ['trust', 'an unknown field', { tenant: [] }],
    ['trust', 'no JSON', '{'],
    ['trust', 'a file that was removed', null],
  ];

  it.each(broken)('keeps %s.json serving after a restart with %s', (name, _, content) => {
    const cluster = soundCluster();
    const before = cluster.compile().snapshot!;
    cluster.base(name, content).compile();
    restartWithRecord(cluster);
    const after = cluster.compile();
    expect(after.snapshot?.base.document).toEqual(before.base.document);
    expect(after.snapshot?.base.admin).toEqual(before.base.admin);
    expect(after.snapshot?.base.trust).toEqual(before.base.trust);
    expect(after.snapshot?.base.hash).toBe(before.base.hash);
    expect(verdictIn(after, 'shop/orders').accepted.status).toBe(true);
  });

  it('is not needed if the base configuration is valid', () => {
    const cluster = soundCluster();
    cluster.compile();
    cluster.base('trust', { ...trust, onInvalid: 'Refuse' });
    restartWithRecord(cluster);
    expect(cluster.compile().resources?.trust?.onInvalid).toBe('Refuse');
  });

  it('contains tokens with their values at that time', () => {
    const text = { type: 'StaticResponseHandler', config: { status: 200, entity: '&{SITE}' } };
    const heap = [{ name: 'shared', ...text }];
    const cluster = soundCluster({ SITE: 'berlin' }).base('config', { ...config, heap });
    const before = cluster.compile().snapshot!;
    const record = readBaseRecord(JSON.parse(JSON.stringify(baseRecordOf(cluster.lastGood))))!;
    const elsewhere = soundCluster().base('config', { ...config, heap });
    elsewhere.lastGood = elsewhere.compiler.restored(record);
    expect(elsewhere.compile().snapshot?.base.document).toEqual(before.base.document);
  });

  it('keeps the properties of config.json', () => {
    const properties = { site: 'berlin' };
    const cluster = soundCluster().base('config', { ...config, properties });
    const before = cluster.compile().snapshot!;
    cluster.base('config', '{');
    restartWithRecord(cluster);
    const after = cluster.compile();
    expect(after.snapshot?.base.document).toEqual(before.base.document);
    expect(after.lastGood.base?.properties.token('site')).toBe('berlin');
  });

  it('leaves nothing to serve if no version was ever valid', () => {
    const cluster = soundCluster().base('trust', { egress: ['nonsense'] });
    cluster.compile();
    restartWithRecord(cluster);
    const after = cluster.compile();
    expect(after.snapshot).toBeNull();
    expect(verdictIn(after, 'shop/orders').accepted.reason).toBe('BaseConfigurationInvalid');
  });

  it('is not used if this version does not accept its content', () => {
    const cluster = soundCluster().base('config', '{');
    const unsound = { heap: [{ name: 'one', type: 'NoSuchType' }] };
    const record = { config: { document: unsound, isFile: true }, admin: { nothing: 1 }, trust: null };
    cluster.lastGood = cluster.compiler.restored(record);
    expect(cluster.lastGood.base).toBeNull();
    expect(cluster.lastGood.resources?.admin).toBeNull();
    expect(cluster.compile().snapshot).toBeNull();
  });

  it.each([['[]'], ['{}'], ['{"config":7,"admin":null,"trust":null}']])('is not read from %s', (text) => {
    expect(readBaseRecord(JSON.parse(text))).toBeNull();
  });
});
