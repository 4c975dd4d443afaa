import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ClusterApi } from '../../../controller/cluster/api/api-client.ts';
import { ClusterSource, type NamespaceScope } from '../../../controller/cluster/cluster-source.ts';
import { answer, ScriptedApiServer } from '../../support/cluster/scripted-api-server.ts';

interface Setting {
  readonly server: ScriptedApiServer;
  readonly source: ClusterSource;
  changes(): number;
  /** Of each change, whether it was said to be of statuses only. */
  readonly isStatusOnly: readonly boolean[];
}

const route = (condition: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'gatewarden.io/v1alpha1',
  kind: 'Route',
  spec: { condition, handler: 'ReverseProxyHandler' },
  ...more,
});

async function sourceOf(namespaces: NamespaceScope, fill: (server: ScriptedApiServer) => void): Promise<Setting> {
  const server = await ScriptedApiServer.start();
  fill(server);
  const api = new ClusterApi({ kubeconfig: server.kubeconfig() });
  const isStatusOnly: boolean[] = [];
  const source = new ClusterSource({
    api,
    namespaces,
    base: { namespace: 'system', name: 'gatewarden' },
    changed: (isOfStatus) => void isStatusOnly.push(isOfStatus),
    times: { pause: 1, longestPause: 1 },
  });
  onTestFinished(async () => {
    await source.close();
    await api.close();
  });
  source.start();
  return { server, source, changes: () => isStatusOnly.length, isStatusOnly };
}

async function synced(namespaces: NamespaceScope, fill: (server: ScriptedApiServer) => void): Promise<Setting> {
  const setting = await sourceOf(namespaces, fill);
  await setting.source.synced;
  return setting;
}

function fill(server: ScriptedApiServer): void {
  server.put('shop/routes/a', route('${true}'));
  server.put('bank/routes/b', route('${false}'));
  server.put('shop/secretstores/keys', { kind: 'SecretStore', spec: { type: 'Base64EncodedSecretStore' } });
  server.put('shop/auditservices/audit', { kind: 'AuditService', spec: {} });
  server.put('system/configmaps/gatewarden', { data: { 'config.json': '{}', 'trust.json': '{"tenants":[]}' } });
  server.put('system/configmaps/other', { data: { 'config.json': 'other' } });
}

const routes = ({ source }: Setting): string[] => [...source.state.routes.keys()].toSorted();

