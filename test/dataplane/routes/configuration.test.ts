import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { type ConfiguredGateway, checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
afterEach(() => gateway?.close());

const says = (text: string, condition?: string): JsonObject => ({
  ...(condition === undefined ? {} : { condition }),
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: text } },
});

const router: JsonObject = { heap: [{ name: '_router', type: 'Router' }] };

async function get(path: string): Promise<string> {
  const response = await fetch(`${gateway.url}${path}`);
  return `${response.status} ${await response.text()}`;
}

function set(id: string, document: JsonObject): { router: string; id: string; name: string; document: JsonObject } {
  return { router: 'gateway._router', id, name: id, document };
}

let slot = 100;
function apply(change: {
  set?: ReturnType<typeof set>[];
  remove?: string[];
  base?: JsonObject;
  provisional?: string[];
}) {
  return gateway.configuration.apply({
    revision: String(slot),
    base: change.base === undefined ? null : { document: change.base, hash: String(slot) },
    set: (change.set ?? []).map((entry) => ({ ...entry, hash: String(slot), slot: slot++ })),
    remove: (change.remove ?? []).map((id) => ({ router: 'gateway._router', id })),
    defaultSlots: {},
    provisional: (change.provisional ?? []).map((id) => routeKeyText({ router: 'gateway._router', id })),
  });
}

describe('a configuration', () => {
  it('dispatches to the first route, by name, whose condition is true', async () => {
    gateway = await startConfigured(router, {
      routes: {
        'b-orders': says('orders', "${find(request.uri.path, '^/orders')}"),
        'a-special': says('special', "${request.uri.path == '/orders/1'}"),
        'c-named': { ...says('named', "${find(request.uri.path, '^/named')}"), name: '0' },
        'd-late': says('late', "${find(request.uri.path, '^/named')}"),
      },
    });
    expect(await get('/orders')).toBe('200 orders');
    expect(await get('/orders/1')).toBe('200 special');
    expect(await get('/named')).toBe('200 named');
    expect(await get('/nothing')).toMatch(/^404/);
  });

  it('treats a missing value and an evaluation error as no match', async () => {
    gateway = await startConfigured(router, {
      routes: {
        a: says('null', '${request.nope}'),
        b: says('text', "${request.headers['x-text'][0]}"),
        c: says('error', '${request.uri.path > 5}'),
        d: says('here'),
      },
    });
    expect(await get('/')).toBe('200 here');
  });

  it('changes routes without affecting other routes', async () => {
    gateway = await startConfigured(router, {
      routes: { a: says('a1', "${request.uri.path == '/a'}"), b: says('b1') },
    });
    expect(apply({ set: [set('a', says('a2', "${request.uri.path == '/a'}"))] })).toEqual([]);
    expect([await get('/a'), await get('/b')]).toEqual(['200 a2', '200 b1']);
    expect(apply({ remove: ['b'], set: [set('c', says('c1', "${request.uri.path == '/c'}"))] })).toEqual([]);
    expect([await get('/a'), await get('/b'), await get('/c')]).toEqual([
      '200 a2',
      expect.stringMatching(/^404/),
      '200 c1',
    ]);
  });

  it('keeps the last good version of a route that became invalid, and reports it', async () => {
    gateway = await startConfigured(router, { routes: { a: says('good') } });
    const problems = apply({ set: [set('a', { handler: { type: 'Nonsense' } })] });
    expect(problems).toMatchObject([
      { keepsServing: true, problems: [{ code: 'unknown-type', path: ['handler', 'type'] }] },
    ]);
    expect(await get('/')).toBe('200 good');
  });

  it('rejects the requests of a route that was never valid', async () => {
    gateway = await startConfigured(router, { routes: { z: says('wider') } });
    const problems = apply({
      set: [
        set('a', { condition: "${find(request.uri.path, '^/a')}", handler: { type: 'Nonsense' } }),
        set('b', { condition: '${find(', handler: 'nobody' }),
      ],
    });
    expect(problems).toMatchObject([{ keepsServing: false }, { keepsServing: false }]);
    expect(await get('/a')).toMatch(/^500 .*route-unsound/s);
    expect(await get('/b')).toBe('200 wider');
  });

  it('does not serve a provisional route that cannot be built, and reports it', async () => {
    gateway = await startConfigured(router, { routes: { b: says('old'), z: says('wider') } });
    const unsound = { condition: "${find(request.uri.path, '^/a')}", handler: { type: 'Nonsense' } };
    const problems = apply({ set: [set('a', unsound), set('b', unsound)], provisional: ['a', 'b'] });
    expect(problems).toMatchObject([{ keepsServing: false }, { keepsServing: true }]);
    expect(await get('/a')).toBe('200 old');
    apply({ remove: ['b'] });
    expect(await get('/a')).toBe('200 wider');
    apply({ set: [set('a', unsound)] });
    expect(await get('/a')).toMatch(/^500 .*route-unsound/s);
  });

  it('replaces everything when config.json changes, and keeps it when the new one is invalid', async () => {
    gateway = await startConfigured(router, { routes: { a: { heap: [], handler: 'shared' } } }).catch(
      (error: Error) => {
        expect(error.message).toContain("there is no object 'shared'");
        return startConfigured(
          {
            heap: [
              { name: 'shared', type: 'StaticResponseHandler', config: { status: 200, entity: 'one' } },
              ...(router['heap'] as JsonObject[]),
            ],
          },
          { routes: { a: { handler: 'shared' } } },
        );
      },
    );
    expect(await get('/')).toBe('200 one');
    expect(apply({ base: { heap: [{ name: '_router', type: 'Router', config: { directory: 5 } }] } })).toMatchObject([
      { route: null, keepsServing: true, problems: [{ path: ['heap', 0, 'config', 'directory'] }] },
    ]);
    expect(await get('/')).toBe('200 one');
    const second = { name: 'shared', type: 'StaticResponseHandler', config: { status: 200, entity: 'two' } };
    expect(apply({ base: { heap: [second, ...(router['heap'] as JsonObject[])] } })).toEqual([]);
    expect(await get('/')).toBe('200 two');
  });

  it('allows routers inside of routes', async () => {
    gateway = await startConfigured(router, {
      routes: {
        outer: {
          condition: "${find(request.uri.path, '^/o')}",
          heap: [{ name: 'inner', type: 'Router' }],
          handler: 'inner',
        },
      },
    });
    expect(await get('/o')).toMatch(/^404/);
    const inner = { ...set('x', says('inside')), router: 'gateway._router.outer.inner' };
    expect(apply({ set: [inner] })).toEqual([]);
    expect(await get('/o')).toBe('200 inside');
  });
});

