import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import {
  answering,
  appNames,
  bodiesOf,
  deadPort,
  endpointsAt,
  inTurn,
  sendingTo,
  startApp,
  startApps,
} from '../../support/backends/endpoint-apps.ts';
import { startFullListener } from '../../support/backends/full-listener.ts';
import { Http2Backend } from '../../support/backends/http2-backend.ts';
import { eachRequest, plainAnswer, type Script } from '../../support/backends/scripted-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';

describe('an endpoint that takes no requests', () => {
  it('costs none: each goes to another endpoint', async () => {
    const [one, two] = await startApps();
    const dead = await deadPort();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(dead, one!.port, two!.port))));
    const found = await bodiesOf(gateway, 12);
    expect(new Set(found)).toEqual(new Set(['one', 'two']));
    const msg = 'endpoint failed; request sent to another endpoint';
    expect(gateway.logged).toContainEqual(expect.objectContaining({ msg, backend: `127.0.0.1:${dead}` }));
  });

  it('does not accept connections in time: another one gets the request', async () => {
    const full = await startFullListener();
    onTestFinished(() => full.close());
    const [one] = await startApps();
    const gateway = await serve(
      sendingTo(inTurn(endpointsAt(full.port, one!.port)), { connectionTimeout: '2 seconds' }),
    );
    expect(await bodiesOf(gateway, 4)).toEqual(Array(4).fill('one'));
  });

  it('and others like it have one connectionTimeout together', async () => {
    const full = await Promise.all(Array.from({ length: 5 }, () => startFullListener()));
    for (const one of full) onTestFinished(() => one.close());
    const ports = full.map(({ port }) => port);
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...ports)), { connectionTimeout: '3 seconds' }));
    const began = performance.now();
    const answer = await send(gateway, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect-timeout']);
    expect(performance.now() - began).toBeLessThan(12_000); // 15 seconds if each had its own
  });

  it('leaves the whole body to the other endpoint', async () => {
    const echo = await startApp(eachRequest(({ body }) => plainAnswer(body)));
    const gateway = await serve(sendingTo(inTurn(endpointsAt(await deadPort(), echo.port))));
    const long = 'content '.repeat(20_000);
    for (let i = 0; i < 4; i++) expect((await send(gateway, 'POST /', [], long)).body).toBe(long);
    expect(echo.requests).toHaveLength(4);
  });

  it('went away with its kept connections: the next requests are answered elsewhere', async () => {
    const going = await startApp(answering('going'));
    const [one] = await startApps();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(going.port, one!.port))));
    expect(new Set(await bodiesOf(gateway, 4))).toEqual(new Set(['going', 'one']));
    await going.close();
    expect(await bodiesOf(gateway, 4)).toEqual(Array(4).fill('one'));
  });

  it('is named in the answer when all are like that', async () => {
    const gateway = await serve(sendingTo(inTurn(endpointsAt(await deadPort(), await deadPort()))));
    const answer = await send(gateway, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-connect']);
  });

  it('makes a ClientHandler fail only when all are like that', async () => {
    const [one] = await startApps();
    const dead = await deadPort();
    const some = await serve(sendingTo(inTurn(endpointsAt(dead, one!.port)), {}, 'ClientHandler'));
    expect(await bodiesOf(some, 4)).toEqual(Array(4).fill('one'));
    const none = await serve(sendingTo(inTurn(endpointsAt(dead)), {}, 'ClientHandler'));
    expect((await send(none, 'GET /')).status).toBe(500);
  });

  it('is left for the next one over HTTP/2', async () => {
    const started = await Http2Backend.start((stream) => {
      stream.respond({ ':status': 200 });
      stream.end();
    });
    onTestFinished(() => started.close());
    const config = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
    const gateway = await serve(sendingTo(inTurn(endpointsAt(await deadPort(), started.destination.port)), config));
    for (let i = 0; i < 4; i++) expect((await send(gateway, 'GET /')).status).toBe(200);
  });
});

describe('an endpoint that closes new connections without an answer', () => {
  const closing: Script = async (peer) => void ((await peer.head()) !== null && peer.close());
  const resetting: Script = async (peer) => void ((await peer.head()) !== null && peer.reset());
  const passiveHealth = { enabled: false };

  it.each<[string, Script, string]>([
    ['GET', closing, ''],
    ['GET', resetting, ''],
    ['OPTIONS', closing, ''],
    ['PUT', closing, 'short'],
    ['DELETE', resetting, ''],
  ])('costs no %s request: another endpoint gets it', async (method, script, body) => {
    const bad = await startApp(script);
    const other = await startApp(eachRequest((request) => plainAnswer(`${request.method} ${request.body}`)));
    const gateway = await serve(sendingTo(inTurn(endpointsAt(bad.port, other.port), { passiveHealth })));
    for (let i = 0; i < 6; i++) {
      const answer = await send(gateway, `${method} /`, [], body);
      expect([answer.status, answer.body]).toEqual([200, `${method} ${body}`]);
    }
    expect(bad.connections).toBeGreaterThan(2);
    expect(bad.connections).toBeLessThan(7); // each request tries it once at most
    expect(other.requests).toHaveLength(6);
  });

  it('gets a POST request once, which no other endpoint gets', async () => {
    const bad = await startApp(closing);
    const [one] = await startApps();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(bad.port, one!.port), { passiveHealth })));
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await send(gateway, 'POST /', [], 'x')).status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 502, 502, 502]);
    expect([bad.connections, one!.requests.length]).toEqual([3, 3]);
  });

  it('is tried once for a request, like all others', async () => {
    const bad = await Promise.all(Array.from({ length: 3 }, () => startApp(closing)));
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...bad.map(({ port }) => port)), { passiveHealth })));
    const answer = await send(gateway, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-closed']);
    expect(bad.map(({ connections }) => connections)).toEqual([1, 1, 1]);
  });

  it('is ejected, while its requests are answered elsewhere', async () => {
    const bad = await startApp(closing);
    const [one] = await startApps();
    const backends = inTurn(endpointsAt(bad.port, one!.port), { passiveHealth: { consecutiveFailures: 2 } });
    const gateway = await serve(sendingTo(backends));
    expect(await bodiesOf(gateway, 12)).toEqual(Array(12).fill('one'));
    expect(bad.connections).toBe(2);
  });
});

