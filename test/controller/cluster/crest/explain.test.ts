import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { CallerSlots } from '../../../../controller/cluster/crest/caller-slots.ts';
import { Random } from '../../../fuzz/random.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const answer = (entity: string): JsonObject => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const under = (path: string, more: JsonObject = {}): JsonObject => ({
  condition: `\${find(request.uri.path, '^${path}')}`,
  handler: answer(path),
  ...more,
});

const TENANTS = [
  { name: 'store', namespaces: ['shop', 'stock'], hosts: ['store.test'] },
  { name: 'bank', namespaces: ['bank'], hosts: ['bank.test'] },
];
const GROUPS = [
  { name: 'edge', serviceAccounts: [] },
  { name: 'inner', serviceAccounts: [], tenants: ['bank'] },
  { name: 'beside', serviceAccounts: [], sidecars: true },
];

const RIGHTS = {
  operator: ['* * *'],
  shopkeeper: ['* routes shop'],
  banker: ['* routes bank'],
  reader: ['get routes shop/orders'],
  nobody: [],
};

function cluster(): CompiledCluster {
  const labelled = { dataPlanes: { matchLabels: { tier: 'gold' } } };
  return new CompiledCluster()
    .base('trust', { tenants: TENANTS, groups: GROUPS })
    .route('shop/orders', under('/orders'))
    .route('shop/gold', under('/gold', labelled))
    .route('shop/wide', under('/', { name: 'z-wide' }))
    .route('stock/items', under('/items', { name: 'a-items' }))
    .route('bank/accounts', under('/accounts'))
    .route('bank/inner', under('/inner', { dataPlanes: { matchLabels: { 'gatewarden.io/group': 'inner' } } }));
}

const EXPLAIN = 'POST /api/routes?_action=explain';
const triedIn = (body: JsonObject): unknown =>
  (body['routers'] as { tried: { id: string }[] }[]).map(({ tried }) => tried.map(({ id }) => id));

