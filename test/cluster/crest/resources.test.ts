import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { httpExchange } from '../../support/clients/http-exchange.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { CREST_WORDS, type CrestClient, type CrestReply, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';

const cluster = theCluster();
let gateway: DeployedGateway;
let client: CrestClient;
let shop: string;
let bank: string;
const tokens: Record<string, string> = {};
const VALUE = 'aHVudGVyMg==';

const users = ['operator', 'shop', 'bank', 'stores', 'routes', 'getter', 'nobody', 'unknown'] as const;
const ALL = ['get', 'list', 'create', 'update', 'patch', 'delete'];
const KINDS = ['routes', 'secretstores', 'auditservices'];

function resource(kind: string, namespace: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: 'gatewarden.io/v1alpha1', kind, metadata: { namespace, name }, spec };
}

beforeAll(async () => {
  shop = await cluster.namespace('shop');
  bank = await cluster.namespace('bank');
  const trust = {
    tenants: [
      { name: 'store', namespaces: [shop], hosts: ['store.test'] },
      { name: 'bank', namespaces: [bank], hosts: ['bank.test'] },
    ],
  };
  gateway = await DeployedGateway.prepare({ access: cluster, namespaces: [shop, bank], trust });
  const store = { type: 'Base64EncodedSecretStore', config: { secrets: { verify: VALUE } } };
  const service = { config: {}, eventHandlers: [] };
  for (const namespace of [shop, bank]) {
    await gateway.apply(sayingRoute(namespace, 'orders', 'hello'));
    await gateway.apply(resource('SecretStore', namespace, 'keys', store));
    await gateway.apply(resource('AuditService', namespace, 'trail', service));
  }
  const controller = await gateway.startController(CREST_WORDS);
  client = await crestClient(gateway, controller);
  tokens['operator'] = await routesUser(cluster, 'operator', 'all', ALL, KINDS);
  tokens['shop'] = await routesUser(cluster, 'shopkeeper', [shop], ALL, KINDS);
  tokens['bank'] = await routesUser(cluster, 'banker', [bank], ALL, KINDS);
  tokens['stores'] = await routesUser(cluster, 'keykeeper', [shop], ['get', 'list'], ['secretstores']);
  tokens['routes'] = await routesUser(cluster, 'router', [shop], ALL);
  tokens['getter'] = await routesUser(cluster, 'getter', [shop], ['get'], KINDS);
  tokens['nobody'] = await routesUser(cluster, 'nobody', []);
  tokens['unknown'] = 'a-token-that-nobody-has';
  for (const kind of ['secretstores', 'auditservices', 'routes']) {
    const name = { secretstores: 'keys', auditservices: 'trail', routes: 'orders' }[kind];
    const words = [
      'wait',
      '--for=condition=Accepted',
      `${kind}.gatewarden.io/${name}`,
      '-n',
      shop,
      '--timeout',
      '300s',
    ];
    await gateway.kubectl(words);
  }
});

afterAll(async () => {
  await client?.close();
  await gateway?.stop();
});

/** Result of every user for one request each. */
async function results<T>(ask: (token: string) => Promise<CrestReply>, take: (reply: CrestReply) => T): Promise<T[]> {
  const found: T[] = [];
  for (const user of users) found.push(take(await ask(tokens[user]!)));
  return found;
}

const statusOf = ({ status }: CrestReply): number => status;
const named = (text: string): string => text.replaceAll('SHOP', shop).replaceAll('BANK', bank);
/** Ids of the results with the names of namespaces as they are in expectations, or the status. */
const idsOf = ({ status, body }: CrestReply): unknown =>
  status === 200
    ? (body['results'] as { _id: string }[])
        .map(({ _id }) => _id.replace(shop, 'SHOP').replace(bank, 'BANK'))
        .sort()
        .join(' ')
    : status;