describe('retries', () => {
  it.each<[string, Script]>([
    ['answers 500', eachRequest(() => plainAnswer('no', '500 Internal Server Error'))],
    ['resets connections', (peer) => peer.reset()],
    ['closes connections', async (peer) => void ((await peer.request()) !== null && peer.close())],
    ['does not answer', () => {}],
  ])('go to another endpoint when one %s', async (_case, script) => {
    const bad = await startApp(script);
    const [one, two] = await startApps();
    const retries = { count: 1, delay: '0 ms', condition: '${response.status.code == 500}' };
    const gateway = await serve(
      sendingTo(inTurn(endpointsAt(bad.port, one!.port, two!.port)), { retries, soTimeout: '2 seconds' }),
    );
    const answers = await bodiesOf(gateway, 6);
    expect(answers.every((body) => body === 'one' || body === 'two')).toBe(true);
    expect(bad.connections).toBeGreaterThan(0);
  });

  it('try all endpoints before one of them again', async () => {
    const bad = await Promise.all(
      appNames.map((name) => startApp(eachRequest(() => plainAnswer(name, '503 Unavailable')))),
    );
    const retries = { count: 5, delay: '0 ms', condition: '${response.status.code == 503}' };
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...bad.map(({ port }) => port))), { retries }));
    await send(gateway, 'GET /');
    expect(bad.map(({ requests }) => requests.length)).toEqual([2, 2, 2]);
  });
});

describe('egress rules', () => {
  it.each([
    ['endpoints', (port: number): JsonObject => ({ endpoints: [{ uri: `http://127.0.0.1:${port}` }] })],
    ['a host name', (port: number): JsonObject => ({ endpoints: [{ uri: `http://localhost:${port}` }] })],
    ['dns', (port: number): JsonObject => ({ dns: { uri: `http://localhost:${port}` } })],
  ])("hold for a tenant's endpoints: %s", async (_case, config) => {
    const started = await startApp(answering('neighbour'));
    const document = { handler: sendingTo({ type: 'Backends', config: config(started.port) }) };
    const gateway = await startTenants({
      own: { document: { ...document, condition: "${request.uri.path == '/own'}" } },
      shop: { tenant: TENANT, document },
    });
    expect(gateway.problems).toEqual([]);
    const shop = await gateway.get('/');
    expect([shop.status, refusalOf(shop)]).toEqual([403, 'backend-egress']);
    expect((await gateway.get('/own')).body).toBe('neighbour');
    expect(started.requests).toHaveLength(1);
  });

  it("hold for a tenant's requests to an operator's Backends", async () => {
    const started = await startApp(answering('neighbour'));
    const shared = { name: 'shared', ...sendingTo(inTurn(endpointsAt(started.port))) };
    const gateway = await startTenants(
      { shop: { tenant: TENANT, document: { handler: 'shared' } } },
      {
        base: { heap: [shared, { name: '_router', type: 'Router' }], handler: '_router' },
        trust: { sharedObjects: ['shared'] },
      },
    );
    const answer = await gateway.get('/');
    expect([gateway.problems, answer.status, refusalOf(answer)]).toEqual([[], 403, 'backend-egress']);
    expect(started.requests).toHaveLength(0);
  });
});

describe("a tenant's handler", () => {
  it("does not eject endpoints of an operator's Backends", async () => {
    const silentAt = (name: string): Script => eachRequest(({ target }) => (target === '/' ? plainAnswer(name) : ''));
    const apps = await Promise.all(['one', 'two'].map((name) => startApp(silentAt(name))));
    const ports = apps.map(({ port }) => port);
    const shared = { name: 'shared', ...inTurn(endpointsAt(...ports), { passiveHealth: { consecutiveFailures: 1 } }) };
    const gateway = await startTenants(
      {
        own: { document: { handler: sendingTo('shared'), condition: "${request.uri.path == '/'}" } },
        shop: { tenant: TENANT, document: { handler: sendingTo('shared', { soTimeout: '1 second' }) } },
      },
      {
        base: { heap: [shared, { name: '_router', type: 'Router' }], handler: '_router' },
        trust: { sharedObjects: ['shared'], egress: ['127.0.0.1'] },
      },
    );
    expect(gateway.problems).toEqual([]);
    const late = await Promise.all(Array.from({ length: 4 }, () => gateway.get('/slow')));
    expect(late.map(refusalOf)).toEqual(Array(4).fill('backend-timeout'));
    const bodies = [await gateway.get('/'), await gateway.get('/')].map(({ body }) => body);
    expect([bodies.sort(), gateway.log.filter((line) => line.includes('ejected'))]).toEqual([['one', 'two'], []]);
  });
});
