import { connect as connectHttp2 } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { accessService } from '../../../support/audit/access-service.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { type ConfiguredGateway, startConfigured } from '../../../support/gateways/configured-gateway.ts';

const SECRET = 's3cr3t-4711';

async function start(config: JsonObject = {}): Promise<ConfiguredGateway> {
  const handler = { type: 'StaticResponseHandler', config: { status: 200, headers: { 'Set-Cookie': [SECRET] } } };
  const gateway = await startConfigured({ auditService: accessService(config), handler });
  onTestFinished(() => gateway.close());
  return gateway;
}

interface Sent {
  readonly target?: string;
  readonly lines?: readonly string[];
  readonly method?: string;
}

/** Sends a request as it is. @returns its event, and the event as it was written */
async function recorded(gateway: ConfiguredGateway, { target = '/a', lines = [], method = 'GET' }: Sent) {
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  const host = lines.some((line) => /^host:/i.test(line)) ? [] : ['Host: gw.test'];
  client.send([`${method} ${target} HTTP/1.1`, ...host, ...lines, '', ''].join('\r\n'));
  const event = await gateway.audited.event(0);
  return { event, json: gateway.audited.json[0]!.json };
}

const header = (...lines: string[]): Sent => ({ lines });
const target = (text: string): Sent => ({ target: text });

const PLACES: readonly (readonly [string, Sent])[] = [
  ['a bearer token', header(`Authorization: Bearer ${SECRET}`)],
  ['a header of any case', header(`aUTHORIZATION:bEARER ${SECRET}`)],
  ['a header without a scheme', header(`Authorization: ${SECRET}`)],
  ['Basic credentials', header(`Authorization: Basic ${SECRET}`)],
  ['a repeated header', header(`Authorization: Bearer ${SECRET}`, `authorization: DPoP ${SECRET}`)],
  ['an empty header before it', header('Authorization:', `Authorization: Bearer ${SECRET}`)],
  ['a proxy', header(`Proxy-Authorization: Basic ${SECRET}`)],
  ['a DPoP proof', header(`DPoP: ${SECRET}`)],
  ['a cookie', header(`Cookie: a=1; session=${SECRET}`)],
  ['several lines of cookies', header('Cookie: a=1', `cookie: session=${SECRET}`)],
  ['a cookie without a name', header(`Cookie: ${SECRET}`)],
  ['an API key', header(`X-Api-Key: ${SECRET}`)],
  ['another API key', header(`apikey: ${SECRET}`)],
  ['a token header', header(`X-Auth-Token: ${SECRET}`)],
  ['a header of a gateway', header(`X-Forwarded-Access-Token: ${SECRET}`)],
  ['a forwarded client certificate', header(`X-Forwarded-Client-Cert: ${SECRET}`)],
  ['a CSRF token', header(`X-CSRF-Token: ${SECRET}`)],
  ['a referring page', header(`Referer: https://a.test/cb?code=${SECRET}#id_token=${SECRET}`)],
  ['a WebSocket subprotocol', header(`Sec-WebSocket-Protocol: chat, bearer.${SECRET}`)],
  ['a header that nobody knows', header(`X-${SECRET}: ${SECRET}`)],
  ...['access_token', 'code', 'id_token_hint', 'client_secret', 'state', 'SAMLResponse', 'ticket'].map(
    (name): readonly [string, Sent] => [`the parameter ${name}`, target(`/a?x=1&${name}=${SECRET}`)],
  ),
  ['an encoded name of a parameter', target(`/a?access%5Ftoken=${SECRET}`)],
  ['a parameter without a name', target(`/a?${SECRET}`)],
  ['a fragment', target(`/a#access_token=${SECRET}`)],
  ['a fragment behind a query', target(`/a?x=1#access_token=${SECRET}`)],
  ['a path parameter', target(`/a;jsessionid=${SECRET}/b`)],
  ['a path parameter of any case', target(`/a;JSessionID=${SECRET};v=1`)],
  ['an encoded path parameter', target(`/a;%6asessionid=${SECRET}`)],
  ['a matrix parameter of a token', target(`/a;access_token=${SECRET}`)],
  ['the user of an absolute target', target(`http://ada:${SECRET}@gw.test/a`)],
  ['the user of an absolute target with a query', target(`http://${SECRET}@gw.test/a?access_token=${SECRET}`)],
  ['the user of a Host header', header(`Host: ada:${SECRET}@gw.test`)],
  ['the target of a tunnel', { method: 'CONNECT', target: `ada:${SECRET}@gw.test:443` }],
  ['a query in a malformed request line', target(`/a b?access_token=${SECRET}`)],
  ['a malformed query', target(`/a?access_token=${SECRET}"<>`)],
  ['a request with an ambiguous path', target(`/a/%2e%2e/b?access_token=${SECRET}`)],
  ['a target too long', target(`/a?access_token=${SECRET}${'x'.repeat(70_000)}`)],
  ['a malformed header line', header(`Authorization : Bearer ${SECRET}`)],
  ['a folded header line', header('X-A: 1', ` Bearer ${SECRET}`)],
];

