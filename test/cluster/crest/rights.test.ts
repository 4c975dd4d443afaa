import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { sayingHandler, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { CREST_WORDS, type CrestClient, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { DeployedGateway, type RunningController } from '../../support/gateways/deployed-gateway.ts';

const cluster = theCluster();
let gateway: DeployedGateway;
let controller: RunningController;
let client: CrestClient;
let shop: string;
let bank: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  shop = await cluster.namespace('shop');
  bank = await cluster.namespace('bank');
  gateway = await DeployedGateway.prepare({ access: cluster, namespaces: [shop, bank] });
  for (const namespace of [shop, bank]) await gateway.apply(sayingRoute(namespace, 'orders', 'hello'));
  controller = await gateway.startController(CREST_WORDS);
  client = await crestClient(gateway, controller);
  tokens['shop'] = await routesUser(cluster, 'shopkeeper', [shop]);
  tokens['bank'] = await routesUser(cluster, 'banker', [bank]);
  tokens['operator'] = await routesUser(cluster, 'operator', 'all');
  tokens['viewer'] = await routesUser(cluster, 'viewer', [shop], ['get', 'list']);
  tokens['nobody'] = await routesUser(cluster, 'nobody', []);
  tokens['unknown'] = 'a-token-that-nobody-has';
});

afterAll(async () => {
  await client?.close();
  await gateway?.stop();
});

const users = ['shop', 'bank', 'operator', 'viewer', 'nobody', 'unknown', 'none'] as const;
const as = (user: string): string | null => tokens[user] ?? null;
const route = (text: string) => ({
  condition: `\${find(request.uri.path, '^/${text}$')}`,
  handler: sayingHandler(text),
});

/** Status of every user for one request each. */
async function statuses(ask: (token: string | null, user: string) => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (const user of users) found.push((await ask(as(user), user)).status);
  return found;
}

describe('rights of users', () => {
  //                                        shop  bank oper  view nobody unknown none
  it.each([
    ['read in the shop', 'shop.orders', [200, 403, 200, 200, 403, 401, 401]],
    ['read in the bank', 'bank.orders', [403, 200, 200, 403, 403, 401, 401]],
    ['read what does not exist', 'shop.nothing', [404, 403, 404, 404, 403, 401, 401]],
    ['read in a namespace that is not followed', 'default.orders', [403, 403, 404, 403, 403, 401, 401]],
  ])('decide who may %s', async (_, id, expected) => {
    const path = `/api/routes/${id.replace('shop', shop).replace('bank', bank)}`;
    expect(await statuses((token) => client.ask(token, 'GET', path))).toEqual(expected);
  });

  it('restrict a query to the namespaces that a user may list', async () => {
    const seen = async (user: string, filter: string): Promise<unknown> => {
      const { status, body } = await client.ask(
        as(user),
        'GET',
        `/api/routes?_queryFilter=${encodeURIComponent(filter)}`,
      );
      return status === 200 ? (body['results'] as { _id: string }[]).map(({ _id }) => _id) : status;
    };
    const [inShop, inBank] = [`${shop}.orders`, `${bank}.orders`];
    expect(await seen('operator', 'true')).toEqual([inBank, inShop].sort());
    expect(await seen('shop', 'true')).toEqual([inShop]);
    expect(await seen('viewer', 'true')).toEqual([inShop]);
    expect(await seen('bank', 'true')).toEqual([inBank]);
    expect(await seen('bank', `_id sw "${shop}."`)).toBe(403);
    expect(await seen('bank', `_id sw "${shop}." or _id sw "${bank}."`)).toEqual([inBank]);
    expect(await seen('nobody', 'true')).toBe(403);
    expect(await seen('unknown', 'true')).toBe(401);
  });

  it('decide who may create, change, patch and delete', async () => {
    const allowed = { status: 200 };
    const names = new Map(users.map((user) => [user, `made-${user}`]));
    const path = (user: string): string => `/api/routes/${shop}.${names.get(user as (typeof users)[number])}`;
    const header = { 'if-match': '*' };
    const created = await statuses((token, user) =>
      client.ask(token, 'PUT', path(user), { body: route(user), headers: { 'if-none-match': '*' } }),
    );
    expect(created).toEqual([201, 403, 201, 403, 403, 401, 401]);
    for (const user of users) await gateway.apply(sayingRoute(shop, names.get(user)!, user));
    const updated = await statuses((token, user) =>
      client.ask(token, 'PUT', path(user), { body: route(`${user}-2`), headers: header }),
    );
    expect(updated).toEqual([200, 403, 200, 403, 403, 401, 401]);
    const operations = [{ operation: 'replace', field: 'name', value: 'patched' }];
    const patched = await statuses((token, user) => client.ask(token, 'PATCH', path(user), { body: operations }));
    expect(patched).toEqual([200, 403, 200, 403, 403, 401, 401]);
    const removed = await statuses((token, user) => client.ask(token, 'DELETE', path(user)));
    expect(removed).toEqual([allowed.status, 403, 200, 403, 403, 401, 401]);
    const left = await cluster.run(['get', 'routes.gatewarden.io', '-n', shop, '-o', 'name']);
    expect(
      left
        .trim()
        .split('\n')
        .map((line) => line.replace(/.*made-/, ''))
        .sort(),
    ).toEqual(['bank', 'nobody', 'none', 'unknown', 'viewer'].concat('route.gatewarden.io/orders').sort());
  });

  it('decide who learns that a namespace is not watched', async () => {
    const body = route('orders');
    const created = await statuses((token) =>
      client.ask(token, 'PUT', '/api/routes/default.orders', { body, headers: { 'if-none-match': '*' } }),
    );
    expect(created).toEqual([403, 403, 400, 403, 403, 401, 401]);
    expect(await cluster.run(['get', 'routes.gatewarden.io', '-n', 'default', '-o', 'name'])).not.toContain('orders');
  });

  it('decide who may have a document validated', async () => {
    const body = { _id: `${shop}.orders`, ...route('orders'), handler: 7 };
    const found = await statuses((token) => client.ask(token, 'POST', '/api/routes?_action=validate', { body }));
    expect(found).toEqual([200, 403, 200, 403, 403, 401, 401]);
  });

  it('count for the paths of OpenIG, too', async () => {
    const path = `/openig/api/system/objects/_router/routes/${shop}.orders`;
    expect(await statuses((token) => client.ask(token, 'GET', path))).toEqual([200, 403, 200, 200, 403, 401, 401]);
    expect((await client.ask(tokens['operator']!, 'GET', '/openig/api/system/objects/other/routes')).status).toBe(404);
    expect((await client.ask(tokens['nobody']!, 'GET', '/api/info')).body).toHaveProperty('version');
    const described = await client.ask(tokens['nobody']!, 'GET', '/api?_api');
    expect(Object.keys(described.body['paths'] as object)).toContain('/routes');
  });
});

