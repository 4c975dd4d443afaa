import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { startTenants, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';

/** A backend and an authorization server in one, which counts what reaches it. */
async function counting() {
  const seen = { connections: 0, introspections: 0, requests: 0 };
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/introspect') {
      seen.introspections++;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ active: true, scope: 'read', exp: Math.floor(Date.now() / 1000) + 3600 }));
      return;
    }
    seen.requests++;
    response.end('here');
  });
  server.on('connection', () => seen.connections++);
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function resourceServer(url: string): JsonObject {
  return {
    type: 'OAuth2ResourceServerFilter',
    config: {
      scopes: ['read'],
      requireHttps: false,
      cache: { enabled: true },
      accessTokenResolver: {
        type: 'TokenIntrospectionAccessTokenResolver',
        config: { endpoint: `${url}/introspect`, providerHandler: { type: 'ClientHandler' } },
      },
    },
  };
}

function adding(name: string, value: string): JsonObject {
  return { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { [name]: [value] } } };
}

function route(url: string, header: string, more: JsonObject = {}): TenantRoute {
  return {
    document: {
      ...more,
      handler: {
        type: 'Chain',
        config: {
          filters: [adding('X-Version', header), resourceServer(url)],
          handler: { type: 'ReverseProxyHandler', baseURI: url },
        },
      },
    },
  };
}

const TOKEN = 'GET / HTTP/1.1\r\nHost: gw.test\r\nAuthorization: Bearer t\r\n';

describe('an edited route', () => {
  it('keeps the token cache and the connections of filters and handlers that did not change', async () => {
    const { seen, url } = await counting();
    const gateway = await startTenants({ a: route(url, '1') });
    const first = await gateway.send(TOKEN);
    expect([first.status, /^x-version: (.*)\r$/im.exec(first.head)?.[1]]).toEqual([200, '1']);
    const before = { ...seen };
    for (let version = 2; version < 12; version++) {
      expect(gateway.change({ a: route(url, String(version)) })).toEqual([]);
      const answer = await gateway.send(TOKEN);
      expect([answer.status, /^x-version: (.*)\r$/im.exec(answer.head)?.[1]]).toEqual([200, String(version)]);
    }
    expect(seen).toEqual({ ...before, requests: before.requests + 10 });
  });

  it('rebuilds a filter whose own declaration changed', async () => {
    const { seen, url } = await counting();
    const gateway = await startTenants({ a: route(url, '1') });
    await gateway.send(TOKEN);
    const other = JSON.parse(
      JSON.stringify(route(url, '1')).replace('"enabled":true', '"enabled":true,"maximumSize":9'),
    );
    gateway.change({ a: other });
    await gateway.send(TOKEN);
    expect(seen.introspections).toBe(2);
  });

  it('rebuilds objects whose properties changed', async () => {
    const answering: JsonObject = {
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '${greeting}' } },
    };
    const gateway = await startTenants({ a: { document: { ...answering, properties: { greeting: 'hello' } } } });
    expect((await gateway.get('/')).body).toBe('hello');
    gateway.change({ a: { document: { ...answering, properties: { greeting: 'welcome' } } } });
    expect((await gateway.get('/')).body).toBe('welcome');
  });

  it('rebuilds an object when a referenced object of the heap changed', async () => {
    const { seen, url } = await counting();
    const named = (soTimeout: string): TenantRoute => ({
      document: {
        heap: [{ name: 'backend', type: 'ReverseProxyHandler', baseURI: url, config: { soTimeout } }],
        handler: { type: 'Chain', config: { filters: [], handler: 'backend' } },
      },
    });
    const gateway = await startTenants({ a: named('10 seconds') });
    await gateway.get('/');
    await gateway.get('/');
    expect(seen.connections).toBe(1);
    gateway.change({ a: named('11 seconds') });
    await gateway.get('/');
    expect(seen.connections).toBe(2);
  });

  it('shares nothing with a route of another tenant that has the same declarations', async () => {
    const { seen, url } = await counting();
    const tenants = [
      { name: 'shop', hosts: ['shop.example'] },
      { name: 'bank', hosts: ['bank.example'] },
    ];
    const gateway = await startTenants(
      { a: { ...route(url, '1'), tenant: 'shop' }, b: { ...route(url, '1'), tenant: 'bank' } },
      { trust: { tenants, egress: ['127.0.0.0/8'] } },
    );
    await gateway.send(TOKEN.replace('gw.test', 'shop.example'));
    await gateway.send(TOKEN.replace('gw.test', 'bank.example'));
    expect(seen).toEqual({ requests: 2, introspections: 2, connections: 4 });
  });

  it('that moves to another tenant keeps nothing', async () => {
    const { seen, url } = await counting();
    const tenants = [
      { name: 'shop', hosts: ['shop.example'] },
      { name: 'bank', hosts: ['bank.example'] },
    ];
    const moved = (tenant: string) => ({ a: { ...route(url, '1'), tenant } });
    const gateway = await startTenants(moved('shop'), { trust: { tenants, egress: ['127.0.0.0/8'] } });
    await gateway.send(TOKEN.replace('gw.test', 'shop.example'));
    gateway.change(moved('bank'));
    await gateway.send(TOKEN.replace('gw.test', 'bank.example'));
    expect(seen.introspections).toBe(2);
  });

  it('leaks no object after many edits', async () => {
    const { url } = await counting();
    const gateway = await startTenants({ a: route(url, '0') });
    const before = gateway.configuration.builtObjects;
    for (let version = 1; version <= 1000; version++) gateway.change({ a: route(url, String(version % 7)) });
    await expect.poll(() => gateway.configuration.builtObjects).toBe(before);
    gateway.change({ a: null });
    await expect.poll(() => gateway.configuration.builtObjects).toBeLessThan(before);
  });

  it('that cannot be built leaves the running objects as they are', async () => {
    const { seen, url } = await counting();
    const gateway = await startTenants({ a: route(url, '1') });
    await gateway.send(TOKEN);
    const missing = { type: 'FileSystemSecretStore', name: 'none', config: { directory: '/does/not/exist' } };
    expect(gateway.change({ a: route(url, '2', { heap: [missing] }) })).not.toEqual([]);
    expect((await gateway.send(TOKEN)).status).toBe(200);
    expect(seen).toMatchObject({ introspections: 1, requests: 2 });
  });
});

describe('an edited config.json', () => {
  it('keeps connections and caches of routes that did not change', async () => {
    const { seen, url } = await counting();
    const gateway = await startTenants({ a: route(url, '1') });
    await gateway.send(TOKEN);
    const before = { ...seen };
    expect(gateway.replaceBase({ properties: {}, heap: [{ name: 'own', type: 'Chain', config: CHAIN }] })).toEqual([]);
    await gateway.send(TOKEN);
    expect(seen.introspections).toBe(before.introspections);
  });
});

const CHAIN: JsonObject = { filters: [], handler: { type: 'StaticResponseHandler', config: { status: 200 } } };
