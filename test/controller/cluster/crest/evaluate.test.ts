import { describe, expect, it } from 'vitest';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const RIGHTS = {
  operator: ['* * *'],
  shopkeeper: ['* routes shop'],
  reader: ['get routes shop/orders'],
  nobody: [],
};

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
const body = { expression: '${request.uri.path}', request: { uri: '/a' } };

describe('the action evaluate in a cluster', () => {
  it.each([
    ['operator', 'routes', 200],
    ['shopkeeper', 'routes', 403],
    ['shopkeeper', 'routes/shop.orders', 200],
    ['shopkeeper', 'routes/shop.new', 200],
    ['shopkeeper', 'routes/bank.new', 403],
    ['reader', 'routes/shop.orders', 200],
    ['reader', 'routes/shop.new', 403],
    ['nobody', 'routes/shop.orders', 403],
  ])('needs the right to list Routes, to get the Route, or to create it: %s, %s', async (user, path, status) => {
    const { ask } = await compiledFront(new CompiledCluster().route('shop/orders', { handler }), RIGHTS);
    const answer = await ask(user, `POST /api/${path}?_action=evaluate`, body);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body).toMatchObject({ outcome: 'value', value: '"/a"' });
  });
});
