import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { type ConfiguredGateway, checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(document: JsonObject): Promise<ConfiguredGateway> {
  const gateway = await startConfigured(document);
  closing.push(() => gateway.close());
  return gateway;
}

const showUri = { type: 'StaticResponseHandler', config: { status: 200, entity: 'at ${request.uri}' } };

/** What a handler sees as the URI of `GET /t/p?x=1` when it is decorated with this base. */
async function rebased(base: JsonValue, more = ''): Promise<{ status: number; body: string }> {
  const gateway = await start({ handler: showUri, baseURI: base });
  const { status, body } = await ask(gateway.port, `GET /t/p?x=1 HTTP/1.1\r\nHost: gw.test\r\n${more}`);
  return { status, body };
}

describe('a base URI', () => {
  it.each([
    ['scheme, host and port', 'https://app.test:8443', 'https://app.test:8443/t/p?x=1'],
    ['the default port', 'http://app.test', 'http://app.test/t/p?x=1'],
    ['path and query are not used', 'http://app.test/base?y=2#z', 'http://app.test/t/p?x=1'],
    ['an IPv6 address', 'http://[::1]:81', 'http://[::1]:81/t/p?x=1'],
    ['an expression', '${request.uri.scheme}://app.test', 'http://app.test/t/p?x=1'],
    ['an expression about the request', "http://${request.headers['X-To'][0]}", 'http://there.test:99/t/p?x=1'],
    ['no scheme: the request keeps its own', 'app.test/base', 'http://gw.test/t/p?x=1'],
    ['no scheme but a port', 'app.test:8080', 'http://gw.test/t/p?x=1'],
    ['no host', "${'/only/a/path'}", 'http://gw.test/t/p?x=1'],
  ])('sets the URI: %s', async (_, base, seen) => {
    expect(await rebased(base, 'X-To: there.test:99\r\n')).toEqual({ status: 200, body: `at ${seen}` });
  });

  it.each([
    ['null', "${request.headers['X-None'][0]}"],
    ['no URI', "${'http://a b'}"],
    ['an impossible host', "http://${request.headers['X-To'][0]}"],
    ['another type than a text', "${request.headers['X-To'][0].length()}"],
  ])('that is %s makes the answer an empty 500', async (_, base) => {
    expect(await rebased(base, 'X-To: [bad\r\n')).toEqual({ status: 500, body: '' });
  });

  it('follows the request from one to the next', async () => {
    const gateway = await start({ handler: showUri, baseURI: "http://${request.headers['X-To'][0]}" });
    const seen = async (to: string): Promise<string> =>
      (await ask(gateway.port, `GET / HTTP/1.1\r\nHost: gw.test\r\nX-To: ${to}\r\n`)).body;
    expect(await seen('one')).toBe('at http://one/');
    expect(await seen('one')).toBe('at http://one/');
    expect(await seen('two')).toBe('at http://two/');
  });

  it('can be read from the body of the request', async () => {
    const gateway = await start({ handler: showUri, baseURI: 'http://${request.entity.json.host}' });
    const body = JSON.stringify({ host: 'inside.test' });
    const head = `POST / HTTP/1.1\r\nHost: gw.test\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    expect((await ask(gateway.port, head, body)).body).toBe('at http://inside.test/');
  });

  it('of a filter applies before the filter', async () => {
    const filter = {
      type: 'HeaderFilter',
      baseURI: 'http://filtered.test',
      config: { messageType: 'RESPONSE', add: { 'X-Seen': ['${request.uri.host}'] } },
    };
    const gateway = await start({ handler: { type: 'Chain', config: { filters: [filter], handler: showUri } } });
    const answer = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n');
    expect(answer.headers.get('x-seen')).toBe('filtered.test');
    expect(answer.body).toBe('at http://filtered.test/');
  });

  it('sends the request to a backend, with the Host header of the client', async () => {
    const backend = await EchoBackend.start();
    closing.push(() => backend.close());
    const gateway = await start({ handler: { type: 'ReverseProxyHandler', baseURI: `${backend.url}/ignored` } });
    const answer = await ask(gateway.port, 'GET /t/p?x=1 HTTP/1.1\r\nHost: gw.test\r\n');
    expect(answer.body).toBe('answer to /t/p?x=1');
    expect(backend.requests.map((request) => request.headers.host)).toEqual(['gw.test']);
  });
});

describe('a document with a base URI', () => {
  it.each([
    [5, 'value', 'must be a string, not a number'],
    [null, 'value', 'must be a string, not null'],
    ['http://a b', 'value', "is not a URI such as 'http://app.example.com:8080'"],
    ['::bad', 'value', "is not a URI such as 'http://app.example.com:8080'"],
    ['http://app.test:80x', 'value', "is not a URI such as 'http://app.example.com:8080'"],
    ['http://app.test:80808/a:70000', 'value', 'must have a port of at most 65535, not 80808'],
    [
      'http://user:secret@app.test:8080/a',
      'value',
      'must have no user and password: an HttpBasicAuthFilter signs in to an application that asks for them',
    ],
    ['${request.', 'expression', expect.anything()],
  ])('%j is refused', (base, code, message) => {
    expect(checkConfigured({ handler: showUri, baseURI: base })).toMatchObject([
      { code, severity: 'error', path: ['baseURI'], message },
    ]);
  });

  it('without a host is warned about', () => {
    expect(checkConfigured({ handler: { ...showUri, baseURI: '/app' } })).toMatchObject([
      { code: 'no-effect', severity: 'warning', path: ['handler', 'baseURI'] },
    ]);
  });

  it('with a configuration is rejected', () => {
    const decorator = { name: 'elsewhere', type: 'BaseUriDecorator', config: { base: 'http://x' } };
    expect(checkConfigured({ handler: showUri, heap: [decorator] })).toMatchObject([
      { code: 'unknown-field', path: ['heap', 0, 'config', 'base'] },
    ]);
  });
});
