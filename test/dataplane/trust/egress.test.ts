import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { COUNTER, counters } from '../../../dataplane/engine/wire/counters.ts';
import { defineDecorator } from '../../../dataplane/heap/definition.ts';
import { startProxy } from '../../support/backends/http-proxy.ts';
import { type RecordingBackend, startRecordingBackend } from '../../support/backends/recording-backend.ts';
import { forbidding } from '../../support/channel/forbidden-resource.ts';
import { refusalOf, untilAnswers } from '../../support/clients/answers.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import { startTenants, TENANT, type TenantGateway } from '../../support/gateways/tenant-gateway.ts';

/** A backend on loopback, as every neighbour of the plane on its machine is. */
async function backend(): Promise<RecordingBackend> {
  const started = await startRecordingBackend();
  onTestFinished(() => started.close());
  return started;
}

function to(uri: string, handler: JsonValue = 'ReverseProxyHandler'): JsonObject {
  return { baseURI: uri, handler };
}

const tenants = (document: JsonObject) => ({ tenant: TENANT, document });

/** What others know this machine by, and what it knows itself by. */
const OWN_ADDRESSES = Object.values(networkInterfaces())
  .flat()
  .flatMap((entry) => {
    if (entry === undefined) return [];
    return entry.family === 'IPv4' ? [entry.address] : [`[${entry.address}]`, `[${spelledOut(entry.address)}]`];
  });

/** An address of IPv6 with all of its groups, in capital letters. */
function spelledOut(address: string): string {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].join(':').toUpperCase();
}

