import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { CompiledCluster } from '../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../support/crest/compiled-front.ts';
import { generateClient } from '../../support/crest/generated-client.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const shop = {
  condition: "${find(request.uri.path, '^/shop')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } },
};

async function managed(): Promise<ManagedGateway> {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A program that manages routes, as a person would write it with the types of the client. */
const PROGRAM = `
import { ApiError, OpenAPI, RoutesService, SecretStoresService, type Route } from './client';
OpenAPI.BASE = 'http://localhost:9090/api';
const route: Route = { condition: '\${true}', handler: 'ReverseProxyHandler' };
try {
  const put = await RoutesService.routesPut({ id: 'shop', requestBody: route, ifNoneMatch: '*' });
  const page = await RoutesService.routesQuery({ queryFilter: 'true', pageSize: 10, totalPagedResultsPolicy: 'EXACT' });
  if ('results' in page) for (const { _id } of page.results) console.log(_id?.length, page.resultCount + 1);
  const stores = await SecretStoresService.secretStoresQuery({ queryFilter: 'true' });
  if ('results' in stores) console.log(stores.results[0]?.secretIds?.join());
  console.log(put);
} catch (error) {
  if (error instanceof ApiError) console.log(error.status);
}
`;

describe('a client that openapi-typescript-codegen makes of the descriptor', () => {
  it('manages routes of a running gateway', async () => {
    const gateway = await managed();
    const { body: api } = await gateway.send('GET /api?_api');
    const client = await generateClient(api as JsonObject);
    const routes = client.of('Routes');
    expect(await client.of('ServerInfo')['infoRead']!({})).toMatchObject({ version: expect.any(String) });
    expect(await routes['routesPut']!({ id: 'shop', requestBody: shop })).toMatchObject({ _id: 'shop', ...shop });
    expect((await gateway.get('/shop')).text).toBe('open');
    const read = await routes['routesRead']!({ id: 'shop' });
    const requestBody = [{ operation: 'replace', field: '/handler/config/entity', value: 'closed' }];
    const patched = await routes['routesPatch']!({ id: 'shop', ifMatch: read['_rev'], requestBody });
    expect(patched['_rev']).not.toBe(read['_rev']);
    expect((await gateway.get('/shop')).text).toBe('closed');
    await expect(routes['routesPatch']!({ id: 'shop', ifMatch: read['_rev'], requestBody })).rejects.toMatchObject({
      status: 412,
      body: { code: 412, reason: 'Precondition Failed' },
    });
    const queryFilter = '_id eq "shop" and condition co "^/shop"';
    expect(await routes['routesQuery']!({ queryFilter, fields: '_id', pageSize: 1 })).toMatchObject({
      ...{ results: [{ _id: 'shop' }], resultCount: 1 },
    });
    expect(await routes['routesCollectionPost']!({ action: 'explain', requestBody: { uri: '/shop' } })).toMatchObject({
      route: 'shop',
    });
    const invalid = { action: 'validate', requestBody: { handler: 'nowhere' } };
    expect(await routes['routesCollectionPost']!(invalid)).toMatchObject({ valid: false });
    expect(await routes['routesDelete']!({ id: 'shop' })).toMatchObject({ _id: 'shop' });
    await expect(routes['routesRead']!({ id: 'shop' })).rejects.toMatchObject({ status: 404, body: { code: 404 } });
  });

  it('has ids that need escapes in a path', async () => {
    const gateway = await managed();
    const { body: api } = await gateway.send('GET /api?_api');
    const routes = (await generateClient(api as JsonObject)).of('Routes');
    for (const id of ['a b', 'été', 'a+b', 'a%20b', 'a,b;c=d', 'a#b?c']) {
      expect(await routes['routesPut']!({ id, requestBody: shop })).toMatchObject({ _id: id });
      expect(await routes['routesRead']!({ id })).toMatchObject({ _id: id });
    }
  });

  it('has types that a program compiles with, and that reject what the API does not have', async () => {
    const gateway = await managed();
    const { body: api } = await gateway.send('GET /api?_api');
    const { compile } = await generateClient(api as JsonObject);
    expect(await compile(PROGRAM)).toBe('');
    expect(await compile(PROGRAM.replace("'EXACT'", "'SOME'"))).toContain('SOME');
    expect(await compile(PROGRAM.replace('pageSize: 10', "pageSize: 'ten'"))).toContain('number');
    expect(await compile(PROGRAM.replace("queryFilter: 'true', pageSize", 'pageSize'))).toContain('queryFilter');
    expect(await compile(PROGRAM.replace('secretIds', 'secretKeys'))).toContain('secretKeys');
  });

  it('reads the resources of a controller with a bearer token', async () => {
    const cluster = new CompiledCluster()
      .route('shop/orders', shop)
      .store('shop/keys', { type: 'Base64EncodedSecretStore', config: { secrets: { verify: 'aGVsbG8=' } } })
      .auditService('shop/trail', { eventHandlers: [] });
    const rights = { ann: ['* routes shop', '* secretstores shop'], bob: [] };
    const { ask } = await compiledFront(cluster, rights);
    const client = await generateClient((await ask('bob', 'GET /api?_api')).body);
    client.settings.TOKEN = 'ann';
    const [routes, stores, services] = [client.of('Routes'), client.of('SecretStores'), client.of('AuditServices')];
    const queryFilter = 'true';
    expect(await routes['routesQuery']!({ queryFilter })).toMatchObject({ results: [{ _id: 'shop.orders' }] });
    expect(await stores['secretStoresRead']!({ id: 'shop.keys' })).toMatchObject({ secretIds: ['verify'] });
    await expect(services['auditServicesRead']!({ id: 'shop.trail' })).rejects.toMatchObject({ status: 403 });
    const requestBody = { uri: '/shop', dataPlane: { labels: {} } };
    expect(await routes['routesCollectionPost']!({ action: 'explain', requestBody })).toMatchObject({
      route: 'shop.orders',
    });
    client.settings.TOKEN = 'nobody';
    await expect(routes['routesRead']!({ id: 'shop.orders' })).rejects.toMatchObject({ status: 401 });
  });
});