describe('the source', () => {
  it('holds the resources, the base configuration and nothing else', async () => {
    const setting = await synced('all', fill);
    const { state, baseFiles } = setting.source;
    expect(routes(setting)).toEqual(['bank/b', 'shop/a']);
    expect([...state.secretStores.keys()]).toEqual(['shop/keys']);
    expect([...state.auditServices.keys()]).toEqual(['shop/audit']);
    expect(state.secrets.size).toBe(0);
    expect(state.trust).toBe(baseFiles.trust);
    expect(Buffer.from(state.trust?.content ?? '').toString()).toBe('{"tenants":[]}');
    expect(baseFiles.config?.path).toBe('system/gatewarden/config.json');
    expect(baseFiles.admin).toBeNull();
    expect(state.routes.get('shop/a')).toMatchObject({ namespace: 'shop', name: 'a', spec: { condition: '${true}' } });
  });

  it('is not synced and reports nothing before every kind was listed', async () => {
    const refusing = (server: ScriptedApiServer): void => {
      fill(server);
      server.next('list', ...Array.from({ length: 12 }, () => answer(403)));
    };
    const setting = await sourceOf('all', refusing);
    expect(setting.changes()).toBe(0);
    await setting.source.synced;
    expect(setting.changes()).toBe(0);
    expect(routes(setting)).toHaveLength(2);
    setting.server.put('shop/routes/c', route('${true}'));
    await vi.waitFor(() => expect(setting.changes()).toBe(1));
  });

  it('returns the same maps until they change', async () => {
    const { server, source } = await synced('all', fill);
    const before = source.state;
    expect(source.state.routes).toBe(before.routes);
    server.put('shop/routes/a', route('${1 == 1}'));
    await vi.waitFor(() => expect(source.state.routes).not.toBe(before.routes));
    expect(before.routes.get('shop/a')?.spec).toMatchObject({ condition: '${true}' });
    expect(source.state.routes.get('bank/b')).toBe(before.routes.get('bank/b'));
    expect(source.state.secretStores).toBe(before.secretStores);
  });

  it('keeps the spec of a resource whose status was written', async () => {
    const { server, source } = await synced('all', fill);
    const before = source.state.routes.get('shop/a')!;
    const metadata = { generation: before.generation };
    server.put('shop/routes/a', route('${true}', { metadata, status: { lastGood: { generation: 1, hash: 'h' } } }));
    await vi.waitFor(() => expect(source.state.routes.get('shop/a')).not.toBe(before));
    const after = source.state.routes.get('shop/a')!;
    expect(after.lastGood).toEqual({ generation: 1, hash: 'h' });
    expect(after.resourceVersion).not.toBe(before.resourceVersion);
    expect(after.spec).toBe(before.spec);
  });

  it('distinguishes status changes from spec changes, additions and deletions', async () => {
    const { server, source, isStatusOnly } = await synced('all', fill);
    const { generation } = source.state.routes.get('shop/a')!;
    const said = (count: number): Promise<void> => vi.waitFor(() => expect(isStatusOnly).toHaveLength(count), 10_000);
    server.put('shop/routes/a', route('${true}', { metadata: { generation }, status: { conditions: [] } }));
    await said(1);
    server.put('shop/routes/a', route('${1 == 1}', { metadata: { generation: generation + 1 } }));
    await said(2);
    server.put('shop/routes/c', route('${true}'));
    await said(3);
    server.remove('shop/routes/c');
    await said(4);
    server.put('system/configmaps/gatewarden', { data: { 'config.json': '{"heap":[]}' } });
    await said(5);
    expect(isStatusOnly).toEqual([true, false, false, false, false]);
  });

  it('reports the resource version of Routes, not of other kinds', async () => {
    const { server, source } = await synced('all', fill);
    const seen = source.routesSeen;
    await vi.waitFor(() => expect(server.openWatches).toBe(4));
    const { metadata } = server.put('shop/secretstores/more', { kind: 'SecretStore', spec: { type: 'X' } });
    await vi.waitFor(() => expect(source.state.secretStores.size).toBe(2));
    expect(source.routesSeen).toBe(seen);
    expect(source.state.seen).toBe(metadata['resourceVersion']);
    expect(source.state.seenOf?.('SecretStore', 'shop/none')).toBe(metadata['resourceVersion']);
    expect(source.state.seenOf?.('Secret', 'shop/none')).toBeNull();
    server.bookmark();
    await vi.waitFor(() => expect(source.routesSeen).toBe(metadata['resourceVersion']));
    server.remove('shop/routes/a');
    await vi.waitFor(() => expect(Number(source.routesSeen)).toBeGreaterThan(Number(metadata['resourceVersion'])));
  });

  it('follows the requested Secrets', async () => {
    const { server, source, changes } = await synced('all', fill);
    server.put('shop/secrets/keys', { metadata: { labels: { 'gatewarden.io/secret-store': 'allowed' } } });
    source.follow(['shop/keys']);
    await vi.waitFor(() => expect(source.state.secrets.get('shop/keys')?.data).toEqual(new Map()));
    expect(changes()).toBe(1);
    expect(source.facts.map(({ kind }) => kind)).toContain('Secret');
  });

  it('reports nothing after it is closed', async () => {
    const { server, source, changes } = await synced('all', fill);
    await vi.waitFor(() => expect(server.openWatches).toBe(4));
    await source.close();
    await vi.waitFor(() => expect(server.openWatches).toBe(0));
    const asked = server.requests.length;
    source.follow(['shop/keys']);
    server.put('shop/routes/c', route('${true}'));
    await vi.waitFor(() => expect(source.facts.every(({ watchingSince }) => watchingSince === null)).toBe(true));
    expect(server.requests).toHaveLength(asked);
    expect(changes()).toBe(0);
  });
});

