import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { ClusterApi } from '../../../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { resourcePath } from '../../../../controller/cluster/api/resource-path.ts';
import {
  answer,
  begin,
  type Deed,
  resetConnection,
  ScriptedApiServer,
} from '../../../support/cluster/scripted-api-server.ts';

const PATH = '/api/v1/namespaces/shop/secrets/keys';

async function connected(user: JsonObject = {}): Promise<{ server: ScriptedApiServer; api: ClusterApi }> {
  const server = await ScriptedApiServer.start();
  return { server, api: apiAt(server.kubeconfig(user)) };
}

function apiAt(kubeconfig: string): ClusterApi {
  const api = new ClusterApi({ kubeconfig });
  onTestFinished(() => api.close());
  return api;
}

async function failure(deed: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await deed.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${error}`);
  return error;
}

describe('calls', () => {
  it('send the user agent, a method, a query and JSON', async () => {
    const { server, api } = await connected({ token: 'sesame' });
    expect(api.namespace).toBe('home');
    await api.get(PATH);
    await api.create('/api/v1/namespaces/shop/secrets', { a: 1 });
    await api.replace(PATH, { a: 2 });
    await api.apply(PATH, { a: 3 }, 'gatewarden');
    await api.delete(PATH);
    expect(server.requests.map(({ method, content }) => [method, content])).toEqual([
      ['GET', ''],
      ['POST', '{"a":1}'],
      ['PUT', '{"a":2}'],
      ['PATCH', '{"a":3}'],
      ['DELETE', ''],
    ]);
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer sesame']));
    expect(Object.fromEntries(server.requests[3]?.query ?? [])).toEqual({ fieldManager: 'gatewarden', force: 'true' });
  });

  it('keep their connections', async () => {
    const { server, api } = await connected();
    const ports = new Set<number | undefined>();
    const note: Deed = (_, response) => {
      ports.add(response.socket?.remotePort);
      response.end('{}');
    };
    server.next('other', ...Array.from({ length: 6 }, () => note));
    for (let at = 0; at < 6; at++) await api.get(PATH);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each<[string, Deed, Partial<ApiError>]>([
    ['a conflict', answer(409, {}, 'Conflict'), { status: 409, reason: 'Conflict', message: '409: scripted 409' }],
    ['a reason that is missing', answer(404), { status: 404, reason: 'NotFound', retryAfter: null }],
    ['a pause in seconds', answer(429, { 'retry-after': '3' }), { status: 429, retryAfter: 3000 }],
    ['a pause until a past date', answer(503, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }), { retryAfter: 0 }],
    ['a pause that makes no sense', answer(503, { 'retry-after': 'soon' }), { status: 503, retryAfter: null }],
    ['a broken connection', resetConnection, { status: 0, reason: 'Unreachable' }],
    ['what is not JSON', begin((response) => response.end('{"token":"sesame')), { reason: 'Malformed' }],
    [
      'half of an answer',
      begin((response) => response.write('{', () => response.destroy())),
      { reason: 'Unreachable' },
    ],
    ['a status without JSON', (_, response) => response.writeHead(502).end('<html>'), { status: 502 }],
  ])('that meet %s fail with it', async (_, deed, expected) => {
    const { server, api } = await connected({ token: 'sesame' });
    server.next('other', deed);
    const error = await failure(api.get(PATH));
    expect(error).toMatchObject(expected);
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toContain('sesame');
  });

  it('end in time, and when they are called off', async () => {
    const { server, api } = await connected();
    const begun = Promise.withResolvers<void>();
    const stall: Deed = () => begun.resolve();
    server.next(
      'other',
      stall,
      begin(() => {}),
      stall,
    );
    expect(await failure(api.call({ method: 'GET', path: PATH, timeout: 60 }))).toMatchObject({ reason: 'Timeout' });
    expect(await failure(api.call({ method: 'GET', path: PATH, timeout: 60 }))).toMatchObject({ reason: 'Timeout' });
    server.next('watch', stall);
    const watch = { method: 'GET', path: '/api/v1/secrets', query: { watch: 1 } } as const;
    expect(await failure(api.open({ ...watch, timeout: 60 }))).toMatchObject({ reason: 'Timeout' });
    const off = new AbortController();
    const call = api.call({ method: 'GET', path: PATH, signal: off.signal });
    await begun.promise;
    off.abort();
    expect(await failure(call)).toBeInstanceOf(ApiError);
  });

  it.each([
    ['what was asked for', answer(200), true],
    ['that it is not there', answer(404), true],
    ['that it may not be seen', answer(403), true],
    ['that it is too much', answer(429), true],
    ['that it failed', answer(500), false],
    ['that it does not know who asks', answer(401), false],
    ['nothing', resetConnection, false],
  ])('that are answered with %s report whether the API server is reachable', async (_, deed, isHeard) => {
    const { server, api } = await connected({ token: 'sesame' });
    await api.get(PATH);
    const before = api.answeredAt;
    server.next('other', deed, deed);
    await api.get(PATH).catch(() => {});
    expect(api.answeredAt > before).toBe(isHeard);
  });

  it('read a limited number of bytes', async () => {
    const { server, api } = await connected();
    server.next(
      'other',
      begin((response) => response.end(JSON.stringify('x'.repeat(5000)))),
    );
    expect(await failure(api.call({ method: 'GET', path: PATH, limit: 4000 }))).toMatchObject({ reason: 'TooLong' });
  });

  it('use the base path of the server URL', async () => {
    const server = await ScriptedApiServer.start();
    const kubeconfig = server.kubeconfig();
    const config = { server: `${server.url}/k8s/one/`, 'insecure-skip-tls-verify': true };
    const context = { name: 'x', context: { cluster: 'x', user: 'x' } };
    const parts = { clusters: [{ name: 'x', cluster: config }], users: [{ name: 'x' }], contexts: [context] };
    writeFileSync(kubeconfig, JSON.stringify({ ...parts, 'current-context': 'x' }));
    await apiAt(kubeconfig).get(PATH);
    expect(server.requests[0]?.path).toBe(`/k8s/one${PATH}`);
  });
});

describe('a token that is refused', () => {
  it('is read again from its file after a 401, and the call is repeated', async () => {
    const server = await ScriptedApiServer.start();
    const kubeconfig = server.kubeconfig({ tokenFile: 'token' });
    const file = join(dirname(kubeconfig), 'token');
    writeFileSync(file, 'old\n');
    server.token = 'old';
    const api = apiAt(kubeconfig);
    await api.get(PATH);
    server.token = 'new';
    expect(await failure(api.get(PATH))).toMatchObject({ status: 401, reason: 'Unauthorized' });
    expect(server.requests).toHaveLength(2); // the file is as before: nothing to try
    writeFileSync(file, 'new\n');
    await Promise.all([api.get(PATH), api.get(PATH), api.get(PATH)]);
    const stream = await api.open({
      method: 'GET',
      path: '/api/v1/secrets',
      query: { watch: 1, resourceVersion: 2000 },
    });
    stream.on('error', () => {}).destroy();
    expect(server.requests.at(-1)?.authorization).toBe('Bearer new');
  });
});

describe('a missing token', () => {
  it('is reported, and is used once it exists', async () => {
    const server = await ScriptedApiServer.start();
    const kubeconfig = server.kubeconfig({ tokenFile: 'token' });
    const api = apiAt(kubeconfig);
    const error = await failure(api.get(PATH));
    expect(error).toMatchObject({ reason: 'NoCredentials', message: 'the credentials cannot be read: ENOENT' });
    writeFileSync(join(dirname(kubeconfig), 'token'), 'there');
    await api.get(PATH);
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer there']);
  });
});

describe('a configuration', () => {
  it('is needed outside of a cluster', () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => new ClusterApi({})).toThrow('no kubeconfig is given');
  });

  it.each<[string, string, RegExp]>([
    ['without a cluster', '{}', /no cluster/],
    ['that is not one', 'clusters: [{name: a}]', /cluster is missing/],
  ])('%s is refused', async (_, text, message) => {
    const server = await ScriptedApiServer.start();
    const path = server.kubeconfig();
    writeFileSync(path, text);
    expect(() => new ClusterApi({ kubeconfig: path })).toThrow(message);
  });
});

describe('a stream', () => {
  it('is returned for status 200 and fails otherwise', async () => {
    const { server, api } = await connected();
    const request = { method: 'GET', path: '/api/v1/secrets', query: { watch: 1 } } as const;
    server.next(
      'watch',
      answer(410, {}, 'Expired'),
      begin((response) => response.end('{}')),
    );
    expect(await failure(api.open(request))).toMatchObject({ status: 410, reason: 'Expired' });
    const stream = await api.open(request);
    const ended = once(stream, 'end');
    stream.resume();
    await ended;
  });
});

it.each([
  [{ version: 'v1', plural: 'secrets', namespace: 'a', name: 'b' }, '/api/v1/namespaces/a/secrets/b'],
  [{ version: 'v1', plural: 'namespaces' }, '/api/v1/namespaces'],
  [
    { group: 'g.io', version: 'v1', plural: 'routes', namespace: 'a', name: 'b', subresource: 'status' },
    '/apis/g.io/v1/namespaces/a/routes/b/status',
  ],
  [{ version: 'v1', plural: 'secrets', namespace: '../x', name: 'a/b' }, '/api/v1/namespaces/..%2Fx/secrets/a%2Fb'],
])('the path of %j is %s', (place, path) => {
  expect(resourcePath(place)).toBe(path);
});