describe('the action explain in a cluster', () => {
  it('names the Route that takes a request, with the conditions before it in their order', async () => {
    const { ask, failures } = await compiledFront(cluster(), RIGHTS);
    const { status, body } = await ask('operator', EXPLAIN, { uri: 'https://store.test/orders/1' });
    expect([status, body['route'], body['refusal']]).toEqual([200, 'shop.orders', null]);
    expect(triedIn(body)).toEqual([['stock.items', 'shop.orders']]);
    expect(body).toMatchObject({
      routers: [{ tried: [{ verdict: false }, { verdict: true, values: [{ value: '/orders/1' }] }], notTried: 1 }],
    });
    expect(failures).toEqual([]);
  });

  it('takes the host from the URI, or from the header of a request for a path', async () => {
    const { ask, failures } = await compiledFront(cluster(), RIGHTS);
    const routeOf = async (uri: string, Host?: string | string[]) => {
      const { body } = await ask('operator', EXPLAIN, { uri, ...(Host !== undefined && { headers: { Host } }) });
      return body['route'] ?? body['refusal'];
    };
    expect(await routeOf('/orders', 'store.test')).toBe('shop.orders');
    expect(await routeOf('/orders', 'STORE.test:8080')).toBe('shop.orders');
    expect(await routeOf('/accounts', 'bank.test')).toBe('bank.accounts');
    expect(await routeOf('/accounts')).toBe(null);
    for (const host of ['', 'a..b', 'a b', 'u@store.test', '[::1', ['store.test', 'bank.test'], 'store.test/x?']) {
      expect([host, await routeOf('/orders', host)]).toEqual([host, expect.stringMatching(/^no route is tried: /)]);
    }
    expect(failures).toEqual([]);
  });

  it('hides Routes of namespaces that the caller may not list, and says that another Route takes the request', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const other = await ask('shopkeeper', EXPLAIN, { uri: 'https://store.test/items/7' });
    expect(other.body).toMatchObject({ route: null, anotherRoute: true, routers: [{ route: null, notTried: 2 }] });
    expect(triedIn(other.body)).toEqual([[]]);
    expect(other.text).not.toMatch(/stock|items\b(?!\/7)/);
    const own = await ask('shopkeeper', EXPLAIN, { uri: 'https://store.test/else' });
    expect(own.body).toMatchObject({ route: 'shop.wide' });
    expect(own.body).not.toHaveProperty('anotherRoute');
    expect(triedIn(own.body)).toEqual([['shop.orders', 'shop.wide']]);
  });

  it('refuses callers who may list no Route that gets requests for the host, also if there is none', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const [there, missing] = [
      await ask('shopkeeper', EXPLAIN, { uri: 'https://bank.test/accounts' }),
      await ask('shopkeeper', EXPLAIN, { uri: 'https://nothing.test/accounts' }),
    ];
    expect([there.status, missing.status]).toEqual([403, 403]);
    expect(missing.text).toBe(there.text);
    expect((await ask('nobody', EXPLAIN, { uri: 'https://store.test/' })).status).toBe(403);
    expect((await ask('banker', EXPLAIN, { uri: 'https://bank.test/accounts' })).body).toMatchObject({
      route: 'bank.accounts',
    });
    expect((await ask('operator', EXPLAIN, { uri: 'https://nothing.test/' })).body).toMatchObject({ route: null });
  });

  it('says whether one Route takes the request, to callers who may read this Route', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const about = (id: string) => `POST /api/routes/${id}?_action=explain`;
    const uri = 'https://store.test/orders';
    expect((await ask('reader', about('shop.orders'), { uri })).body).toMatchObject({
      ...{ takes: true, route: 'shop.orders' },
      routers: [{ tried: [{ id: 'shop.orders' }], notTried: 0 }],
    });
    const not = await ask('reader', about('shop.orders'), { uri: 'https://store.test/items' });
    expect(not.body).toMatchObject({ takes: false, route: null, anotherRoute: true });
    expect((await ask('reader', about('shop.wide'), { uri })).status).toBe(403);
    expect((await ask('shopkeeper', about('shop.nothing'), { uri })).status).toBe(404);
    expect((await ask('shopkeeper', about('bank.accounts'), { uri })).status).toBe(403);
  });

  it('tries the Routes that a data plane of the group and with the labels gets', async () => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const on = async (uri: string, dataPlane?: object): Promise<unknown> => {
      const { status, body } = await ask('operator', EXPLAIN, { uri, ...(dataPlane && { dataPlane }) });
      return status === 200 ? body['route'] : body['message'];
    };
    expect(await on('https://store.test/gold')).toBe('shop.wide');
    expect(await on('https://store.test/gold', { labels: { tier: 'gold' } })).toBe('shop.gold');
    expect(await on('https://store.test/gold', { group: 'beside', namespace: 'shop', labels: { tier: 'gold' } })).toBe(
      'shop.gold',
    );
    expect(await on('https://store.test/gold', { group: 'beside', namespace: 'bank', labels: { tier: 'gold' } })).toBe(
      null,
    );
    expect(await on('https://bank.test/inner')).toBe(null);
    expect(await on('https://bank.test/inner', { group: 'inner' })).toBe('bank.inner');
    expect(await on('https://store.test/orders', { group: 'inner' })).toBe(null);
    expect(await on('https://store.test/', { group: 'beside' })).toBe(
      "'dataPlane/namespace' is missing: a sidecar serves the Routes of its own namespace",
    );
    expect(await on('https://store.test/', { group: 'none' })).toBe("there is no group 'none' of data planes");
  });

  it.each([
    ['a data plane that is no object', { uri: '/', dataPlane: 'edge' }, "'dataPlane' must be an object"],
    ['an unknown member', { uri: '/', dataPlane: { zone: 'a' } }, "'dataPlane' has no 'zone'"],
    ['a group that is no text', { uri: '/', dataPlane: { group: 7 } }, "'dataPlane/group' must be a text"],
    ['a namespace that is no text', { uri: '/', dataPlane: { namespace: [] } }, "'dataPlane/namespace' must be a text"],
    ['labels that are no texts', { uri: '/', dataPlane: { labels: { a: 1 } } }, "'dataPlane/labels' must be an object"],
    [
      'an unknown member of the request',
      { uri: '/', host: 'a' },
      'it has method, uri, headers, entity, dryRun, dataPlane',
    ],
    ['a dry run that is neither true nor false', { uri: '/', dryRun: 1 }, "'dryRun' must be true or false"],
  ])('rejects %s', async (_, body, message) => {
    const { ask } = await compiledFront(cluster(), RIGHTS);
    const { status, text } = await ask('operator', EXPLAIN, body);
    expect(status).toBe(400);
    expect(text).toContain(message);
  });

  it('shows the last Routes of many, and says how many are left out', async () => {
    const many = new CompiledCluster();
    for (let at = 0; at < 500; at++) many.route(`shop/r${String(at).padStart(3, '0')}`, under(`/${at}$`));
    const { ask } = await compiledFront(many, RIGHTS);
    const { body } = await ask('operator', EXPLAIN, { uri: '/300' });
    const [{ tried, leftOut, notTried }] = body['routers'] as unknown as [
      { tried: JsonObject[]; leftOut: number; notTried: number },
    ];
    expect([tried.length, tried[0]!['id'], leftOut, notTried]).toEqual([200, 'shop.r101', 101, 199]);
  });

  it('answers 503 while data planes have nothing to run', async () => {
    const { ask } = await compiledFront(new CompiledCluster().base('config', '{'), RIGHTS);
    expect((await ask('operator', EXPLAIN, { uri: '/' })).status).toBe(503);
  });
});

