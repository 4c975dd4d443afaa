import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { HostGrants } from '../../../contract/resources/host-grants.ts';
import type { Tenant } from '../../../contract/snapshot.ts';
import { ask } from '../../support/clients/answers.ts';
import { startTenants } from '../../support/gateways/tenant-gateway.ts';

const says = (entity: string, more: JsonObject = {}): JsonObject => ({
  ...more,
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

const TENANTS: readonly Tenant[] = [
  { name: 'shop', hosts: ['shop.example.com', '*.shop.example.com'] },
  { name: 'pay', hosts: ['pay.example.com', 'special.shop.example.com'] },
  { name: 'wild', hosts: ['*.example.com'] },
  { name: 'rest', hosts: ['*'] },
];

describe('HostGrants', () => {
  const grants = new HostGrants(TENANTS);

  it.each([
    ['shop.example.com', 'shop'],
    ['SHOP.Example.COM', 'shop'],
    ['shop.example.com.', 'shop'],
    ['a.shop.example.com', 'shop'],
    ['a.b.shop.example.com', 'shop'],
    ['special.shop.example.com', 'pay'],
    ['x.special.shop.example.com', 'shop'],
    ['other.example.com', 'wild'],
    ['example.com', 'rest'],
    ['.example.com', 'rest'],
    ['evilexample.com', 'rest'],
    ['shop.example.com.evil.test', 'rest'],
    ['10.0.0.1', 'rest'],
    ['::1', 'rest'],
    ['', 'rest'],
    ['constructor', 'rest'],
    ['__proto__', 'rest'],
  ])('%s is that of %s', (host, tenant) => {
    expect(grants.tenantOf(host)).toBe(tenant);
  });

  it('is null without a tenant for all hosts, and needs no lookup with one', () => {
    const few = new HostGrants(TENANTS.slice(0, 3));
    expect([few.tenantOf('example.com'), few.tenantOf(''), few.only]).toEqual([null, null, null]);
    expect(new HostGrants([{ name: 'all', hosts: ['*'] }]).only).toBe('all');
    expect(new HostGrants([]).only).toBeNull();
  });
});

describe('a request', () => {
  const routes = {
    'shop.a': { tenant: 'shop', document: says('shop') },
    // a wider route of somebody else, first by name
    'pay.0': { tenant: 'pay', document: says('pay', { condition: "${find(request.uri.path, '^/pay')}" }) },
    'rest.0': { tenant: 'rest', document: says('rest', { name: '000' }) },
  };

  it.each([
    ['/', 'shop.example.com', 200, 'shop'],
    ['/', 'shop.example.com:8443', 200, 'shop'],
    ['/', 'Shop.Example.com.', 200, 'shop'],
    ['/pay', 'shop.example.com', 200, 'shop'],
    ['/pay', 'pay.example.com', 200, 'pay'],
    // nobody else's route steps in
    ['/', 'pay.example.com', 404, ''],
    ['/', 'wild.example.com', 404, ''],
    ['/', 'anything.test', 200, 'rest'],
    ['/', '[::1]:80', 200, 'rest'],
  ])('for %s of %s is answered by its tenant', async (path, host, status, body) => {
    const gateway = await startTenants(routes, { trust: { tenants: TENANTS } });
    const answer = await gateway.get(path, host);
    expect([answer.status, status === 200 ? answer.body : '']).toEqual([status, body]);
  });

  it('without a host belongs only to a tenant with all hosts', async () => {
    const line = 'GET / HTTP/1.0\r\n';
    const whole = await startTenants(routes, { trust: { tenants: TENANTS } });
    const without = await startTenants(routes, { trust: { tenants: TENANTS.slice(0, 3) } });
    expect([(await ask(whole.port, line)).body, (await ask(without.port, line)).status]).toEqual(['rest', 404]);
  });

  it('in another form has its host like any other', async () => {
    const gateway = await startTenants(routes, { trust: { tenants: TENANTS } });
    const absolute = 'GET http://pay.example.com/pay HTTP/1.1\r\nHost: pay.example.com\r\n';
    const foreign = 'GET http://pay.example.com/pay HTTP/1.1\r\nHost: shop.example.com\r\n';
    expect((await ask(gateway.port, absolute)).body).toBe('pay');
    expect((await ask(gateway.port, foreign)).status).toBe(400);
  });

  it('meets routes of an operator first, for any host', async () => {
    const own = { document: says('operator', { name: 'zzz', condition: "${request.uri.path == '/own'}" }) };
    const gateway = await startTenants({ ...routes, own }, { trust: { tenants: TENANTS } });
    const bodies = ['shop.example.com', 'pay.example.com', 'x.test'].map(
      async (host) => (await gateway.get('/own', host)).body,
    );
    expect(await Promise.all(bodies)).toEqual(['operator', 'operator', 'operator']);
  });

  it('keeps its tenant although the gateway rewrites its host', async () => {
    const gateway = await startTenants(routes, {
      trust: { tenants: TENANTS },
      base: { handler: '_router', heap: [{ name: '_router', type: 'Router' }], baseURI: 'http://pay.example.com' },
    });
    expect((await gateway.get('/pay', 'shop.example.com')).body).toBe('shop');
  });

  it('does not meet routes of an unknown tenant, nor of one that lost its host', async () => {
    const ghost = { 'x.y': { tenant: 'ghost', document: says('ghost') } };
    const gateway = await startTenants(ghost, { trust: { tenants: TENANTS } });
    const none = await startTenants(ghost, { trust: { tenants: [] } });
    expect([(await gateway.get('/')).status, (await none.get('/')).status]).toEqual([404, 404]);
  });

  it('meets routes that are added, change tenants and are removed', async () => {
    const gateway = await startTenants(routes, { trust: { tenants: TENANTS } });
    const answers = async (): Promise<string[]> => [
      (await gateway.get('/', 'shop.example.com')).body,
      (await gateway.get('/', 'x.test')).body,
    ];
    gateway.change({ 'shop.a': { tenant: 'rest', document: says('moved', { name: '0' }) } });
    expect((await gateway.get('/', 'shop.example.com')).status).toBe(404);
    expect((await gateway.get('/', 'x.test')).body).toBe('moved');
    gateway.change({ 'shop.a': null, 'shop.b': { tenant: 'shop', document: says('new') } });
    expect(await answers()).toEqual(['new', 'rest']);
  });
});

it('two routes of one name in two tenants share nothing', async () => {
  const throttled = (entity: string): JsonObject => ({
    name: 'orders',
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            name: 'limit',
            type: 'ThrottlingFilter',
            config: { requestGroupingPolicy: 'all', rate: { numberOfRequests: 1, duration: '1 hour' } },
          },
        ],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
      },
    },
  });
  const gateway = await startTenants(
    {
      'a.orders': { tenant: 'shop', document: throttled('a') },
      'b.orders': { tenant: 'pay', document: throttled('b') },
    },
    { trust: { tenants: TENANTS } },
  );
  expect(gateway.problems).toEqual([]);
  const hosts = ['shop.example.com', 'shop.example.com', 'pay.example.com'];
  const statuses: number[] = [];
  for (const host of hosts) statuses.push((await gateway.get('/', host)).status);
  expect(statuses).toEqual([200, 429, 200]);
});