describe('a deleted object', () => {
  it('has the version of its deletion, from a watch or from a list', async () => {
    const { server, source } = await synced(['shop', 'bank'], fill);
    await vi.waitFor(() => expect(server.openWatches).toBe(7));
    const [a, b] = ['shop/a', 'bank/b'].map((key) => source.state.routes.get(key)!);
    expect([a!, b!].map(({ uid }) => source.routeVersion(uid))).toEqual([a!.resourceVersion, b!.resourceVersion]);
    server.remove('shop/routes/a');
    await vi.waitFor(() => expect(source.state.routes.size).toBe(1));
    expect(source.routeVersion(a!.uid)).toBe(source.state.seenOf?.('Route', 'shop/a'));
    expect(Number(source.routeVersion(a!.uid))).toBeGreaterThan(Number(a!.resourceVersion));
    expect(source.routesSeen).not.toBe(source.state.seenOf?.('Route', 'shop/a')); // the other namespace is not that far
    server.next('watch', (request, response) => {
      server.remove('bank/routes/b');
      server.compact();
      answer(503)(request, response);
    });
    server.reset();
    await vi.waitFor(() => expect(source.state.routes.size).toBe(0));
    expect(Number(source.routeVersion(b!.uid))).toBeGreaterThan(Number(source.routeVersion(a!.uid)));
    expect(source.routeVersion('unheard-of')).toBeNull();
  });

  it('is distinguished from a new object of the same name', async () => {
    const { server, source } = await synced('all', fill);
    await vi.waitFor(() => expect(server.openWatches).toBe(4));
    const { uid } = source.state.routes.get('shop/a')!;
    const { metadata } = server.put('shop/routes/a', route('${true}', { metadata: { uid: 'another' } }));
    await vi.waitFor(() => expect(source.state.routes.get('shop/a')?.uid).toBe('another'));
    expect([uid, 'another'].map((one) => source.routeVersion(one))).toEqual([
      metadata['resourceVersion'],
      metadata['resourceVersion'],
    ]);
  });
});

describe('namespaces', () => {
  it('can be named: each is read separately', async () => {
    const setting = await synced(['shop', 'office', 'shop'], fill);
    expect(routes(setting)).toEqual(['shop/a']);
    const asked = setting.server.requests.filter(({ kind, path }) => kind === 'list' && path.endsWith('/routes'));
    expect(asked.map(({ path }) => path.split('/')[5]).toSorted()).toEqual(['office', 'shop']);
    setting.server.put('office/routes/c', route('${true}'));
    setting.server.put('bank/routes/d', route('${true}'));
    await vi.waitFor(() => expect(routes(setting)).toEqual(['office/c', 'shop/a']));
  });

  it('can be selected by label, and are added and removed with it', async () => {
    const labelled = (server: ScriptedApiServer): void => {
      fill(server);
      server.put('/namespaces/shop', { metadata: { labels: { gateway: 'yes' } } });
      server.put('/namespaces/bank', { metadata: { labels: { gateway: 'no' } } });
    };
    const setting = await synced({ labelSelector: 'gateway=yes' }, labelled);
    expect(routes(setting)).toEqual(['shop/a']);
    await vi.waitFor(() => expect(setting.server.openWatches).toBe(5));
    setting.server.put('/namespaces/office', { metadata: { labels: { gateway: 'yes' } } });
    setting.server.put('office/routes/c', route('${true}'));
    await vi.waitFor(() => expect(routes(setting)).toEqual(['office/c', 'shop/a']));
    setting.server.remove('/namespaces/shop');
    await vi.waitFor(() => expect(routes(setting)).toEqual(['office/c']));
    expect(setting.changes()).toBeGreaterThan(0);
  });
});

describe('the base configuration', () => {
  const base = (data: JsonObject, more: JsonObject = {}) => ({ data, ...more });

  it('keeps unchanged files, reports keys without effect, and disappears with its ConfigMap', async () => {
    const { server, source } = await synced('all', fill);
    const before = source.baseFiles;
    const binary = { binaryData: { 'admin.json': Buffer.from('{"a":1}').toString('base64') } };
    server.put('system/configmaps/gatewarden', base({ 'config.json': '{}', 'Config.yaml': 'a', notes: 'b' }, binary));
    await vi.waitFor(() => expect(source.baseFiles).not.toBe(before));
    const { config, admin, trust, strays, unused, source: version } = source.baseFiles;
    expect(config).toBe(before.config);
    expect(Buffer.from(admin?.content ?? '').toString()).toBe('{"a":1}');
    expect(trust).toBeNull();
    expect(strays).toMatchObject([
      { file: { path: 'system/gatewarden/Config.yaml' }, instead: 'config.json', isThere: true },
    ]);
    expect(unused).toEqual(['notes']);
    expect(version?.uid).toBe(before.source?.uid);
    server.remove('system/configmaps/gatewarden');
    await vi.waitFor(() => expect(source.baseFiles.source).toBeNull());
    expect(source.baseFiles.config).toBeNull();
  });
});
