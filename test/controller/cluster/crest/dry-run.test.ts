import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { DryRun } from '../../../../contract/shown/dry-run.ts';
import type { DryRunAnswer, DryRunQuestion } from '../../../../controller/publish/dry-run-question.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const RIGHTS = {
  operator: ['* * *'],
  shopkeeper: ['list routes shop', 'get routes shop', 'explain routes shop'],
  clerk: ['list routes shop', 'get routes shop', 'explain routes shop/orders'],
  reader: ['list routes shop', 'get routes shop'],
  lister: ['list routes *', 'get routes *'],
};
const RUN: DryRun = { revision: 'r1', plane: 'edge-1', unit: 0, steps: [], status: null, milliseconds: 1 };
const EXPLAIN = 'POST /api/routes?_action=explain';
const ORDERS = { uri: 'https://store.test/orders/1?x=1', dryRun: true };

function cluster(): CompiledCluster {
  const under = (path: string, more: JsonObject = {}): JsonObject => ({
    condition: `\${find(request.uri.path, '^${path}')}`,
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: path } },
    ...more,
  });
  return new CompiledCluster()
    .base('trust', {
      tenants: [{ name: 'store', namespaces: ['shop', 'stock'], hosts: ['store.test'] }],
      groups: [{ name: 'edge', serviceAccounts: [] }],
    })
    .route('shop/orders', under('/orders'))
    .route('shop/carts', under('/carts'))
    .route('shop/gold', under('/gold', { dataPlanes: { matchLabels: { tier: 'gold' } } }))
    .route('stock/items', under('/items'));
}

async function front(answer: DryRunAnswer = { dryRun: RUN }, labels: Record<string, string> = {}) {
  const questions: DryRunQuestion[] = [];
  const dryRuns = {
    explainer: () => ({ group: 'edge', namespace: 'gateways', labels, isSidecar: false }),
    explain: async (question: DryRunQuestion) => {
      questions.push(question);
      return answer;
    },
  };
  return { questions, ...(await compiledFront(cluster(), RIGHTS, undefined, { dryRuns })) };
}

