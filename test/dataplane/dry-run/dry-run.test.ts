import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { DryRun, DryRunStep } from '../../../contract/shown/dry-run.ts';
import type { RequestDescription } from '../../../dataplane/dry-run/described-exchange.ts';
import { dryRun } from '../../../dataplane/dry-run/dry-run.ts';
import { type ConfiguredGateway, startConfigured } from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
let backend: Server;
let arrived: string[];
beforeEach(async () => {
  arrived = [];
  backend = createServer((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    const isAsked = request.url?.startsWith('/introspect') === true;
    if (request.url === '/broken') {
      request.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(isAsked ? JSON.stringify({ active: true, scope: 'read', sub: 'alice', expires_in: 600 }) : '{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => backend.once('listening', resolve));
});
afterEach(async () => {
  await gateway?.close();
  backend.closeAllConnections();
  await new Promise((resolve) => backend.close(resolve));
});

const backendUrl = (): string => `http://127.0.0.1:${(backend.address() as AddressInfo).port}`;

async function start(filters: readonly JsonObject[], more: JsonObject = {}): Promise<void> {
  gateway = await startConfigured(
    { heap: [{ name: '_router', type: 'Router' }] },
    {
      routes: {
        orders: {
          condition: "${find(request.uri.path, '^/orders')}",
          baseURI: backendUrl(),
          handler: { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } },
          ...more,
        },
      },
    },
  );
}

function run(request: RequestDescription = { uri: '/orders/7' }): Promise<DryRun> {
  return dryRun(gateway.configuration.served!, request, 0);
}

const short = ({ steps }: DryRun): string[] =>
  steps.map(({ type, outcome, status, refusal }) => [type, outcome, status, refusal].filter(Boolean).join(' '));

const stepOf = ({ steps }: DryRun, type: string): DryRunStep => steps.find((step) => step.type === type)!;

const throttled = (filter: JsonObject = {}): JsonObject => ({
  type: 'ThrottlingFilter',
  config: { requestGroupingPolicy: '${request.method}', rate: { numberOfRequests: 1, duration: '1 day' }, ...filter },
});

describe('a dry run', () => {
  it('passes the filters of the route that takes the request, and calls no backend', async () => {
    await start([
      {
        name: 'mark',
        type: 'HeaderFilter',
        config: { messageType: 'REQUEST', add: { 'X-Who': ['${request.method}'] } },
      },
      { type: 'ConditionEnforcementFilter', config: { condition: "${request.headers['X-Who'][0] == 'GET'}" } },
    ]);
    const result = await run();
    expect(short(result)).toEqual([
      'Route passed',
      'HeaderFilter passed',
      'ConditionEnforcementFilter passed',
      'ReverseProxyHandler assumed',
    ]);
    expect(stepOf(result, 'HeaderFilter')).toMatchObject({
      ...{ kind: 'filter', name: 'mark', object: 'gateway._router.orders.mark', depth: 0 },
      values: [{ expression: 'request.method', value: 'GET' }],
      changes: ['request header x-who added'],
    });
    expect(stepOf(result, 'ReverseProxyHandler')).toMatchObject({
      backend: `${backendUrl()}/orders/7`,
      reason: 'a dry run calls no backend',
    });
    expect(result).toMatchObject({ revision: '1', unit: 0, status: null });
    expect(arrived).toEqual([]);
  });

  it('shows the refusal of a filter and its failure handler', async () => {
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 405 } };
    await start([
      { type: 'ConditionEnforcementFilter', config: { condition: "${request.method == 'GET'}", failureHandler } },
    ]);
    const result = await run({ method: 'POST', uri: '/orders' });
    expect(short(result)).toEqual([
      'Route passed',
      'ConditionEnforcementFilter answered 405 condition',
      'StaticResponseHandler answered 405',
    ]);
    expect(result.steps.map(({ depth }) => depth)).toEqual([0, 0, 1]);
    expect(result.status).toBe(405);
  });

  it('says that no route takes the request', async () => {
    await start([]);
    expect(await run({ uri: '/else' })).toMatchObject({ steps: [], status: 404 });
  });

  it('goes on after a filter that does not run, and marks what follows as unsure', async () => {
    await start([
      {
        type: 'SessionInfoFilter',
        config: {
          amService: {
            type: 'AmService',
            config: {
              url: 'https://am.example.com',
              agent: { username: 'a', passwordSecretId: 'b' },
              secretsProvider: { type: 'SystemAndEnvSecretStore' },
            },
          },
        },
      },
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['Accept'] } },
    ]);
    const result = await run();
    expect(stepOf(result, 'SessionInfoFilter')).toMatchObject({
      outcome: 'assumed',
      reason: 'it calls another server',
    });
    expect(stepOf(result, 'SessionInfoFilter').unsure).toBeUndefined();
    expect(stepOf(result, 'HeaderFilter').unsure).toBe(true);
  });

  it('does not run a filter whose expressions use the session', async () => {
    await start([{ type: 'ConditionEnforcementFilter', config: { condition: "${session.user == 'alice'}" } }]);
    const step = stepOf(await run(), 'ConditionEnforcementFilter');
    expect(step).toMatchObject({ outcome: 'assumed', reason: expect.stringContaining('session') });
  });

  it('shows no text that a filter added, and no credentials of the request', async () => {
    await start([
      {
        type: 'AssignmentFilter',
        config: { onRequest: [{ target: '${attributes.hidden}', value: "${join(split('s3,cr3t', ','), '')}" }] },
      },
      {
        type: 'HeaderFilter',
        config: {
          messageType: 'REQUEST',
          add: {
            'X-Put': ["${attributes.hidden}${request.headers['Authorization'][0]}${request.headers['X-Mine'][0]}"],
          },
        },
      },
    ]);
    const headers = { Authorization: 'Bearer my-token', 'X-Mine': 'mine' };
    const result = await run({ uri: '/orders?access_token=my-token', headers });
    const step = stepOf(result, 'HeaderFilter');
    expect(Object.fromEntries(step.values.map(({ expression, value }) => [expression, value]))).toMatchObject({
      'attributes.hidden': '********',
      "request.headers['X-Mine'][0]": 'mine',
    });
    expect(JSON.stringify(result)).not.toMatch(/my-token|s3cr3t/);
  });

  it('shows parameters of the query only if the caller sent them', async () => {
    const reads =
      "${find(request.uri.query, 'x') or find(toString(request.uri), 'x') or find(request.uri.rawQuery, 'x')}";
    await start([
      {
        type: 'AssignmentFilter',
        config: {
          onRequest: [
            { target: '${request.uri.rawQuery}', value: "page=2&appid=${join(split('s3,cr3t', ','), '')}&s3cr3t" },
          ],
        },
      },
      { type: 'UriPathRewriteFilter', config: { mappings: { '/orders': '/old' } } },
      { type: 'ConditionEnforcementFilter', config: { condition: reads } },
    ]);
    const result = await run({ uri: '/orders?page=2' });
    expect(stepOf(result, 'AssignmentFilter').changes).toEqual(['target /orders?page=2&appid=********&********']);
    expect(stepOf(result, 'UriPathRewriteFilter').changes).toEqual(['target /old?page=2&appid=********&********']);
    const { values } = stepOf(result, 'ConditionEnforcementFilter');
    expect(values.map(({ expression }) => expression)).toEqual([
      'request.uri.query',
      'request.uri',
      'request.uri.rawQuery',
    ]);
    expect(values.map(({ value }) => value)).toEqual(Array(3).fill(expect.stringMatching(/page=2&appid=\*{8}&\*{8}$/)));
    expect(JSON.stringify(result)).not.toContain('s3cr3t');
  });

  it('tells at which object it failed', async () => {
    await start([
      {
        type: 'ThrottlingFilter',
        config: { requestGroupingPolicy: '${attributes.none}', rate: { numberOfRequests: 1, duration: '1 s' } },
      },
    ]);
    const result = await run();
    expect(stepOf(result, 'ThrottlingFilter')).toMatchObject({
      outcome: 'failed',
      reason: "'requestGroupingPolicy' gave no text for a request",
    });
    expect(result.status).toBe(500);
  });
});