describe('a check', () => {
  it('finds all problems at once, each with its path', () => {
    const problems = checkConfigured({
      condition: "${find(request.uri.path, '(')}",
      heap: [
        { name: 'twice', type: 'Chain', config: { handler: 'other' } },
        { name: 'twice', type: 'Chain', config: { handler: 'other' } },
        { name: 'other', type: 'Chain', config: { filters: ['twice'], handler: 'twice' } },
      ],
      handler: {
        type: 'Chain',
        config: {
          filters: [{ type: 'HeaderFilter', config: { messageType: 'BOTH', ad: {} } }, 'missing'],
          handler: 'othr',
        },
      },
      session: {},
    });
    expect(problems.map(({ code, path }) => `${code} ${path.join('.')}`).sort()).toEqual(
      [
        'pattern condition',
        'duplicate-name heap.1.name',
        'kind heap.2.config.filters.0',
        'cycle heap.0',
        'value handler.config.filters.0.config.messageType',
        'unknown-field handler.config.filters.0.config.ad',
        'reference handler.config.filters.1',
        'reference handler.config.handler',
        'missing session.type',
      ].sort(),
    );
    expect(problems.find(({ code }) => code === 'unknown-field')?.hint).toBe("did you mean 'add'?");
    expect(problems.find(({ path }) => path.at(-1) === 'handler')?.hint).toBe("did you mean 'other'?");
  });

  it('does not report a reference as missing that may be the object without a name', () => {
    const document = { heap: [{ type: 'StaticResponseHandler', config: { status: 200 } }], handler: 'mine' };
    expect(checkConfigured(document).map(({ code, path }) => `${code} ${path.join('.')}`)).toEqual([
      'missing heap.0.name',
    ]);
  });
});

describe('a condition that reads the body', () => {
  it('waits for the body, and for a form only if the body is one', async () => {
    gateway = await startConfigured(router, {
      routes: {
        a: says('form', "${request.form['who'][0] == 'me'}"),
        b: says('json', "${request.entity.json.who == 'me'}"),
        c: says('other'),
      },
    });
    const post = async (type: string, body: string): Promise<string> =>
      (await fetch(gateway.url, { method: 'POST', headers: { 'content-type': type }, body })).text();
    expect(await post('application/x-www-form-urlencoded', 'who=me')).toBe('form');
    expect(await post('application/json', '{"who": "me"}')).toBe('json');
    expect(await post('application/json', '{"who": "you"}')).toBe('other');
    expect(await (await fetch(`${gateway.url}/?who=me`)).text()).toBe('form');
  });
});

describe('a body that an expression reads', () => {
  it('may be as long as the limit', async () => {
    const limits = { entityBytes: 1000 };
    gateway = await startConfigured(router, { limits, routes: { a: says('${length(request.entity.string)}') } });
    const post = async (length: number): Promise<number> =>
      (await fetch(gateway.url, { method: 'POST', body: 'x'.repeat(length) })).status;
    expect([await post(1000), await post(1001)]).toEqual([200, 413]);
  });
});
