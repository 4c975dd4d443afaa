import { describe, expect, it, onTestFinished } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { readResource } from '../../../../contract/resources/read-resource.ts';
import { type Resource, resourceKey } from '../../../../contract/resources/resource.ts';
import type { ApiAnswer, ApiRequest } from '../../../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import type { AnsweredCall } from '../../../../controller/cluster/crest/answered-call.ts';
import { CallerGate } from '../../../../controller/cluster/crest/caller-gate.ts';
import { CrestFront } from '../../../../controller/cluster/crest/crest-front.ts';
import { closedGuard } from '../../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../../platform/admin/admin-table.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { routeManifest } from '../../../support/cluster/route-manifest.ts';
import { noDryRuns } from '../../../support/crest/no-dry-runs.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const ROBOT = 'system:serviceaccount:home:robot';

/** Namespaces in which the user of a token may do everything with Routes. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  ...{ ann: ['shop'], bob: ['shop', 'bank'], eve: [], zoe: ['other'], kim: ['empty'] },
  [ROBOT]: ['home'],
};

const AWAY = new ApiError('the API server did not answer: ECONNREFUSED', { status: 0, reason: 'Unreachable' });

/** An API server that reviews tokens, such as `ann` or `ann~2` of one user, and answers changes as it is told to. */
class ReviewingApi {
  readonly asked: string[] = [];
  isAway = false;
  onBehalf: (token: string, request: ApiRequest) => ApiAnswer = () => {
    throw AWAY;
  };

  async call({ path, body }: ApiRequest): Promise<ApiAnswer> {
    if (this.isAway) throw AWAY;
    const { spec } = body as { spec: Record<string, unknown> };
    this.asked.push(path.split('/').at(-1)!);
    if (path.endsWith('tokenreviews')) {
      const [name = '', credential = ''] = String(spec['token']).split('~');
      const username = name === 'robot' ? ROBOT : name;
      const authenticated = Object.hasOwn(RIGHTS, username);
      const extra = { 'authentication.kubernetes.io/credential-id': [`JTI=${credential}`] };
      return { status: 201, body: { status: { authenticated, user: { username, groups: [], extra } } } };
    }
    const { namespace } = spec['resourceAttributes'] as { namespace?: string };
    const allowed = RIGHTS[String(spec['user'])]?.includes(namespace ?? '') ?? false;
    return { status: 201, body: { status: { allowed } } };
  }

  async callAs(token: string, request: ApiRequest): Promise<ApiAnswer> {
    return this.onBehalf(token, request);
  }
}

function resourceOf(namespace: string, name: string, version: string): Resource {
  const manifest = routeManifest(namespace, name, 'hello') as JsonObject;
  const metadata = { ...(manifest['metadata'] as JsonObject), resourceVersion: version, uid: `${namespace}-${name}` };
  return readResource({ ...manifest, metadata }).resource!;
}

async function served({ rate = 1000, isListed = true, clock = new ManualClock() as Clock, judged = () => {} } = {}) {
  const api = new ReviewingApi();
  const resources = [resourceOf('shop', 'orders', '11'), resourceOf('bank', 'orders', '12')];
  const routes = new Map(resources.map((one) => [resourceKey(one), one]));
  const answered: AnsweredCall[] = [];
  const front = new CrestFront({
    ...{ api, gate: new CallerGate({ api, rate, clock }), info: { version: '1' }, clock },
    planes: async () => [],
    ...{ served: async () => [], verdicts: () => [] },
    judge: {
      judge() {
        judged();
        return { problems: [], notes: [], breaks: [] };
      },
    },
    routeSchema: async () => ({ schema: { type: 'object' } }),
    explain: async () => ({}),
    evaluate: () => ({ outcome: 'failed', warnings: [] }),
    live: { published: null },
    dryRuns: noDryRuns,
    source: {
      resources: (kind) => (kind === 'Route' ? routes : new Map()),
      resource: (kind, namespace, name) => (kind === 'Route' ? (routes.get(`${namespace}/${name}`) ?? null) : null),
      isFollowed: (namespace) => namespace !== 'other',
      chosenNamespaces: ['shop', 'bank', 'empty'],
      onChange: () => () => undefined,
    },
    isListed: () => isListed,
    secret: () => 'shared',
    answered: (call) => answered.push(call),
  });
  const table = new AdminTable(front.paths);
  const failures: unknown[] = [];
  const server = new AdminServer({
    table: () => table,
    guard: closedGuard('nothing'),
    failed: (error) => failures.push(error),
  });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const ask = async (token: string | null, path: string, init: RequestInit = {}) => {
    const headers = { ...(token !== null && { authorization: `Bearer ${token}` }), ...init.headers };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? {} : (JSON.parse(text) as JsonObject),
    };
  };
  return { api, ask, failures, routes, answered };
}