describe('a request without a good token', () => {
  it.each([
    ['none', {}],
    ['a cookie', { cookie: 'token=TOKEN; Authorization=Bearer TOKEN' }],
    ['basic credentials', { authorization: 'Basic TOKEN' }],
    ['an empty one', { authorization: 'Bearer ' }],
    ['an expired one', { authorization: `Bearer ${expired()}` }],
  ])('with %s gets 401 with a challenge and the body of Common REST', async (_, headers) => {
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll('TOKEN', tokens['operator']!)]),
    );
    const answer = await client.ask(null, 'GET', `/api/routes/${shop}.orders`, { headers: given });
    expect(answer).toMatchObject({ status: 401, body: { code: 401, reason: 'Unauthorized' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('gets the files of the console, which have no data, on the secured port only', async () => {
    await buildConsole();
    const page = await client.ask(null, 'GET', '/console/routes');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await client.ask(null, 'GET', '/api/info')).status).toBe(401);
    const plain = await fetch(`http://127.0.0.1:${controller.adminPort}/console/`);
    expect(plain.status).toBe(404);
  });

  it('learns nothing of other origins and paths', async () => {
    const origin = { origin: 'https://evil.example', 'access-control-request-method': 'GET' };
    const preflight = await client.ask(null, 'OPTIONS', '/api/routes', { headers: origin });
    expect(preflight.status).toBe(401);
    const real = await client.ask(tokens['operator']!, 'GET', `/api/routes/${shop}.orders`, { headers: origin });
    for (const { headers } of [preflight, real]) {
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
    const plain = await fetch(`http://127.0.0.1:${controller.adminPort}/api/routes?_queryFilter=true`, {
      headers: { authorization: `Bearer ${tokens['operator']}` },
    });
    expect(plain.status).toBe(404);
  });
});

/** A token that ended long ago, as its claims say. */
function expired(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part({ exp: 1_000_000, sub: 'old' })}.c2lnbmF0dXJl`;
}
