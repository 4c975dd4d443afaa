import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { problemsOf, type SeenRequest, startFiltered } from '../../support/gateways/filtered-gateway.ts';

/** Without what the gateway itself says to every backend. */
function told({ headers }: SeenRequest): string[] {
  const own = /^(?:via|x-forwarded-\w+|connection)$/;
  return headers
    .filter(([name]) => !own.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .sort();
}

const replacing = (config: JsonObject) => [{ type: 'StaticRequestFilter', config }];
const forward = { type: 'ReverseProxyHandler' };

describe('StaticRequestFilter', () => {
  it.each([
    {
      config: {
        method: 'POST',
        uri: 'http://app.test/new?p=1',
        form: { a: ['1 2', 'é'], b: ['${request.method}', '${nosuch}'] },
        headers: { 'X-In': ['1', '${nosuch}'] },
      },
      asked: {},
      seen: { method: 'POST', url: '/new?p=1', body: 'a=1+2&a=%C3%A9&b=GET' },
      headers: ['content-length: 20', 'content-type: application/x-www-form-urlencoded', 'host: HOST', 'x-in: 1'],
    },
    {
      config: { method: 'GET', uri: 'http://app.test/new?p=1', form: { a: ['1 2'] } },
      asked: { method: 'POST', body: 'body', headers: ['Content-Type: text/plain', 'Cookie: a=b'] },
      seen: { method: 'GET', url: '/new?p=1&a=1%202', body: '' },
      headers: ['host: HOST'],
    },
    {
      config: { method: 'POST', uri: 'http://app.test/new', entity: 'E ${request.method}' },
      asked: {},
      seen: { method: 'POST', url: '/new', body: 'E GET' },
      headers: ['content-length: 5', 'host: HOST'],
    },
    {
      config: {
        method: 'PUT',
        uri: "http://app.test${request.uri.path}/${request.headers['X-Id'][0]}?",
        form: { 'a&b': ['c=d'] },
        entity: ['${request.entity.string}', '${nosuch}', 'last é'],
        headers: { Host: ['given.example'], 'Content-Type': ['text/plain'] },
      },
      asked: { method: 'POST', body: 'first', headers: ['X-Id: 7'] },
      seen: { method: 'PUT', url: '/t/7?a%26b=c%3Dd', body: 'first\n\nlast é' },
      headers: ['content-length: 14', 'content-type: text/plain', 'host: given.example'],
    },
    {
      config: { method: 'POST', uri: 'http://app.test', form: { a: ['${nosuch}'] } },
      asked: { body: 'old', method: 'PUT' },
      seen: { method: 'POST', url: '/', body: '' },
      headers: ['content-length: 0', 'content-type: application/x-www-form-urlencoded', 'host: HOST'],
    },
    {
      config: { method: 'HEAD', uri: 'http://app.test/new?entity=body' },
      asked: {},
      seen: { method: 'HEAD', url: '/new?entity=body', body: '' },
      headers: ['host: HOST'],
    },
  ])('builds the request of $config', async ({ config, asked, seen: expected, headers }) => {
    const { ask, seen, backend } = await startFiltered(replacing(config), forward);
    const answer = await ask('/t', asked);
    expect(answer.status).toBe(200);
    const [request] = seen;
    expect({ method: request!.method, url: request!.url, body: request!.body }).toEqual(expected);
    expect(told(request!)).toEqual(headers.map((line) => line.replace('HOST', new URL(backend.url).host)));
  });

  it('answers a HEAD of the client without content, even if another method was sent', async () => {
    const config = { method: 'GET', uri: 'http://app.test/?entity=body' };
    const { ask } = await startFiltered(replacing(config), forward);
    const answer = await ask('/t', { method: 'HEAD' }).catch((error: unknown) => String(error));
    expect(answer).toMatchObject({ status: 200, body: '' });
  });

  it('keeps the client context', async () => {
    const { ask, seen } = await startFiltered(
      [
        ...replacing({ method: 'GET', uri: 'http://app.test/new' }),
        {
          type: 'HeaderFilter',
          config: {
            messageType: 'REQUEST',
            add: {
              'X-Who': ['${contexts.client.remoteAddress} ${contexts.client.userAgent} ${contexts.router.originalUri}'],
            },
          },
        },
      ],
      forward,
      { trustedProxies: ['127.0.0.1'] },
    );
    await ask('/t?q', { headers: ['User-Agent: me', 'X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https'] });
    const values = new Map(seen[0]!.headers);
    expect(values.get('x-who')).toBe('192.0.2.7 me https://gw.test/t?q');
    expect(values.get('x-forwarded-for')).toBe('192.0.2.7, 127.0.0.1');
    expect(values.get('user-agent')).toBeUndefined();
  });

  it.each(['${nosuch}', "${request.headers['X-Id'][0]}", "http://${request.headers['X-Id'][0]}/x"])(
    'answers 500 when the URI %s cannot be read',
    async (uri) => {
      const { ask, seen } = await startFiltered(replacing({ method: 'GET', uri }), forward);
      const answer = await ask('/t', { headers: ['X-Id: a b'] });
      expect([answer.status, answer.body]).toEqual([500, '']);
      expect(seen).toEqual([]);
    },
  );

  const uri = 'http://app.example/';
  it.each([
    [{}, ['missing method: is required', 'missing uri: is required']],
    [{ method: 'get', uri }, ["value method: must be a method in upper case other than CONNECT and TRACE, not 'get'"]],
    [
      { method: 'CONNECT', uri },
      ["value method: must be a method in upper case other than CONNECT and TRACE, not 'CONNECT'"],
    ],
    [{ method: 'GET', uri: '/x' }, ["value uri: is not an absolute http or https URI: '/x'"]],
    [{ method: 'GET', uri, form: { a: '1' } }, ['value form.a: must be an array, not a string']],
    [{ method: 'GET', uri, headers: { 'a b': [] } }, ['value headers["a b"]: \'a b\' is not the name of a header']],
    [
      { method: 'POST', uri, form: { a: ['1'] }, entity: 'x' },
      ["exclusive entity: 'form' and 'entity' cannot be given together for a POST: both are its content"],
    ],
    [{ method: 'GET', uri, version: 'HTTP/1.0' }, [expect.stringMatching(/^no-effect version: has no effect: /)]],
  ])('validates the configuration %j', (config, problems) => {
    expect(problemsOf('StaticRequestFilter', config)).toEqual(problems);
  });
});
