import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { type ApiCaller, ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../controller/cluster/api/api-error.ts';
import { Reflector, type ReflectorOptions } from '../../controller/cluster/api/reflector.ts';
import { resourcePath } from '../../controller/cluster/api/resource-path.ts';
import { SecretsFollower } from '../../controller/cluster/secrets-follower.ts';
import { ownCluster, type TestCluster, theCluster } from '../support/cluster/cluster.ts';

const PATIENCE = { timeout: 60_000 };

function apiOf(cluster: TestCluster): ClusterApi {
  const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
  onTestFinished(() => api.close());
  return api;
}

/** Follows what the ConfigMaps of a namespace hold under the key `text`. */
async function follow(api: ApiCaller, namespace: string, more: Partial<ReflectorOptions<string>> = {}) {
  const reflector = new Reflector<string>({
    api,
    kind: 'ConfigMap',
    path: configMaps(namespace),
    take: (raw) => String((raw['data'] as JsonObject)['text']),
    changed: () => {},
    times: { pause: 20, longestPause: 200 },
    ...more,
  });
  onTestFinished(() => reflector.close());
  reflector.start();
  await reflector.synced;
  return reflector;
}

const configMaps = (namespace: string): string => resourcePath({ version: 'v1', plural: 'configmaps', namespace });
const configMap = (name: string, text: string): object => ({ metadata: { name }, data: { text } });

async function fill(api: ClusterApi, namespace: string, count: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const name = `c${next++}`;
      await api.create(configMaps(namespace), configMap(name, name));
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

it('1,200 objects are listed in pages and their changes are followed', async () => {
  const cluster = theCluster();
  const api = apiOf(cluster);
  const namespace = await cluster.namespace('pages');
  await fill(api, namespace, 1200);
  const pages: (string | undefined)[] = [];
  const counting: ApiCaller = {
    call: (request) => {
      pages.push(String(request.query?.['limit']));
      return api.call(request);
    },
    open: (request) => api.open(request),
  };
  const reflector = await follow(counting, namespace);
  expect(reflector.objects.size).toBe(1200);
  expect(pages).toEqual(['500', '500', '500']);
  await api.create(configMaps(namespace), configMap('new', 'new'));
  await api.apply(
    `${configMaps(namespace)}/c7`,
    { apiVersion: 'v1', kind: 'ConfigMap', ...configMap('c7', 'x') },
    'test',
  );
  await api.delete(`${configMaps(namespace)}/c8`);
  await vi.waitFor(() => {
    const texts = ['new', 'c7', 'c8'].map((name) => reflector.objects.get(`${namespace}/${name}`));
    expect(texts).toEqual(['new', 'x', undefined]);
  }, PATIENCE);
  expect(reflector.facts).toMatchObject({ objects: 1200, relists: 0, fault: null });
  expect(reflector.facts.errors.size).toBe(0);
});

it('failures of a real API server have its messages', async () => {
  const cluster = theCluster();
  const api = apiOf(cluster);
  const namespace = await cluster.namespace('words');
  const failing = async (deed: Promise<unknown>): Promise<ApiError> => {
    const error: unknown = await deed.catch((reason: unknown) => reason);
    return error instanceof ApiError ? error : expect.unreachable();
  };
  expect(await failing(api.get(`${configMaps(namespace)}/none`))).toMatchObject({ status: 404, reason: 'NotFound' });
  await api.create(configMaps(namespace), configMap('one', '1'));
  const again = await failing(api.create(configMaps(namespace), configMap('one', '1')));
  expect(again).toMatchObject({ status: 409, reason: 'AlreadyExists' });
  expect(again.message).toContain('already exists');
  const nowhere = { method: 'GET', path: '/apis/none.example/v1/things', query: { watch: 1 } } as const;
  expect(await failing(api.open(nowhere))).toMatchObject({ status: 404 });
});

it('after a restart of the API server without history, one list finds removed objects', async () => {
  const cluster = await ownCluster();
  const api = apiOf(cluster);
  const namespace = await cluster.namespace('gone');
  await fill(api, namespace, 30);
  let isCut = false;
  const cut: ApiCaller = {
    call: (request) => (isCut ? Promise.reject(CUT) : api.call(request)),
    open: (request) => (isCut ? Promise.reject(CUT) : api.open(request)),
  };
  const reflector = await follow(cut, namespace, { times: { pause: 20, longestPause: 200, silence: 2000 } });
  await vi.waitFor(() => expect(reflector.facts.watchingSince).not.toBeNull(), PATIENCE);
  isCut = true;
  await vi.waitFor(() => expect(reflector.facts.errors.get('Cut')).toBeGreaterThan(0), PATIENCE);
  await api.delete(`${configMaps(namespace)}/c3`);
  await api.create(configMaps(namespace), configMap('new', 'new'));
  await cluster.apiServer.compact();
  await cluster.apiServer.stopApiServer();
  isCut = false;
  await vi.waitFor(() => expect(reflector.facts.errors.get('Unreachable')).toBeGreaterThan(1), PATIENCE);
  expect(reflector.objects.size).toBe(30);
  await cluster.apiServer.startApiServer();
  await vi.waitFor(() => expect(reflector.objects.has(`${namespace}/new`)).toBe(true), PATIENCE);
  expect(reflector.objects.has(`${namespace}/c3`)).toBe(false);
  expect(reflector.objects.size).toBe(30);
  expect(reflector.facts.errors.get('Expired')).toBeGreaterThan(0);
  await api.create(configMaps(namespace), configMap('later', 'later'));
  await vi.waitFor(() => expect(reflector.objects.has(`${namespace}/later`)).toBe(true), PATIENCE);
  cluster.apiServer.freeze();
  const silent = reflector.facts.errors.get('Silent') ?? 0;
  await vi.waitFor(() => expect(reflector.facts.errors.get('Silent') ?? 0).toBeGreaterThan(silent), PATIENCE);
  cluster.apiServer.thaw();
  await api.create(configMaps(namespace), configMap('thawed', 'thawed'));
  await vi.waitFor(() => expect(reflector.objects.has(`${namespace}/thawed`)).toBe(true), PATIENCE);
});

const CUT = new ApiError('cut off', { status: 0, reason: 'Cut' });

it('a role for one Secret is enough to follow it, and only it', async () => {
  const cluster = theCluster();
  const namespace = await cluster.namespace('names');
  const own = ['-n', namespace];
  await cluster.run(['create', 'serviceaccount', 'reader', ...own]);
  await cluster.run([
    ...['create', 'role', 'reader', '--verb=get,list,watch', '--resource=secrets', '--resource-name=keys', ...own],
  ]);
  await cluster.run([
    ...['create', 'rolebinding', 'reader', '--role=reader', `--serviceaccount=${namespace}:reader`],
    ...own,
  ]);
  for (const name of ['keys', 'other']) {
    await cluster.run(['create', 'secret', 'generic', name, '--from-literal=password=one', ...own]);
    await cluster.run(['label', 'secret', name, 'gatewarden.io/secret-store=allowed', ...own]);
  }
  const token = await cluster.run(['create', 'token', 'reader', ...own]);
  const api = new ClusterApi({ root: podFiles(cluster, token, namespace) });
  onTestFinished(() => api.close());
  expect(api.namespace).toBe(namespace);
  const follower = new SecretsFollower({
    api,
    changed: () => {},
    times: { pause: 20, longestPause: 50, forbidden: 0 },
  });
  onTestFinished(() => follower.close());
  follower.follow([`${namespace}/keys`, `${namespace}/other`]);
  const known = (): unknown[] =>
    ['keys', 'other'].map((name) => follower.secrets.get(`${namespace}/${name}`)?.data?.get('password')?.toString());
  await vi.waitFor(() => expect(known()).toEqual(['one', undefined]), PATIENCE);
  await vi.waitFor(() => expect(follower.secrets.get(`${namespace}/other`)).toBeNull(), PATIENCE);
  await cluster.run(['patch', 'secret', 'keys', '--type=merge', '-p', '{"stringData":{"password":"two"}}', ...own]);
  await vi.waitFor(() => expect(known()).toEqual(['two', undefined]), PATIENCE);
  await cluster.run(['label', 'secret', 'keys', 'gatewarden.io/secret-store-', ...own]);
  await vi.waitFor(() => expect(follower.secrets.get(`${namespace}/keys`)?.data).toBeNull(), PATIENCE);
});

/** The files that a Pod has of its ServiceAccount, and the environment that names the API server. */
function podFiles(cluster: TestCluster, token: string, namespace: string): string {
  const root = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
  const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  mkdirSync(folder, { recursive: true });
  copyFileSync(cluster.caFile, join(folder, 'ca.crt'));
  writeFileSync(join(folder, 'token'), token);
  writeFileSync(join(folder, 'namespace'), namespace);
  const { hostname, port } = new URL(cluster.server);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
  vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });
  return root;
}
