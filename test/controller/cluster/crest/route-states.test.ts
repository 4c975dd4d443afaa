import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { ServedRoute } from '../../../../controller/cluster/status/served-routes.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront, type UserRights } from '../../../support/crest/compiled-front.ts';

const RIGHTS: UserRights = {
  operator: ['* * *'],
  shopkeeper: ['list routes shop', 'get routes shop'],
  reader: ['get routes shop/orders'],
  nobody: [],
};

const HANDLER = { type: 'StaticResponseHandler', config: { status: 200 } };
const FIGURES = {
  ...{ requests: 9, active: 0, answered: 9, clientErrors: 0, serverErrors: 1, unanswered: 0 },
  ...{ rate: 0.5, p50: 1, p95: 2, p99: 3, longest: 4 },
};
const QUERY = 'GET /api/route-states?_queryFilter=true';

const on = (id: string, more: Partial<ServedRoute> = {}): ServedRoute => ({
  ...{ id, current: 2, of: 3, unbuilt: 0, figures: FIGURES },
  ...more,
});

function cluster(): CompiledCluster {
  return new CompiledCluster()
    .route('bank/pay', { name: 'a-first', handler: HANDLER })
    .route('shop/orders', { condition: "${find(request.uri.path, '^/orders')}", handler: HANDLER })
    .route('shop/broken', { handler: { type: 'NoSuchHandler' } });
}

const served = (routes: () => Promise<readonly ServedRoute[]> = async () => [on('shop.orders')]) =>
  compiledFront(cluster(), RIGHTS, async () => [], { served: routes });

const results = ({ body }: { body: JsonObject }) => body['results'] as JsonObject[];

describe('the states of Routes of a cluster', () => {
  it('have namespace, verdict, data planes and figures', async () => {
    const { ask } = await served();
    expect(results(await ask('shopkeeper', QUERY)).find(({ _id }) => _id === 'shop.orders')).toEqual({
      ...{ _id: 'shop.orders', route: 'shop.orders', namespace: 'shop', name: 'shop.orders' },
      ...{ router: 'gateway._router', position: 2, condition: "${find(request.uri.path, '^/orders')}" },
      ...{ serves: 'this', errors: 0, warnings: 0, document: 'routes/shop.orders' },
      ...{ changed: null, deliveredBy: null },
      ...{ planes: { current: 2, of: 3 }, figures: FIGURES },
    });
  });

  it('count the errors of a Route that was never accepted', async () => {
    const { ask } = await served();
    const { body } = await ask('shopkeeper', 'GET /api/route-states/shop.broken');
    expect(body).toMatchObject({ serves: 'refuses', errors: 1, condition: null, planes: null, figures: null });
  });

  it('come in the order in which Routes are tried, of those that the caller may list', async () => {
    const { ask } = await served();
    const shown = async (user: string) =>
      results(await ask(user, QUERY)).map(({ _id, position }) => `${String(position)} ${String(_id)}`);
    expect(await shown('operator')).toEqual(['1 bank.pay', '2 shop.broken', '3 shop.orders']);
    expect(await shown('shopkeeper')).toEqual(['1 shop.broken', '2 shop.orders']);
  });

  it('are shown to nobody else', async () => {
    const { ask } = await served();
    for (const user of ['reader', 'nobody']) expect([user, (await ask(user, QUERY)).status]).toEqual([user, 403]);
    expect((await ask('stranger', QUERY)).status).toBe(401);
    expect((await ask('reader', 'GET /api/route-states/shop.broken')).status).toBe(403);
    const [hidden, missing] = [
      await ask('shopkeeper', 'GET /api/route-states/bank.pay'),
      await ask('shopkeeper', 'GET /api/route-states/bank.not'),
    ];
    expect([hidden.status, missing.text.replace('bank.not', 'bank.pay')]).toEqual([403, hidden.text]);
    expect((await ask('operator', 'GET /api/route-states/bank.not')).status).toBe(404);
  });

  it('of one Route need the right to get it, and have no position', async () => {
    const { ask } = await served();
    const { status, body } = await ask('reader', 'GET /api/route-states/shop.orders');
    expect([status, body['position'], body['planes']]).toEqual([200, null, { current: 2, of: 3 }]);
  });

  it('tell that a data plane could not build a Route', async () => {
    const { ask } = await served(async () => [on('shop.orders', { unbuilt: 1 })]);
    expect((await ask('reader', 'GET /api/route-states/shop.orders')).body['serves']).toBe('unbuilt');
  });

  it('have verdicts, and no figures, while the leader does not answer', async () => {
    const { ask } = await served(async () => {
      throw new Error('no controller is the leader');
    });
    const { status, body } = await ask('reader', 'GET /api/route-states/shop.orders');
    expect([status, body['serves'], body['planes'], body['figures']]).toEqual([200, 'this', null, null]);
  });

  it('are limited to a namespace by their ids', async () => {
    const { ask } = await served();
    const filter = encodeURIComponent('_id sw "bank."');
    expect(results(await ask('operator', `GET /api/route-states?_queryFilter=${filter}`))).toHaveLength(1);
    expect((await ask('shopkeeper', `GET /api/route-states?_queryFilter=${filter}`)).status).toBe(403);
  });
});