describe('rights of users on other resources than Routes', () => {
  //                                operator shop bank stores routes getter nobody unknown
  it.each([
    ['secret-stores/SHOP.keys', [200, 200, 403, 200, 403, 200, 403, 401]],
    ['secret-stores/BANK.keys', [200, 403, 200, 403, 403, 403, 403, 401]],
    ['secret-stores/SHOP.none', [404, 404, 403, 404, 403, 404, 403, 401]],
    ['audit-services/SHOP.trail', [200, 200, 403, 403, 403, 200, 403, 401]],
    ['audit-services/BANK.trail', [200, 403, 200, 403, 403, 403, 403, 401]],
    ['audit-services/BANK.none', [404, 403, 404, 403, 403, 403, 403, 401]],
    ['secret-stores/default.keys', [404, 403, 403, 403, 403, 403, 403, 401]],
    ['audit/access/1', [501, 501, 501, 501, 501, 501, 501, 401]],
  ])('decide who may read %s', async (path, expected) => {
    expect(await results((token) => client.ask(token, 'GET', named(`/api/${path}`)), statusOf)).toEqual(expected);
  });

  it.each([
    ['secret-stores', 'keys', ['BANK.keys SHOP.keys', 'SHOP.keys', 'BANK.keys', 'SHOP.keys', 403, 403, 403, 401]],
    ['audit-services', 'trail', ['BANK.trail SHOP.trail', 'SHOP.trail', 'BANK.trail', 403, 403, 403, 403, 401]],
    ['audit/access', '', [501, 501, 501, 501, 501, 501, 501, 401]],
  ])('restrict a query of %s to namespaces that a user may list', async (collection, _, expected) => {
    const path = `/api/${collection}?_queryFilter=true`;
    expect(await results((token) => client.ask(token, 'GET', path), idsOf)).toEqual(expected);
  });

  it('do not let anybody write what a read leaves out', async () => {
    for (const path of ['secret-stores/SHOP.keys', 'audit-services/SHOP.trail']) {
      for (const [method, body] of [
        ['PUT', {}],
        ['PATCH', [{ operation: 'remove', field: 'type' }]],
        ['DELETE', undefined],
        ['POST', {}],
      ] as const) {
        const query = method === 'POST' ? '?_action=validate' : '';
        const ask = (token: string) => client.ask(token, method, named(`/api/${path}${query}`), { body });
        expect(await results(ask, statusOf)).toEqual([501, 501, 501, 501, 501, 501, 501, 401]);
      }
    }
  });

  it('decide who gets an explanation of a request', async () => {
    const ask = (host: string, id = '') =>
      results(
        (token) =>
          client.ask(token, 'POST', named(`/api/routes${id}?_action=explain`), {
            body: { uri: `https://${host}/orders` },
          }),
        ({ status, body }) =>
          status === 200 ? String(body['route']).replace(shop, 'SHOP').replace(bank, 'BANK') : status,
      );
    const inShop = 'SHOP.orders';
    expect(await ask('store.test')).toEqual([inShop, inShop, 403, 403, inShop, 403, 403, 401]);
    expect(await ask('bank.test')).toEqual(['BANK.orders', 403, 'BANK.orders', 403, 403, 403, 403, 401]);
    expect(await ask('else.test')).toEqual(['null', 403, 403, 403, 403, 403, 403, 401]);
    expect(await ask('store.test', '/SHOP.orders')).toEqual([inShop, inShop, 403, 403, inShop, inShop, 403, 401]);
    expect(await ask('bank.test', '/SHOP.orders')).toEqual(['BANK.orders', 'null', 403, 403, 'null', 'null', 403, 401]);
  });
});

describe('resources of a real cluster', () => {
  it('have the conditions that the controller wrote, and no secrets', async () => {
    const store = await client.ask(tokens['shop']!, 'GET', named('/api/secret-stores/SHOP.keys'));
    expect(store.body).toMatchObject({
      ...{ type: 'Base64EncodedSecretStore', secretIds: ['verify'], namespace: shop, name: 'keys' },
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Accepted', status: 'True' })]),
    });
    const all = await client.ask(tokens['operator']!, 'GET', '/api/secret-stores?_queryFilter=true');
    for (const { text } of [store, all]) expect(text).not.toContain(VALUE);
    const version = await cluster.run([
      ...['get', 'secretstores.gatewarden.io', 'keys', '-n', shop],
      ...['-o', 'jsonpath={.metadata.resourceVersion}'],
    ]);
    expect(store.body['_rev']).toBe(version.trim());
  });

  it('follow a change that kubectl made', async () => {
    const changed = { type: 'Base64EncodedSecretStore', config: { secrets: { verify: VALUE, sign: VALUE } } };
    await gateway.apply(resource('SecretStore', shop, 'keys', changed));
    await expect
      .poll(
        async () => (await client.ask(tokens['shop']!, 'GET', named('/api/secret-stores/SHOP.keys'))).body['secretIds'],
        { timeout: 60_000 },
      )
      .toEqual(['sign', 'verify']);
  });

  it('are explained as a data plane routes them', async () => {
    const plane = await gateway.startPlane();
    const served = await httpExchange({ port: plane.port, path: '/orders', headers: { Host: 'store.test' } });
    const { body } = await client.ask(tokens['shop']!, 'POST', '/api/routes?_action=explain', {
      body: { uri: '/orders', headers: { Host: 'store.test' } },
    });
    expect([served.status, body['route']]).toEqual([200, `${shop}.orders`]);
  });

  it('have a valid descriptor', async () => {
    const { body } = await client.ask(tokens['nobody']!, 'GET', '/api?_api');
    expect(await new Validator().validate(body as Record<string, unknown>)).toMatchObject({ valid: true });
  });
});
