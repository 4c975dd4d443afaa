import { describe, expect, it, onTestFinished } from 'vitest';
import { startRecordingBackend } from '../../support/backends/recording-backend.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const answer = (entity: string): object => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });

async function managed(routes: Readonly<Record<string, object>>): Promise<ManagedGateway> {
  const files = Object.entries(routes).map(([name, route]) => [`config/routes/${name}.json`, route]);
  const gateway = await manageInstance({
    'config/config.json': {
      properties: { area: 'eu' },
      handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } },
    },
    ...Object.fromEntries(files),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

const EXPLAIN = 'POST /api/routes?_action=explain';

describe('the action explain', () => {
  it('tells which route takes a request, with the result and the values of each condition', async () => {
    const gateway = await managed({
      a: { condition: "${request.method == 'POST'}", handler: answer('a') },
      b: { condition: "${request.headers['X-Tenant'][0] == area}", handler: answer('b') },
      c: { handler: answer('c') },
    });
    const { status, body } = await gateway.send(EXPLAIN, { uri: '/x', headers: { 'X-Tenant': 'eu' } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        route: 'b',
        refusal: null,
        routers: [
          {
            router: 'gateway._router',
            tried: [
              {
                ...{ id: 'a', name: 'a', condition: "${request.method == 'POST'}", verdict: false },
                values: [{ expression: 'request.method', value: 'GET' }],
              },
              {
                ...{ id: 'b', name: 'b', condition: "${request.headers['X-Tenant'][0] == area}", verdict: true },
                values: [
                  { expression: "request.headers['X-Tenant'][0]", value: 'eu' },
                  { expression: 'area', value: 'eu' },
                ],
              },
            ],
            route: 'b',
            notTried: 1,
          },
        ],
      },
    });
    expect((await gateway.send(EXPLAIN, { uri: '/x' })).body).toMatchObject({ route: 'c' });
    const one = await gateway.send('POST /api/routes/a?_action=explain', { method: 'POST', uri: 'https://h.test/' });
    expect(one.body).toMatchObject({ takes: true, route: 'a' });
    const other = await gateway.send('POST /api/routes/a?_action=explain', { uri: '/' });
    expect(other.body).toMatchObject({ takes: false, route: 'c' });
  });

  it('shows no credentials', async () => {
    const condition =
      "${request.headers['Authorization'][0] == 'x' or request.cookies['sid'][0].value == 'y' or " +
      "request.headers['X-Link'][0] == 'z' or request.headers['X-Other'][0] == 'z' or request.headers == null or " +
      "request.entity.string == 'z' or request.entity.json['password'] == 'z' or env['HOME'] == 'q' or request.uri.query == 'w'}";
    const gateway = await managed({ a: { condition, handler: answer('a') } });
    const asked = {
      uri: '/?access_token=hunter2&page=7',
      headers: {
        Authorization: 'Bearer hunter2',
        Cookie: 'sid=hunter2',
        'X-Other': 'Basic hunter2',
        'X-Link': 'https://u:hunter2@h.test/?token=hunter2',
      },
      entity: { user: 'alice', password: 'hunter2' },
    };
    const { status, text } = await gateway.send(EXPLAIN, asked);
    expect(status).toBe(200);
    expect(text).not.toContain('hunter2');
    expect(text).toContain('page=7');
    expect(text).toContain('alice');
  });

  it('follows routers inside of routes, and says why a condition has no value', async () => {
    const inner = { type: 'Router', name: 'inner', config: { directory: 'nested', scanInterval: 'disabled' } };
    const gateway = await managed({
      a: { condition: "${request.headers['X'][0] + 1 > 0}", handler: answer('a') },
      outer: { handler: inner },
    });
    const path = '/api/system/objects/_router/routes/outer/objects/inner/routes/n';
    expect((await gateway.send(`PUT ${path}`, { condition: '${true}', handler: answer('n') })).status).toBe(201);
    const { body } = await gateway.send(EXPLAIN, { uri: '/x', headers: { X: 'word' } });
    expect(body).toMatchObject({
      route: 'n',
      routers: [
        {
          tried: [
            { id: 'a', verdict: null, reason: expect.any(String) },
            { id: 'outer', verdict: true },
          ],
        },
        { router: 'gateway._router.outer.inner', route: 'n' },
      ],
    });
    const there = await gateway.send(`POST ${path}?_action=explain`, { uri: '/x', headers: { X: 'word' } });
    expect(there.body).toMatchObject({ takes: true });
  });

  it('names the filter that answers a request itself', async () => {
    const registrations = [{ issuer: 'https://login.example.com', clientId: 'gateway' }];
    const config = { clientEndpoint: "${'/open'}id", registrations, failureHandler: answer('failed') };
    const client = { name: 'SignIn', type: 'OAuth2ClientFilter', config };
    const gateway = await managed({
      a: { handler: { type: 'Chain', config: { filters: [client], handler: answer('a') } } },
    });
    const answers = { type: 'OAuth2ClientFilter', name: 'SignIn', field: 'clientEndpoint' };
    for (const uri of ['/openid/callback?code=x', '/openid/logout', '/openid/other']) {
      const { body } = await gateway.send(EXPLAIN, { uri });
      expect(body).toMatchObject({ route: 'a', routers: [{ tried: [{ id: 'a', answers }] }] });
    }
    for (const uri of ['/', '/openid', '/openidx/callback']) {
      const { text } = await gateway.send(EXPLAIN, { uri });
      expect(text).not.toContain('answers');
    }
  });

  it('follows a path that a filter claims, whatever the conditions say', async () => {
    const resolver = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint: 'https://login.example.com/introspect' },
    };
    const metadata = {
      resource: 'https://api.example.com/orders',
      authorizationServers: ['https://login.example.com'],
    };
    const config = { scopes: ['x'], accessTokenResolver: resolver, resourceMetadata: metadata };
    const server = { type: 'OAuth2ResourceServerFilter', config };
    const gateway = await managed({
      a: { handler: answer('a') },
      b: {
        condition: "${find(request.uri.path, '^/orders')}",
        handler: { type: 'Chain', config: { filters: [server], handler: answer('b') } },
      },
    });
    const uri = 'https://api.example.com/.well-known/oauth-protected-resource/orders';
    expect((await gateway.send(EXPLAIN, { uri })).body).toMatchObject({
      route: 'b',
      routers: [{ tried: [{ id: 'b', claims: true, answers: { field: 'resourceMetadata' } }], notTried: 1 }],
    });
    const other = uri.replace('api', 'other');
    expect((await gateway.send(EXPLAIN, { uri: other })).body).toMatchObject({ route: 'a' });
  });

  it('sends nothing to a backend', async () => {
    const backend = await startRecordingBackend();
    onTestFinished(() => backend.close());
    const gateway = await managed({
      a: { baseURI: `http://127.0.0.1:${backend.destination.port}`, handler: 'ReverseProxyHandler' },
    });
    expect((await gateway.send(EXPLAIN, { uri: '/x' })).body).toMatchObject({ route: 'a' });
    expect(backend.requests).toEqual([]);
  });

  it.each([
    ['no object', '[]'],
    ['no uri', {}],
    ['a URI that is none', { uri: 'shop' }],
    ['a URI with a line end', { uri: '/a\r\nb' }],
    ['a method that is none', { uri: '/', method: 'GE T' }],
    ['a header with a line end', { uri: '/', headers: { a: 'b\r\nc: d' } }],
    ['a header that is no text', { uri: '/', headers: { a: 1 } }],
    ['an unknown member', { uri: '/', path: '/' }],
  ])('refuses %s', async (_, body) => {
    const gateway = await managed({});
    expect((await gateway.send(EXPLAIN, body)).status).toBe(400);
  });

  it('tells why no route is asked', async () => {
    const gateway = await managed({ a: { handler: answer('a') } });
    expect((await gateway.send(EXPLAIN, { uri: '/openig/api' })).body).toMatchObject({
      route: null,
      refusal: expect.stringContaining('administrative path'),
    });
  });
});