describe('a dry run in a cluster', () => {
  it('shows everything to callers who may explain Routes in all namespaces', async () => {
    const { ask, questions, dryRan, failures } = await front();
    const { status, body } = await ask('operator', EXPLAIN, { ...ORDERS, headers: { A: '1' } });
    expect([status, body['route'], body['dryRun']]).toEqual([200, 'shop.orders', RUN]);
    expect(questions).toEqual([
      {
        request: { method: 'GET', uri: ORDERS.uri, headers: ['A: 1'] },
        route: null,
        plane: { group: 'edge', namespace: 'gateways', labels: {}, isSidecar: false },
      },
    ]);
    expect(dryRan).toEqual([{ caller: 'operator', route: 'shop.orders', plane: 'edge-1' }]);
    expect(failures).toEqual([]);
  });

  it('shows the objects of the Route that takes the request to callers who may explain this Route', async () => {
    const { ask, questions, dryRan } = await front();
    for (const user of ['shopkeeper', 'clerk']) {
      expect((await ask(user, EXPLAIN, ORDERS)).body).toMatchObject({ route: 'shop.orders', dryRun: RUN });
      const one = await ask(user, 'POST /api/routes/shop.orders?_action=explain', ORDERS);
      expect(one.body).toMatchObject({ takes: true, dryRun: RUN });
    }
    expect(questions.map(({ route }) => route)).toEqual(Array(4).fill('shop.orders'));
    expect(dryRan).toHaveLength(4);
  });

  it('is refused without the right to explain, and no data plane is asked', async () => {
    const { ask, questions, dryRan } = await front();
    for (const [user, uri] of [
      ['reader', 'https://store.test/orders'],
      ['lister', 'https://store.test/orders'],
      ['clerk', 'https://store.test/carts'],
    ] as const) {
      const { status, text } = await ask(user, EXPLAIN, { uri, dryRun: true });
      expect([user, status]).toEqual([user, 403]);
      expect(text).toContain(`${user} may not explain the Route 'shop.${uri.slice(19)}'`);
      expect((await ask(user, EXPLAIN, { uri })).status).toBe(200);
    }
    expect((await ask('reader', 'POST /api/routes/shop.orders?_action=explain', ORDERS)).status).toBe(403);
    expect([questions, dryRan]).toEqual([[], []]);
  });

  it.each(['https://store.test/items', 'https://store.test/nothing'])(
    'of %s, which no Route of the caller takes, needs the right in all namespaces',
    async (uri) => {
      const { ask, questions } = await front();
      const { status, text } = await ask('shopkeeper', EXPLAIN, { uri, dryRun: true });
      expect(status).toBe(403);
      expect(text).toContain('none of the Routes that shopkeeper may list takes the request');
      expect(text).not.toMatch(/stock/);
      expect((await ask('operator', EXPLAIN, { uri, dryRun: true })).body).toMatchObject({ dryRun: RUN });
      expect(questions.map(({ route }) => route)).toEqual([null]);
    },
  );

  it('of one Route is not made if another one takes the request, or if no route is tried', async () => {
    const { ask, questions } = await front();
    const other = await ask('shopkeeper', 'POST /api/routes/shop.carts?_action=explain', ORDERS);
    expect(other.body).toMatchObject({ takes: false });
    const refused = await ask('operator', EXPLAIN, { uri: 'https://store.test/%2e%2e/x', dryRun: true });
    expect(refused.body).toMatchObject({ refusal: expect.stringContaining('no route is tried') });
    expect([other, refused].map(({ body }) => 'dryRun' in body)).toEqual([false, false]);
    expect(questions).toEqual([]);
  });

  it('evaluates conditions for the labels of the data plane that is asked', async () => {
    const { ask } = await front({ dryRun: RUN }, { tier: 'gold' });
    const uri = 'https://store.test/gold';
    expect((await ask('operator', EXPLAIN, { uri, dryRun: true })).body['route']).toBe('shop.gold');
    expect((await ask('operator', EXPLAIN, { uri })).body['route']).toBe(null);
  });

  it('gives a path its host from the header', async () => {
    const { ask, questions } = await front();
    await ask('operator', EXPLAIN, { uri: '/orders', headers: { Host: 'store.test' }, dryRun: true });
    expect(questions[0]?.request).toMatchObject({ uri: 'http://store.test/orders', headers: ['Host: store.test'] });
  });

  it.each([
    ['unconnected', 503],
    ['behind', 503],
    ['failed', 503],
    ['older', 501],
  ] as const)('answers for data planes that are %s with %i and the reason', async (failure, expected) => {
    const { ask, dryRan } = await front({ failure, message: 'this is the reason' });
    const { status, text } = await ask('operator', EXPLAIN, ORDERS);
    expect(status).toBe(expected);
    expect(text).toContain('this is the reason');
    expect(dryRan).toEqual([]);
  });

  it('is among the permissions of a caller, with the reason if it is refused', async () => {
    const { ask } = await front();
    const dryRunOf = async (user: string, id: string): Promise<unknown> => {
      const { body } = await ask(user, `GET /api/permissions/${encodeURIComponent(id)}`);
      return (body['routes'] as JsonObject)['dryRun'];
    };
    const allowed = { allowed: true, reason: null };
    expect(await dryRunOf('operator', '*')).toEqual(allowed);
    expect(await dryRunOf('shopkeeper', 'shop')).toEqual(allowed);
    expect(await dryRunOf('shopkeeper', 'shop.carts')).toEqual(allowed);
    expect(await dryRunOf('clerk', 'shop.orders')).toEqual(allowed);
    expect(await dryRunOf('clerk', 'shop.carts')).toEqual({
      allowed: false,
      reason: "clerk may not explain the Route 'shop.carts'",
    });
    expect(await dryRunOf('lister', '*')).toEqual({
      allowed: false,
      reason: 'lister may not explain Routes in all namespaces',
    });
  });
});
