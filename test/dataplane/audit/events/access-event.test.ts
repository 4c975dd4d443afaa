import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type ConfiguredGateway, startConfigured } from '../../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
afterEach(() => gateway?.close());

const SECRET = 's3cr3t-4711';

const service = (config: JsonObject = {}, topics: readonly string[] = ['access']): JsonObject => ({
  type: 'AuditService',
  config: {
    config,
    eventHandlers: [
      {
        class: 'org.vendor.audit.handlers.syslog.SyslogAuditEventHandler',
        config: { name: 'syslog', topics, protocol: 'UDP', host: '127.0.0.1', port: 514, facility: 'LOCAL0' },
      },
    ],
  },
});

const answers = (more: JsonObject = {}): JsonObject => ({
  handler: {
    type: 'StaticResponseHandler',
    config: { status: 200, headers: { 'Content-Type': ['text/plain'], 'Set-Cookie': [`t=${SECRET}`] }, entity: 'x' },
  },
  ...more,
});

const router: JsonObject = { heap: [{ name: '_router', type: 'Router' }] };

/** Sends a request with header lines as they are. */
function send(path: string, lines: readonly string[] = []): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]);
    const sent = request({ port: gateway.port, host: '127.0.0.1', path, headers: ['Host', 'gw.test', ...headers] });
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Sends bytes on a connection of their own, and waits for its end. */
function sendRaw(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('close', () => resolve());
    socket.resume();
  });
}

function at(event: JsonObject, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = event;
  for (const step of path.split('.')) here = (here as JsonObject | undefined)?.[step];
  return here;
}