const put = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  ...{ method: 'PUT', body: JSON.stringify(body) },
  headers: { 'content-type': 'application/json', ...headers },
});

describe('Common REST of a controller', () => {
  it('asks the API server about a caller once in a while, and not for each request', async () => {
    const { api, ask } = await served();
    for (let i = 0; i < 5; i++) expect((await ask('ann', '/api/routes/shop.orders')).status).toBe(200);
    expect(api.asked).toEqual(['tokenreviews', 'subjectaccessreviews']);
    for (let i = 0; i < 3; i++) expect((await ask('mallory', '/api/routes/shop.orders')).status).toBe(401);
    expect(api.asked.length).toBe(3);
  });

  it('shows callers the Routes of namespaces that they may list', async () => {
    const { ask } = await served();
    const ids = async (token: string): Promise<unknown> => {
      const { status, body } = await ask(token, '/api/routes?_queryFilter=true');
      return status === 200 ? (body['results'] as { _id: string }[]).map(({ _id }) => _id) : status;
    };
    expect(await ids('ann')).toEqual(['shop.orders']);
    expect(await ids('bob')).toEqual(['bank.orders', 'shop.orders']);
    expect(await ids('eve')).toBe(403);
    expect(await ids('kim')).toEqual([]);
    expect(await ids('robot')).toEqual([]);
    expect((await ask('kim', `/api/routes?_queryFilter=${encodeURIComponent('_id sw "shop."')}`)).status).toBe(403);
  });

  it('answers 503 with Retry-After while the API server is away, before and after it knows the caller', async () => {
    const { api, ask } = await served();
    expect((await ask('ann', '/api/routes/shop.orders')).status).toBe(200);
    api.isAway = true;
    expect((await ask('ann', '/api/routes/shop.orders')).status).toBe(200);
    for (const answer of [
      await ask('bob', '/api/routes/shop.orders'),
      await ask('ann', '/api/routes/shop.orders', put({}, { 'if-match': '*' })),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 503, reason: 'Service Unavailable' } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    api.isAway = false;
    expect((await ask('bob', '/api/routes/shop.orders')).status).toBe(200);
  });

  it('answers 503 before everything has been listed', async () => {
    const { ask } = await served({ isListed: false });
    expect((await ask('ann', '/api/routes?_queryFilter=true')).status).toBe(503);
  });

  it.each<[status: number, reason: string, expected: number]>([
    [400, 'BadRequest', 400],
    [401, 'Unauthorized', 401],
    [403, 'Forbidden', 403],
    [404, 'NotFound', 404],
    [409, 'AlreadyExists', 412],
    [413, 'RequestEntityTooLarge', 413],
    [422, 'Invalid', 409],
    [429, 'TooManyRequests', 503],
    [500, 'InternalError', 503],
    [504, 'Timeout', 503],
    [418, 'Teapot', 500],
  ])('turns %i %s of the API server into %i', async (status, reason, expected) => {
    const { api, ask, failures } = await served();
    api.onBehalf = () => {
      throw new ApiError(`${status}: said`, { status, reason, detail: 'said', retryAfter: 7000 });
    };
    const answer = await ask('ann', '/api/routes/shop.new', put({}, { 'if-none-match': '*' }));
    expect(answer).toMatchObject({ status: expected, body: { code: expected } });
    expect(answer.headers.get('retry-after')).toBe(expected === 503 ? '7' : null);
    expect(answer.headers.get('www-authenticate')).toBe(expected === 401 ? 'Bearer' : null);
    expect(failures).toEqual([]);
  });

  it('says that a namespace is not watched only to callers who could change Routes there', async () => {
    const { api, ask } = await served();
    const sent: unknown[] = [];
    api.onBehalf = (token, { method, path, body, query }) => {
      const namespace = path.split('/')[5]!;
      if (!RIGHTS[token]!.includes(namespace)) {
        throw new ApiError('403: no', { status: 403, reason: 'Forbidden', detail: `${token} may not` });
      }
      if (method !== 'GET') sent.push([method, query?.['dryRun']]);
      const metadata = { namespace, name: 'orders', uid: 'u', resourceVersion: '1' };
      return {
        status: 200,
        body: isJsonObject(body as JsonValue) ? { ...(body as JsonObject), metadata } : { metadata },
      };
    };
    const patch = JSON.stringify([{ operation: 'add', field: 'name', value: 'x' }]);
    const json = { 'content-type': 'application/json' };
    const requests: RequestInit[] = [
      put({}, { 'if-none-match': '*' }),
      put({}, { 'if-match': '*' }),
      { method: 'PATCH', headers: json, body: patch },
      { method: 'DELETE' },
    ];
    for (const init of requests) {
      const [other, shop] = [
        await ask('kim', '/api/routes/other.orders', init),
        await ask('kim', '/api/routes/shop.orders', init),
      ];
      expect(other.status).toBe(403);
      expect(other.body).toEqual(shop.body);
      const told = await ask('zoe', '/api/routes/other.orders', init);
      expect(told).toMatchObject({
        status: 400,
        body: { message: "this gateway does not watch the namespace 'other'" },
      });
    }
    expect(sent).toEqual(['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, 'All']));
    const validate = { method: 'POST', headers: json, body: '{}' };
    expect((await ask('kim', '/api/routes/other.orders?_action=validate', validate)).status).toBe(403);
    expect((await ask('zoe', '/api/routes/other.orders?_action=validate', validate)).status).toBe(400);
  });

  it('judges documents that the API server rejects one after the other', async () => {
    const time = new ManualClock();
    let judged = 0;
    const clock: Clock = {
      wall: () => time.wall(),
      steady: () => time.steady() + judged * 50,
      after: (milliseconds, run) => time.after(milliseconds, run),
    };
    const { api, ask } = await served({ clock, judged: () => void judged++ });
    const rejected = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    api.onBehalf = () => {
      rejected[calls++]!.resolve();
      throw new ApiError('422: no', { status: 422, reason: 'Invalid', detail: 'no' });
    };
    expect((await ask('ann', '/api/routes/shop.new', put({}, { 'if-none-match': '*' }))).status).toBe(409);
    const second = ask('ann', '/api/routes/shop.new', put({}, { 'if-none-match': '*' }));
    await rejected[1]!.promise;
    await time.pass(49);
    expect(judged).toBe(1);
    await time.pass(1);
    expect((await second).status).toBe(409);
    expect(judged).toBe(2);
  });

  it('sends a change with the token of the caller', async () => {
    const { api, ask, routes } = await served();
    const sent: unknown[] = [];
    api.onBehalf = (token, { method, path, body }) => {
      sent.push([token, method, path]);
      routes.set('bank/new', resourceOf('bank', 'new', '13'));
      const metadata = { ...((body as JsonObject)['metadata'] as JsonObject), resourceVersion: '13', uid: 'u' };
      return { status: 201, body: { ...(body as JsonObject), metadata } };
    };
    const made = await ask('bob', '/api/routes/bank.new', put({ name: 'new' }, { 'if-none-match': '*' }));
    expect(made).toMatchObject({ status: 201, body: { _id: 'bank.new', _rev: '13', name: 'new' } });
    expect(sent).toEqual([['bob', 'POST', '/apis/gatewarden.io/v1alpha1/namespaces/bank/routes']]);
  });

  it('tries a change again while others change the Route, and gives up with 503', async () => {
    const { api, ask } = await served();
    let conflicts = 12;
    const object = { ...(routeManifest('shop', 'orders', 'hello') as JsonObject) };
    object['metadata'] = { namespace: 'shop', name: 'orders', uid: 'shop-orders', resourceVersion: '11' };
    api.onBehalf = (_, { method }) => {
      if (method === 'GET' || conflicts-- <= 0) return { status: 200, body: object };
      throw new ApiError('409: changed', { status: 409, reason: 'Conflict', detail: 'changed' });
    };
    expect((await ask('ann', '/api/routes/shop.orders', put({}, { 'if-match': '*' }))).status).toBe(200);
    conflicts = 1000;
    expect(await ask('ann', '/api/routes/shop.orders', put({}, { 'if-match': '"11"' }))).toMatchObject({ status: 503 });
    expect((await ask('ann', '/api/routes/shop.orders', put({}, { 'if-match': '"10"' }))).status).toBe(412);
  });

  it('limits the requests of each caller', async () => {
    const { ask } = await served({ rate: 1 });
    const statuses = new Set<number>();
    while (!statuses.has(429)) statuses.add((await ask('ann', '/api/info')).status);
    expect((await ask('bob', '/api/info')).status).toBe(200);
    expect(statuses).toEqual(new Set([200, 429]));
  });

  it('limits the requests of a caller with many tokens like those of one with a single token', async () => {
    const { ask } = await served({ rate: 1 });
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push((await ask(`ann~${i}`, '/api/info')).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('tells callers without rights nothing about Routes, not even that they exist', async () => {
    const { ask } = await served();
    const json = { 'content-type': 'application/json' };
    const requests: [query: string, init: RequestInit][] = [
      ['', {}],
      ['?_action=validate', { method: 'POST' }],
      ['?_action=validate', { method: 'POST', headers: json, body: '{}' }],
    ];
    for (const [query, init] of requests) {
      const [there, missing] = [
        await ask('ann', `/api/routes/bank.orders${query}`, init),
        await ask('ann', `/api/routes/bank.secret${query}`, init),
      ];
      expect(there.status).toBe(403);
      expect(JSON.stringify(missing.body).replaceAll('secret', 'orders')).toBe(JSON.stringify(there.body));
    }
  });

  it('reports each request with its caller and outcome, and never a token or a query', async () => {
    const { ask, answered } = await served({ rate: 1 });
    const json = { 'content-type': 'application/json' };
    const requests: [token: string | null, path: string, init?: RequestInit][] = [
      ['ann~secret', '/api/routes/shop.orders'],
      ['ann~secret', '/api/routes?_queryFilter=true&access_token=ann~secret'],
      ['ann~secret', '/openig/api/system/objects/_router/routes/bank.orders', { method: 'DELETE' }],
      ['ann~secret', '/api/routes/bank.new', { method: 'POST', headers: { 'x-http-method-override': 'PATCH' } }],
      ['ann~secret', '/api/ann?_action=x', { method: 'POST', headers: json, body: '{}' }],
      ['ann~secret', '/api?_api'],
      ['mallory~secret', '/api/routes/shop.orders'],
      [null, '/api/routes', { method: 'POST' }],
    ];
    for (const request of requests) await ask(...request);
    expect(
      answered.map(({ caller, operation, collection, status }) => [caller, operation, collection, status]),
    ).toEqual([
      ['ann', 'read', 'routes', 200],
      ['ann', 'query', 'routes', 200],
      ['ann', 'delete', 'routes', 503],
      ['ann', 'patch', 'routes', 400],
      ['ann', 'action', 'other', 404],
      ['ann', 'describe', 'other', 429],
      [null, 'read', 'routes', 401],
      [null, 'create', 'routes', 401],
    ]);
    expect(JSON.stringify(answered)).not.toContain('secret');
    expect(new Set(answered.slice(0, 5).map(({ transactionId }) => transactionId)).size).toBe(5);
  });

  it('describes itself, with the bearer token that it needs', async () => {
    const { ask } = await served();
    const { body } = await ask('eve', '/api?_api');
    expect(Object.keys(body['paths'] as object)).toContain('/routes');
    expect(JSON.stringify(body['components'])).toContain('"scheme":"bearer"');
    expect((await ask(null, '/api?_api')).status).toBe(401);
  });
});