describe('any request', () => {
  it('is explained or rejected with 400', async () => {
    const { ask, failures } = await compiledFront(cluster(), RIGHTS);
    const pieces = [
      '/',
      '//',
      'a',
      '..',
      '%2e',
      '%2F',
      '%',
      '%zz',
      '?',
      '#',
      '@',
      ':',
      '[',
      ']',
      '\\',
      'é',
      '*',
      ';',
      ' ',
      '\0',
    ];
    const starts = [
      '/',
      'http://',
      'https://store.test',
      'HTTP://STORE.test:80/',
      'https://store.test:99999/',
      'ftp://a/',
      '*',
    ];
    const names = [
      'Host',
      'host',
      'Cookie',
      'Content-Length',
      'Transfer-Encoding',
      'X-A',
      'a b',
      '',
      'Forwarded',
      ':path',
    ];
    const values = [
      '',
      'store.test',
      'a;b="',
      '€',
      '\x80',
      '-1',
      'chunked',
      'sid=1; sid=2',
      7,
      null,
      ['a', 'b'],
      [],
      [1],
      {},
    ];
    const entities = [undefined, '', '{', { a: 1 }, null, [1], 'x'.repeat(1000), 7];
    const statuses = new Set<number>();
    for (let seed = 0; seed < 300; seed++) {
      const random = Random.of(seed, 'explain', seed);
      const uri = `${random.pick(starts)}${random.some(6, () => random.pick(pieces))}`;
      const headers = Object.fromEntries(
        Array.from({ length: random.below(3) }, () => [random.pick(names), random.pick(values)]),
      );
      const method = random.pick(['GET', 'POST', 'OPTIONS', 'CONNECT', 'get', 'A B', '']);
      const body = { uri, method, headers, entity: random.pick(entities) };
      const { status, text } = await ask('operator', EXPLAIN, body);
      expect({ seed, body, status, text: status === 200 || status === 400 ? '' : text }).toMatchObject({ text: '' });
      statuses.add(status);
    }
    expect(failures).toEqual([]);
    expect(statuses).toEqual(new Set([200, 400]));
  });
});

describe('slots of callers', () => {
  it('limit the work of each caller and of all, and are free again after a failure', async () => {
    const slots = new CallerSlots({ each: 2, all: 3 });
    const ends: PromiseWithResolvers<string>[] = [];
    const work = (caller: string): Promise<string> =>
      slots.run(caller, () => {
        ends.push(Promise.withResolvers());
        return ends.at(-1)!.promise;
      });
    const begun = [work('ann'), work('ann'), work('bob')];
    await expect(work('ann')).rejects.toMatchObject({ status: 503 });
    await expect(work('eve')).rejects.toMatchObject({ status: 503 });
    ends[0]!.reject(new Error('failed'));
    await expect(begun[0]).rejects.toThrow('failed');
    begun.push(work('ann'));
    for (const end of ends) end.resolve('done');
    expect(await Promise.all(begun.slice(1))).toEqual(['done', 'done', 'done']);
  });
});