describe('state that dry runs look at', () => {
  it('is the partition of a throttled client, of which no token is taken', async () => {
    await start([throttled()]);
    for (let i = 0; i < 3; i++) expect(stepOf(await run(), 'ThrottlingFilter').outcome).toBe('passed');
    expect((await fetch(`${gateway.url}/orders`)).status).toBe(200);
    expect(stepOf(await run(), 'ThrottlingFilter')).toMatchObject({
      outcome: 'answered',
      status: 429,
      refusal: 'throttled',
    });
    expect(stepOf(await run({ method: 'PUT', uri: '/orders' }), 'ThrottlingFilter').outcome).toBe('passed');
    expect(gateway.counted.filter(({ metric }) => metric === 'gw_throttled_total')).toEqual([]);
  });

  it('is the circuit of a breaker, which no dry run closes', async () => {
    await start([{ type: 'CircuitBreakerFilter', config: { maxFailures: 1, openDuration: '1 day' } }], {
      condition: null,
    });
    expect(stepOf(await run(), 'CircuitBreakerFilter').outcome).toBe('passed');
    expect((await fetch(`${gateway.url}/broken`)).status).toBe(502);
    for (let i = 0; i < 2; i++) expect(stepOf(await run(), 'CircuitBreakerFilter').refusal).toBe('circuit-open');
  });

  it('is the cache of access tokens, and the authorization server is not asked', async () => {
    await start([
      {
        type: 'OAuth2ResourceServerFilter',
        config: {
          ...{ requireHttps: false, scopes: ['read'], cache: { enabled: true, maxTimeout: '1 hour' } },
          accessTokenResolver: {
            type: 'TokenIntrospectionAccessTokenResolver',
            config: { endpoint: `${backendUrl()}/introspect`, providerHandler: 'ClientHandler' },
          },
        },
      },
    ]);
    const headers = { Authorization: 'Bearer opaque-1' };
    expect(stepOf(await run(), 'OAuth2ResourceServerFilter')).toMatchObject({ status: 401, refusal: 'no-token' });
    const before = stepOf(await run({ uri: '/orders', headers }), 'OAuth2ResourceServerFilter');
    expect(before).toMatchObject({
      outcome: 'assumed',
      reason: expect.stringContaining('it asks the authorization server'),
    });
    expect(arrived).toEqual([]);
    expect((await fetch(`${gateway.url}/orders`, { headers })).status).toBe(200);
    const counted = gateway.counted.length;
    const after = stepOf(await run({ uri: '/orders', headers }), 'OAuth2ResourceServerFilter');
    expect(after).toMatchObject({ outcome: 'passed', facts: { cached: true } });
    expect(arrived).toHaveLength(2);
    expect(gateway.counted).toHaveLength(counted);
    expect(JSON.stringify(after)).not.toContain('opaque-1');
  });
});