describe("a tenant's route", () => {
  it.each(['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0', '0x7f000001', '2130706433'])(
    'may not reach a neighbour of the plane as %s, which an operator may',
    async (host) => {
      const { destination, requests } = await backend();
      const document = to(`http://${host}:${destination.port}`);
      const gateway = await startTenants({
        own: { document: { ...document, condition: "${request.uri.path == '/own'}" } },
        shop: tenants(document),
      });
      const own = await gateway.get('/own');
      const shop = await gateway.get('/');
      expect([shop.status, refusalOf(shop)]).toEqual([403, 'backend-egress']);
      expect(own.status).toBe(200);
      expect(requests.map(({ target }) => target)).toEqual(['/own']);
    },
  );

  it.each(['169.254.169.254', '[fe80::1]', '[::]', '[::1]', '224.0.0.1', '255.255.255.255', '[64:ff9b::7f00:1]'])(
    'may not even try %s',
    async (host) => {
      const gateway = await startTenants({ shop: tenants(to(`http://${host}`)) });
      expect(refusalOf(await gateway.get('/'))).toBe('backend-egress');
    },
  );

  it('may not reach the machine of the plane by any of its addresses', async () => {
    for (const address of OWN_ADDRESSES) {
      const gateway = await startTenants({ shop: tenants(to(`http://${address}:9`)) });
      expect(refusalOf(await gateway.get('/'))).toBe('backend-egress');
    }
  });

  it('may not reach addresses that the data plane forbids', async () => {
    const gateway = await startTenants(
      { shop: tenants(to('https://10.96.0.1')) },
      { forbidden: [{ address: '10.96.0.1', port: 443 }] },
    );
    expect(refusalOf(await gateway.get('/'))).toBe('backend-egress');
  });

  it('may not reach addresses while a controller forbids them', async () => {
    const { destination } = await backend();
    const { port } = destination;
    const route = { shop: tenants(to(`http://127.0.0.1:${port}`, { type: 'ReverseProxyHandler' })) };
    const gateway = await startTenants(route, { trust: { egress: ['127.0.0.0/8'] } });
    const status = async (): Promise<number> => {
      gateway.change(route); // with connections of its own
      return (await gateway.get('/')).status;
    };
    expect(await status()).toBe(200);
    gateway.forbid({ set: [forbidding('pods', '127.0.0.1')], remove: [] });
    expect(await status()).toBe(403);
    gateway.forbid({ set: [forbidding('pods', `127.0.0.1:${port + 1}`)], remove: [] });
    expect(await status()).toBe(200);
    gateway.forbid({ set: [forbidding('pods', `127.0.0.1:${port}`)], remove: [] });
    expect(await status()).toBe(403);
    gateway.forbid({ set: [], remove: ['forbidden/pods'] });
    expect(await status()).toBe(200);
  });

  it('loses an open connection to an address that a controller forbids', async () => {
    const { destination, requests } = await backend();
    const document = to(`http://127.0.0.1:${destination.port}`);
    const gateway = await startTenants({ shop: tenants(document) }, { trust: { egress: ['127.0.0.0/8'] } });
    expect((await gateway.get('/')).status).toBe(200);
    gateway.forbid({ set: [forbidding('pods', '127.0.0.1')], remove: [] });
    expect(refusalOf(await gateway.get('/'))).toBe('backend-egress');
    expect(requests).toHaveLength(1);
  });

  it('cannot be a forward proxy: a request without a baseURI is rejected', async () => {
    const { destination, requests } = await backend();
    const trust = { egress: ['127.0.0.1'] };
    const host = `127.0.0.1:${destination.port}`;
    const delegate = { type: 'StaticRequestFilter', config: { method: 'GET', uri: `http://${host}/` } };
    const never = { type: 'ConditionalFilter', config: { condition: "${request.method == 'PUT'}", delegate } };
    for (const handler of ['ReverseProxyHandler', 'ClientHandler', { type: 'ReverseProxyHandler' }]) {
      const chain = { type: 'Chain', config: { filters: [never], handler } };
      const gateway = await startTenants({ shop: tenants({ handler: chain }) }, { trust });
      expect(refusalOf(await gateway.get('/', host))).toBe('backend-egress');
      gateway.change({ shop: tenants(to(`http://${host}`, handler)) });
      expect((await gateway.get('/covered', host)).status).toBe(200);
    }
    expect(requests.map(({ target }) => target)).toEqual(['/covered', '/covered', '/covered']);
  });

  it('is not built with a misspelt baseURI', async () => {
    const document = { baseUri: 'http://127.0.0.1', handler: 'ReverseProxyHandler' };
    const { problems } = await startTenants({ shop: tenants(document) });
    expect(problems).toMatchObject([{ problems: [{ path: ['baseUri'], hint: "did you mean 'baseURI'?" }] }]);
  });

  it('may reach an address that a controller forbids if an operator allows it', async () => {
    const { destination } = await backend();
    const route = { shop: tenants(to(`http://127.0.0.1:${destination.port}`)) };
    const gateway = await startTenants(route, { trust: { egress: ['127.0.0.1'] } });
    gateway.forbid({ set: [forbidding('pods', '127.0.0.1')], remove: [] });
    expect((await gateway.get('/')).status).toBe(200);
  });

  it('may reach addresses that an operator allows, and the application of a sidecar', async () => {
    const { destination } = await backend();
    const route = { shop: tenants(to(`http://localhost:${destination.port}`)) };
    const allowed = await startTenants(route, { trust: { egress: [`127.0.0.1:${destination.port}`] } });
    const sidecar = await startTenants(route, { appPorts: [destination.port] });
    const other = await startTenants(route, { appPorts: [destination.port + 1] });
    const statuses = await Promise.all([allowed, sidecar, other].map(async (one) => (await one.get('/')).status));
    expect(statuses).toEqual([200, 200, 403]);
  });

  it('may not reach the gateway itself, even if an operator allows it', async () => {
    const gateway = await startTenants({}, { trust: { egress: ['127.0.0.0/8', '127.0.0.1'] } });
    for (const handler of ['ReverseProxyHandler', { type: 'ReverseProxyHandler' }]) {
      gateway.change({ shop: tenants(to(`http://127.0.0.1:${gateway.port}`, handler)) });
      expect(refusalOf(await gateway.get('/'))).toBe('backend-egress');
    }
  });

  it("does not get the connection that an operator's route has open", async () => {
    const { destination, requests } = await backend();
    const document = to(`http://127.0.0.1:${destination.port}`);
    const gateway = await startTenants({
      own: { document: { ...document, condition: "${request.uri.path == '/own'}" } },
      shop: tenants(document),
    });
    for (const path of ['/own', '/', '/own', '/']) await gateway.get(path);
    expect(requests.map(({ target }) => target)).toEqual(['/own', '/own']);
  });

  it('does not get the connection of another tenant', async () => {
    const { destination } = await backend();
    const document = to(`http://127.0.0.1:${destination.port}`);
    const gateway = await startTenants(
      { shop: tenants(document), pay: { tenant: 'pay', document } },
      {
        trust: {
          tenants: [
            { name: TENANT, hosts: ['shop.test'] },
            { name: 'pay', hosts: ['pay.test'] },
          ],
          egress: ['127.0.0.1'],
        },
      },
    );
    const before = counters.block[COUNTER.backendConnects]!;
    for (const host of ['shop.test', 'pay.test', 'shop.test', 'pay.test']) await gateway.get('/', host);
    expect(counters.block[COUNTER.backendConnects]! - before).toBe(2);
  });

  it.each<[string, JsonValue]>([
    ['a handler of its own', { type: 'ReverseProxyHandler' }],
    ['a ClientHandler of its own', { type: 'ClientHandler' }],
    ['the default ClientHandler', 'ClientHandler'],
    ['the default ForgeRockClientHandler', 'ForgeRockClientHandler'],
    ['a chain of its own', { type: 'Chain', config: { filters: [], handler: 'ReverseProxyHandler' } }],
    ["an operator's chain", 'chain'],
    [
      "an operator's filter that hands it to an operator's handler",
      { type: 'Chain', config: { filters: ['turn'], handler: 'ok' } },
    ],
    ['a decorated handler', { type: 'ReverseProxyHandler', capture: 'all', timer: true }],
  ])('is limited by the egress rules with %s', async (_what, handler) => {
    const { destination, requests } = await backend();
    const heap = [
      { name: 'ok', type: 'StaticResponseHandler', config: { status: 200 } },
      { name: 'chain', type: 'Chain', config: { filters: [], handler: 'ReverseProxyHandler' } },
      {
        name: 'turn',
        type: 'ConditionEnforcementFilter',
        config: { condition: '${false}', failureHandler: 'ReverseProxyHandler' },
      },
    ];
    const document = to(`http://127.0.0.1:${destination.port}`, handler);
    const plain = await startTenants({ shop: tenants(document) }, { base: { heap } });
    const decorated = await startTenants(
      { shop: tenants({ ...document, globalDecorators: { timer: true } }) },
      { base: { heap } },
    );
    expect([plain.problems, decorated.problems]).toEqual([[], []]);
    const statuses = [(await plain.get('/')).status, (await decorated.get('/')).status];
    expect(statuses.every((status) => status === 403 || status === 502 || status === 500)).toBe(true);
    expect(requests).toEqual([]);
  });

  it("is held to it by an operator's decorator that sends requests elsewhere", async () => {
    const { destination, requests } = await backend();
    const detour = defineDecorator({
      type: 'DetourDecorator',
      summary: 'Leads everything to another handler.',
      config: z.strictObject({ to: ref('handler') }),
      decoration: z.boolean(),
      decorates: ['handler'],
      create: ({ to: other }, { resolve }) => ({ handler: () => resolve(other) }),
    });
    const document = { detour: true, ...to(`http://127.0.0.1:${destination.port}`, { type: 'WelcomeHandler' }) };
    const heap = [{ name: 'detour', type: 'DetourDecorator', config: { to: 'ReverseProxyHandler' } }];
    const gateway = await startTenants({ shop: tenants(document) }, { base: { heap }, types: [detour] });
    expect([gateway.problems, refusalOf(await gateway.get('/'))]).toEqual([[], 'backend-egress']);
    expect(requests).toEqual([]);
  });

  it('may not open a WebSocket to a forbidden address either', async () => {
    const { destination, requests } = await backend();
    const handler = { type: 'ReverseProxyHandler', config: { websocket: { enabled: true } } };
    const gateway = await startTenants({ shop: tenants(to(`http://127.0.0.1:${destination.port}`, handler)) });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET / HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
    const [answer] = await untilAnswers(client, 1);
    expect(answer?.status).toBe(403);
    expect(requests).toEqual([]);
  });

  it('may not reach a forbidden address through a proxy, by address or name', async () => {
    const { destination } = await backend();
    const proxy = await startProxy();
    const handler = {
      type: 'ReverseProxyHandler',
      config: { proxyOptions: { type: 'CustomProxyOptions', config: { uri: proxy.uri } } },
    };
    const document = to(`http://127.0.0.1:${destination.port}`, handler);
    const refused = await startTenants({ shop: tenants(document) });
    const allowed = await startTenants({ shop: tenants(document) }, { trust: { egress: [`127.0.0.1:${proxy.port}`] } });
    await refused.get('/');
    expect(proxy.connections).toBe(0);
    allowed.change({
      named: tenants({ ...to(`http://localhost:${destination.port}`, handler), condition: '${true}' }),
    });
    expect(refusalOf(await allowed.get('/'))).toBe('backend-egress');
    expect((await allowed.get('/')).status).not.toBe(200);
    expect(proxy.asked).toEqual([]);
  });
});