describe('an access event has no credential of its client by default', () => {
  it.each(PLACES)('in %s', async (_, sent) => {
    const { json } = await recorded(await start(), sent);
    expect(json).not.toContain(SECRET);
  });

  it('in pseudo-headers of HTTP/2', async () => {
    const gateway = await start();
    const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    const fields = { ':authority': `ada:${SECRET}@gw.test`, ':path': `/a?access_token=${SECRET}` };
    session.request({ ...fields, authorization: `Bearer ${SECRET}` }).on('error', () => {});
    await gateway.audited.event(0);
    expect(gateway.audited.json[0]!.json).not.toContain(SECRET);
  });
});

describe('an access event has what policies include, and no other credential', () => {
  const everything = {
    lines: [
      'Authorization: Bearer header-1',
      'Cookie: sid=cookie-1; theme=dark',
      'X-Api-Key: key-1',
      'X-Tenant: north',
      'Referer: https://a.test/?code=code-2',
    ],
    target: '/a;jsessionid=path-1?code=code-1&page=2&access_token=token-1',
  };

  it.each<[string, readonly string[], JsonObject]>([
    ['nothing', [], { headers: {}, cookies: {}, queryParameters: {} }],
    ['one header', ['headers/x-tenant'], { headers: { 'x-tenant': ['north'] }, cookies: {}, queryParameters: {} }],
    [
      'a header with a credential, by its name in any case',
      ['headers/AUTHORIZATION'],
      { headers: { authorization: ['Bearer header-1'] }, cookies: {}, queryParameters: {} },
    ],
    ['all headers', ['headers'], { headers: { 'x-tenant': ['north'] }, cookies: {}, queryParameters: {} }],
    [
      'all headers, and one with a credential',
      ['headers', 'headers/x-api-key'],
      { headers: { 'x-api-key': ['key-1'], 'x-tenant': ['north'] }, cookies: {}, queryParameters: {} },
    ],
    ['one cookie', ['cookies/theme'], { headers: {}, cookies: { theme: 'dark' }, queryParameters: {} }],
    ['a cookie with a credential', ['cookies/sid'], { headers: {}, cookies: { sid: 'cookie-1' }, queryParameters: {} }],
    ['all cookies', ['cookies'], { headers: {}, cookies: { theme: 'dark' }, queryParameters: {} }],
    ['one parameter', ['queryParameters/page'], { headers: {}, cookies: {}, queryParameters: { page: ['2'] } }],
    ['a credential', ['queryParameters/code'], { headers: {}, cookies: {}, queryParameters: { code: ['code-1'] } }],
    ['all parameters', ['queryParameters'], { headers: {}, cookies: {}, queryParameters: { page: ['2'] } }],
    [
      'everything',
      ['headers', 'cookies', 'queryParameters'],
      { headers: { 'x-tenant': ['north'] }, cookies: { theme: 'dark' }, queryParameters: { page: ['2'] } },
    ],
  ])('%s', async (_, names, expected) => {
    const includeIf = names.map((name) => `/access/http/request/${name}`);
    const gateway = await start({ filterPolicies: { field: { includeIf } } });
    const { event } = await recorded(gateway, everything);
    const { headers, cookies, queryParameters, path } = (event['http'] as { request: JsonObject }).request;
    const { host, ...others } = headers as JsonObject;
    expect(host).toEqual(['gw.test']);
    expect({ headers: others, cookies, queryParameters }).toEqual(expected);
    expect(path).toBe('http://gw.test:80/a;jsessionid=');
    expect(JSON.stringify(event)).not.toContain(SECRET);
  });

  it('of a response, whose cookies are included one by one', async () => {
    const includeIf = ['/access/http/response/headers'];
    const { json } = await recorded(await start({ filterPolicies: { field: { includeIf } } }), {});
    expect(json).not.toContain(SECRET);
    const named = ['/access/http/response/headers/set-cookie'];
    const { event } = await recorded(await start({ filterPolicies: { value: { includeIf: named } } }), {});
    expect(event).toMatchObject({ http: { response: { headers: { 'set-cookie': [SECRET] } } } });
  });
});