describe('an access event', () => {
  it('has the members of OpenIG in their order, then the route and the decision', async () => {
    gateway = await startConfigured(router, {
      routes: { shop: answers({ auditService: service(), name: 'The shop' }) },
    });
    await send('/t/a%20b;p=1?x=1', ['User-Agent: test', 'X-Other: no']);
    const event = await gateway.audited.event(0);
    expect(Object.keys(event)).toEqual([
      ...['eventName', 'timestamp', 'transactionId', 'server', 'client', 'http', 'response', 'ig', 'decision', '_id'],
    ]);
    expect(at(event, 'eventName')).toBe('GW-HTTP-ACCESS');
    expect(at(event, 'timestamp')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(at(event, 'server')).toEqual({ ip: '127.0.0.1', port: gateway.port });
    expect(at(event, 'http.request')).toEqual({
      secure: false,
      method: 'GET',
      path: 'http://gw.test:80/t/a%20b;p=1',
      queryParameters: {},
      headers: { host: ['gw.test'], 'user-agent': ['test'] },
      cookies: {},
    });
    expect(at(event, 'http.response.headers')).toEqual({ 'content-length': ['1'], 'content-type': ['text/plain'] });
    expect(at(event, 'response')).toMatchObject({
      status: 'SUCCESSFUL',
      statusCode: '200',
      elapsedTimeUnits: 'MILLISECONDS',
      detail: { bytesSent: 1 },
    });
    expect(at(event, 'ig')).toMatchObject({ routeId: 'shop', routeName: 'The shop' });
    expect(at(event, 'decision')).toEqual({ outcome: 'allowed', revision: '1', plane: 'plane-1', unit: 0 });
  });

  it('is written once for an exchange, by the service of the innermost route', async () => {
    gateway = await startConfigured(
      { ...router, auditService: service({ eventName: 'BASE' }) },
      {
        routes: {
          a: answers({ condition: "${request.uri.path == '/own'}", auditService: service({ eventName: 'OWN' }) }),
          b: answers({ condition: "${request.uri.path == '/off'}", auditService: { type: 'NoOpAuditService' } }),
          c: answers({ condition: "${request.uri.path == '/inherited'}" }),
        },
      },
    );
    for (const path of ['/own', '/off', '/inherited', '/nowhere']) await send(path);
    const events = [await gateway.audited.event(0), await gateway.audited.event(1), await gateway.audited.event(2)];
    expect(events.map(({ eventName, ig }) => [eventName, (ig as JsonObject)['routeId']])).toEqual([
      ['OWN', 'a'],
      ['BASE', 'c'],
      ['BASE', undefined],
    ]);
    expect(at(events[2]!, 'decision.code')).toBe('no-route');
    expect(gateway.audited.json).toHaveLength(3);
  });

  it('says what the client sent, whatever filters make of it', async () => {
    const filter = {
      type: 'HeaderFilter',
      config: { messageType: 'REQUEST', remove: ['user-agent'], add: { accept: ['text/changed'] } },
    };
    const handler = { type: 'Chain', config: { filters: [filter], handler: answers()['handler']! } };
    gateway = await startConfigured(
      { ...router, handler: { type: 'Chain', config: { filters: [filter], handler: '_router' } } },
      { routes: { a: { handler, auditService: service() } } },
    );
    await send('/', ['User-Agent: mine', 'Accept: text/sent']);
    expect(at(await gateway.audited.event(0), 'http.request.headers')).toEqual({
      accept: ['text/sent'],
      host: ['gw.test'],
      'user-agent': ['mine'],
    });
  });

  it('contains no credential, wherever the client puts it, even where whole maps are included', async () => {
    const includeIf = ['headers', 'queryParameters'].map((name) => `/access/http/request/${name}`);
    const everything = { filterPolicies: { field: { includeIf: [...includeIf, '/access/http/response/headers'] } } };
    const names = ['access_token', 'id_token', 'code', 'state', 'client_secret', 'password', 'SAMLResponse', 'api-key'];
    for (const config of [{}, everything]) {
      gateway = await startConfigured(router, { routes: { a: answers({ auditService: service(config) }) } });
      const query = names.map((name) => `${name}=${SECRET}`).join('&');
      await send(`/p;jsessionid=${SECRET};v=1?${query}&page=2`, [
        `Authorization: Bearer ${SECRET}`,
        `Proxy-Authorization: Basic ${SECRET}`,
        `Cookie: sid=${SECRET}`,
        `X-Api-Key: ${SECRET}`,
        `X-Auth-Token: ${SECRET}`,
        `DPoP: ${SECRET}`,
        `Sec-WebSocket-Protocol: chat, ${SECRET}`,
        `Referer: https://a.test/?token=${SECRET}`,
      ]);
      const event = await gateway.audited.event(0);
      expect(gateway.audited.json[0]!.json).not.toContain(SECRET);
      expect(at(event, 'http.request.path')).toBe('http://gw.test:80/p;jsessionid=;v=1');
      if (config === everything) expect(at(event, 'http.request.queryParameters')).toEqual({ page: ['2'] });
      await gateway.close();
    }
  });

  it('contains nothing that ends a line or acts on a terminal', async () => {
    gateway = await startConfigured(router, { routes: { a: answers({ auditService: service() }) } });
    const agent = 'a"}\u0085{"\u001b[31m\u202e\ufffe'.replaceAll('\u001b', '\\u001b');
    await sendRaw(
      gateway.port,
      Buffer.from(`GET / HTTP/1.1\r\nHost: gw.test\r\nUser-Agent: ${agent}\r\nConnection: close\r\n\r\n`, 'utf8'),
    );
    const event = await gateway.audited.event(0);
    expect(gateway.audited.json[0]!.json).not.toMatch(/[\n\r\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect(at(event, 'http.request.headers.user-agent')).toEqual([agent]);
  });

  it('is cut where a client sends an oversized value', async () => {
    gateway = await startConfigured(router, { routes: { a: answers({ auditService: service() }) } });
    await send('/', [`User-Agent: ${'a'.repeat(20_000)}`]);
    const [agent] = at(await gateway.audited.event(0), 'http.request.headers.user-agent') as string[];
    expect(agent).toHaveLength(4097);
  });

  it('is written for a request that was refused before there was an exchange', async () => {
    gateway = await startConfigured({ ...router, auditService: service() });
    await sendRaw(gateway.port, Buffer.from(`GET /a?token=${SECRET} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`));
    const event = await gateway.audited.event(0);
    expect(at(event, 'response')).toMatchObject({ status: 'FAILED', statusCode: '400' });
    expect(at(event, 'decision.outcome')).toBe('refused');
    expect(gateway.audited.json[0]!.json).not.toContain(SECRET);
  });

  it.each([
    ['GET http://ada:PW@gw.test/x HTTP/1.1', 'Host: gw.test'],
    ['GET http://PW@gw.test/x HTTP/1.1', 'Host: gw.test'],
    ['GET http://ada:PW/PW@gw.test/x?PW HTTP/1.1', 'Host: gw.test'],
    ['CONNECT ada:PW@gw.test:443 HTTP/1.1', 'Host: gw.test'],
    ['GET //ada:PW@gw.test/x HTTP/1.1', 'Host: gw.test'],
    ['GET /to/http://ada:PW@other.test/x HTTP/1.1', 'Host: gw.test'],
    ['GET /x#access_token=PW HTTP/1.1', 'Host: gw.test'],
    ['GET /x?access_token=PW HTTP/1.1', 'Host: a b'],
    ['GET /x HTTP/1.1', 'Host: ada:PW@gw.test'],
    ['GET /x HTTP/1.1', 'Host: gw.test\r\nOrigin: http://ada:PW@other.test'],
    ['GET /x HTTP/1.1', 'Host: gw.test\r\nX-Forwarded-Host: ada:PW@other.test'],
    ['GET /x HTTP/1.1', 'Host: gw.test\r\nReferer: https://ada:PW@other.test/a'],
    ['GET /x HTTP/1.1', 'Host: gw.test\r\nForwarded: host="ada:PW@other.test"'],
  ])('contains no password of a URL: %s %j', async (line, headers) => {
    const includeIf = ['referer', 'origin'].map((name) => `/access/http/request/headers/${name}`);
    const config = { filterPolicies: { field: { includeIf } } };
    gateway = await startConfigured(
      { ...router, auditService: service(config) },
      { routes: { a: answers({ auditService: service(config) }) } },
    );
    const head = `${line}\r\n${headers}\r\nConnection: close\r\n\r\n`.replaceAll('PW', SECRET);
    await sendRaw(gateway.port, Buffer.from(head));
    await gateway.audited.event(0);
    expect(gateway.audited.json.map(({ json }) => json).join()).not.toContain(SECRET);
  });

  it('contains no password of a URL in the headers of the answer', async () => {
    const includeIf = ['/access/http/response/headers/location', '/access/http/response/headers/link'];
    const config = { filterPolicies: { field: { includeIf } } };
    const headers = {
      Location: [`https://ada:${SECRET}@other.test/x?y=1`],
      Link: [`<https://ada:${SECRET}@a.test/>; rel=a, <https://bob:${SECRET}@b.test/>; rel=b`],
    };
    const handler = { type: 'StaticResponseHandler', config: { status: 302, headers } };
    gateway = await startConfigured(router, { routes: { a: { handler, auditService: service(config) } } });
    await send('/');
    const event = await gateway.audited.event(0);
    expect(at(event, 'http.response.headers')).toEqual({
      link: ['<https://a.test/>; rel=a, <https://b.test/>; rel=b'],
      location: ['https://other.test/x?y=1'],
    });
  });

  it('has the status 499 where the client leaves before the answer', async () => {
    const handler = { type: 'ReverseProxyHandler' };
    const { createServer } = await import('node:net');
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    gateway = await startConfigured(router, {
      routes: { a: { handler, baseURI: `http://127.0.0.1:${port}`, auditService: service() } },
    });
    const reached = new Promise<void>((resolve) =>
      silent.once('connection', (socket) => socket.once('data', () => resolve())),
    );
    const sent = request({ port: gateway.port, host: '127.0.0.1', path: '/' });
    sent.on('error', () => {});
    sent.end();
    await reached;
    sent.destroy();
    expect(at(await gateway.audited.event(0), 'response')).toMatchObject({ status: 'FAILED', statusCode: '499' });
    silent.close();
  });

  it('is refused with the request where a handler that must not lose events is full', async () => {
    gateway = await startConfigured(router, { routes: { a: answers({ auditService: service() }) } });
    gateway.audited.refusesTraffic = true;
    expect(await send('/')).toBe(503);
    expect(at(await gateway.audited.event(0), 'decision.code')).toBe('audit-unavailable');
    gateway.audited.refusesTraffic = false;
    expect(await send('/')).toBe(200);
  });
});