describe("calls of the gateway's own", () => {
  const introspecting = (endpoint: string, handler: JsonValue): JsonObject => ({
    type: 'OAuth2ResourceServerFilter',
    config: {
      requireHttps: false,
      scopes: ['read'],
      accessTokenResolver: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint, providerHandler: handler },
      },
    },
  });

  it.each<[string, JsonValue]>([
    ['the default handler', 'ForgeRockClientHandler'],
    ['a handler of its own', { type: 'ClientHandler' }],
    ["an operator's filter", { type: 'Chain', config: { filters: ['turn'], handler: 'ok' } }],
  ])('for a tenant do not reach a neighbour of the plane through %s', async (_what, handler) => {
    const { destination, requests } = await backend();
    const heap = [
      { name: 'ok', type: 'StaticResponseHandler', config: { status: 200 } },
      {
        name: 'turn',
        type: 'ConditionEnforcementFilter',
        config: { condition: '${false}', failureHandler: 'ReverseProxyHandler' },
      },
    ];
    const filter = introspecting(`http://127.0.0.1:${destination.port}/introspect`, handler);
    const document = { handler: { type: 'Chain', config: { filters: [filter], handler: 'ok' } } };
    for (const globalDecorators of [{}, { timer: true }]) {
      const gateway = await startTenants({ shop: tenants({ ...document, globalDecorators }) }, { base: { heap } });
      expect(gateway.problems).toEqual([]);
      const answer = await fetch(`http://127.0.0.1:${gateway.port}/`, { headers: { authorization: 'Bearer abc' } });
      expect(answer.ok).toBe(false);
    }
    expect(requests).toEqual([]);
  });

  it.each<[string, JsonValue]>([
    ['the default handler', 'ForgeRockClientHandler'],
    ['a handler of its own', { type: 'ClientHandler' }],
  ])('for a tenant reach an address that the operator allows, through %s', async (_what, handler) => {
    const { destination, requests } = await backend();
    const filter = introspecting(`http://127.0.0.1:${destination.port}/introspect`, handler);
    const document = {
      handler: {
        type: 'Chain',
        config: { filters: [filter], handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
      },
    };
    const trust = { egress: [`127.0.0.1:${destination.port}`] };
    const gateway = await startTenants({ shop: tenants(document) }, { trust });
    await fetch(`http://127.0.0.1:${gateway.port}/`, { headers: { authorization: 'Bearer abc' } });
    expect(requests.map(({ target }) => target)).toEqual(['/introspect']);
  });

  it('through an object of an operator may reach the addresses of the operator', async () => {
    const { destination, requests } = await backend();
    const endpoint = `http://127.0.0.1:${destination.port}/introspect`;
    const heap = [
      { name: 'ok', type: 'StaticResponseHandler', config: { status: 200 } },
      { ...introspecting(endpoint, 'ClientHandler'), name: 'rs' },
    ];
    const document = { handler: { type: 'Chain', config: { filters: ['rs'], handler: 'ok' } } };
    const gateway = await startTenants({ shop: tenants(document) }, { base: { heap } });
    await fetch(`http://127.0.0.1:${gateway.port}/`, { headers: { authorization: 'Bearer abc' } });
    expect(requests.map(({ target }) => target)).toEqual(['/introspect']);
  });
});

it('a loop is detected even if a tenant removes the Via header', async () => {
  const gateways: TenantGateway[] = [];
  const removing = { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['Via'] } };
  const round = (port: number): JsonObject =>
    to(`http://127.0.0.1:${port}`, { type: 'Chain', config: { filters: [removing], handler: 'ReverseProxyHandler' } });
  for (let i = 0; i < 2; i++) gateways.push(await startTenants({}, { trust: { egress: ['127.0.0.1'] } }));
  const [one, two] = [gateways[0]!, gateways[1]!];
  one.change({ shop: tenants(round(two.port)) });
  two.change({ shop: tenants(round(one.port)) });
  const answer = await one.get('/');
  expect([answer.status, refusalOf(answer)]).toEqual([508, 'loop']);
  expect(one.finished.length + two.finished.length).toBe(6);
});

it('an invalid rule breaks nothing and allows nothing', async () => {
  const gateway = await startTenants({}, { trust: { egress: ['127.0.0.1', 'everything'] } });
  expect(gateway.problems).toMatchObject([{ route: null, problems: [{ path: ['egress', 1] }] }]);
  expect((await gateway.get('/')).status).toBe(503);
});
