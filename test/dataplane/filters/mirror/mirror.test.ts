import { connect } from 'node:http2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { heldContent } from '../../../../dataplane/engine/message/held-content.ts';
import { mirroredContent } from '../../../../dataplane/filters/mirror/mirrored-content.ts';
import {
  answering,
  deadPort,
  endpointsAt,
  inTurn,
  sendingTo,
  startApp,
} from '../../../support/backends/endpoint-apps.ts';
import { startFullListener } from '../../../support/backends/full-listener.ts';
import { eachRequest, plainAnswer, type Script } from '../../../support/backends/scripted-backend.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { UPGRADE } from '../../../support/clients/websocket-upgrade.ts';
import type { ConfiguredGateway } from '../../../support/gateways/configured-gateway.ts';
import { problemsOf, send, serve } from '../../../support/gateways/served.ts';
import { startTenants, TENANT } from '../../../support/gateways/tenant-gateway.ts';

const LONG = { timeout: 20_000 };

const shadowAt = (port: number, config: JsonObject = {}): JsonObject =>
  sendingTo(inTurn(endpointsAt(port), { passiveHealth: { enabled: false } }), config);

/** A chain with a mirror before an application. */
const mirrored = (port: number, shadow: JsonObject, config: JsonObject = {}): JsonObject => ({
  type: 'Chain',
  config: { filters: [{ type: 'MirrorFilter', config: { handler: shadow, ...config } }], handler: shadowAt(port) },
});

/** Metrics of the mirror: its names without prefix, with the reason. */
function counts({ counted }: ConfiguredGateway): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { metric, labels } of counted) {
    if (!metric.startsWith('gw_mirror_')) continue;
    const name = [metric.slice('gw_mirror_'.length, -'_total'.length), labels['reason'] ?? []].flat().join(' ');
    found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}

const counted = (gateway: ConfiguredGateway, wanted: Record<string, number>): Promise<void> =>
  vi.waitFor(() => expect(counts(gateway)).toEqual(wanted), LONG);

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Has the body read. */
const READS = { onRequest: [{ target: '${attributes.length}', value: '${length(request.entity.string)}' }] };

const echo: Script = eachRequest(({ body }) => plainAnswer(`app ${body.length}`));

describe('a copy', () => {
  it('is the request with a mark, without credentials', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { removedHeaders: ['X-Api-Key'] }));
    const head = [
      'Host: shop.test',
      'Authorization: Bearer secret',
      'Cookie: session=secret',
      'X-Api-Key: secret',
      'X-Other: stays',
      'Connection: X-Hop',
      'X-Hop: 1',
      'X-Forwarded-For: 10.1.1.1',
    ];
    const answer = await send(gateway, 'POST /orders?a=b', head, 'content');
    expect([answer.status, answer.body]).toEqual([200, 'app 7']);
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]).toMatchObject({ method: 'POST', target: '/orders?a=b', body: 'content' });
    const fields = new Map(shadow.requests[0]!.headers.map(([name, value]) => [name.toLowerCase(), value]));
    expect(Object.fromEntries(fields)).toEqual({
      host: 'shop.test',
      'x-other': 'stays',
      'gatewarden-mirror': 'true',
      'content-length': '7',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': String(gateway.port),
      'x-forwarded-host': 'shop.test',
      via: '1.1 gatewarden',
    });
    expect(app.requests[0]!.headers).toContainEqual(['authorization', 'Bearer secret']);
    expect(app.requests[0]!.headers.some(([name]) => name.toLowerCase() === 'gatewarden-mirror')).toBe(false);
    await counted(gateway, { sent: 1 });
  });

  it('has credentials where the configuration says so', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { keepCredentials: true }));
    await send(gateway, 'GET /', ['Authorization: Bearer token', 'Cookie: a=b']);
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]!.headers).toEqual(
      expect.arrayContaining([
        ['authorization', 'Bearer token'],
        ['cookie', 'a=b'],
      ]),
    );
  });

  it('is not made of a copy, and not of a WebSocket', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    await send(gateway, 'GET /', ['Gatewarden-Mirror: true']);
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET /socket HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
    await client.until((text) => text.includes('\r\n\r\n'));
    await counted(gateway, { 'dropped upgrade': 1 });
    expect(shadow.requests).toEqual([]);
  });

  it.each([0, 100])('is made of %i percent of the requests', async (percent) => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { percent }));
    for (let i = 0; i < 20; i++) await send(gateway, 'GET /');
    await counted(gateway, percent === 0 ? {} : { sent: 20 });
  });

  it('is made of a share of the requests', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { percent: 50, maxQueued: 1000 }));
    for (let i = 0; i < 200; i++) await send(gateway, 'GET /');
    const { sent = 0 } = counts(gateway);
    expect(sent).toBeGreaterThan(50); // chance would miss these once in 10^12 runs
    expect(sent).toBeLessThan(150);
  });

  it('has the content of a chunked request', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send('POST / HTTP/1.1\r\nHost: gw.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n');
    await app.until(() => app.peers.length === 1);
    client.send('7\r\n second\r\n0\r\n\r\n');
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]!.body).toBe('first second');
    expect(await client.until((text) => text.includes('app 12'))).toContain('app 12');
  });

  it('is made of what another filter has read already', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const reading = {
      type: 'EntityExtractFilter',
      config: { messageType: 'REQUEST', target: '${attributes.found}', bindings: [{ key: 'a', pattern: 'content' }] },
    };
    const chain = mirrored(app.port, shadowAt(shadow.port));
    const { filters } = chain['config'] as { filters: JsonObject[] };
    filters.unshift(reading);
    const gateway = await serve(chain);
    expect((await send(gateway, 'POST /', ['Content-Type: text/plain'], 'content')).body).toBe('app 7');
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]!.body).toBe('content');
  });

  it('is made of requests over HTTP/2', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    const session = connect(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':method': 'POST', ':path': '/two', ':authority': 'shop.test' });
    stream.end('over two');
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    expect(body).toBe('app 8');
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]).toMatchObject({ method: 'POST', target: '/two', body: 'over two' });
    expect(shadow.requests[0]!.headers).toContainEqual(['host', 'shop.test']);
  });
});

describe('the request is answered', () => {
  it.each<[string, Script]>([
    ['resets connections', (peer) => peer.reset()],
    ['closes connections', async (peer) => void ((await peer.request()) !== null && peer.close())],
    ['answers with garbage', (peer) => peer.send('garbage\r\n\r\n')],
    [
      'breaks off its answers',
      async (peer) => {
        await peer.request();
        peer.send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
        peer.close();
      },
    ],
  ])('while the mirror %s', async (_case, script) => {
    const [app, shadow] = [await startApp(echo), await startApp(script)];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    for (let i = 0; i < 3; i++) expect((await send(gateway, 'POST /', [], 'content')).body).toBe('app 7');
    await counted(gateway, { sent: 3, failed: 3 });
  });

  it('while nobody listens for the mirror', async () => {
    const app = await startApp(echo);
    const gateway = await serve(mirrored(app.port, shadowAt(await deadPort())));
    for (let i = 0; i < 3; i++) expect((await send(gateway, 'GET /')).body).toBe('app 0');
    await counted(gateway, { sent: 3, failed: 3 });
  });

  it('while the mirror accepts no connections', async () => {
    const [app, full] = [await startApp(echo), await startFullListener()];
    onTestFinished(() => full.close());
    const gateway = await serve(mirrored(app.port, shadowAt(full.port), { timeout: '1 second' }));
    for (let i = 0; i < 3; i++) expect((await send(gateway, 'GET /')).body).toBe('app 0');
    await counted(gateway, { sent: 3, failed: 3 });
  });

  it('while the mirror does not answer; further copies are dropped', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(() => {})];
    const gateway = await serve(
      mirrored(app.port, shadowAt(shadow.port), { maxConcurrent: 2, maxQueued: 1, timeout: '4 minutes' }),
    );
    for (let i = 0; i < 5; i++) expect((await send(gateway, 'GET /')).body).toBe('app 0');
    await counted(gateway, { sent: 2, 'dropped queue-full': 2 });
    gateway.configuration.close();
    await counted(gateway, { sent: 2, failed: 2, 'dropped queue-full': 2, 'dropped closed': 1 });
    await vi.waitUntil(() => shadow.open === 0, LONG);
  });

  it.each([
    ['as it came', []],
    ['that a filter has read', [{ type: 'AssignmentFilter', config: READS }]],
  ])('while the mirror does not answer, and the memory is full of bodies %s', async (_case, filters) => {
    const [app, shadow] = [await startApp(echo), await startApp(() => {})];
    const config = { handler: shadowAt(shadow.port), maxBody: 100_000, timeout: '4 minutes' };
    const chain = [...filters, { type: 'MirrorFilter', config }];
    const handler = { type: 'Chain', config: { filters: chain, handler: shadowAt(app.port) } };
    const before = mirroredContent.bytes;
    const gateway = await serve(handler, [], { limits: { heldBytes: 4_000_000 } });
    onTestFinished(() => void (heldContent.limit = 128 << 20));
    const body = 'x'.repeat(100_000);
    for (let i = 0; i < 20; i++) expect((await send(gateway, 'POST /', [], body)).body).toBe('app 100000');
    await vi.waitFor(() => expect(sum(Object.values(counts(gateway)))).toBe(20), LONG);
    const { sent = 0, 'dropped memory': dropped = 0 } = counts(gateway);
    expect(sent).toBeGreaterThan(4);
    expect(sent).toBeLessThan(10);
    expect(dropped).toBe(20 - sent);
    expect(mirroredContent.bytes - before).toBeGreaterThan(sent * 100_000);
    gateway.configuration.close();
    await vi.waitFor(() => expect(mirroredContent.bytes).toBe(before), LONG);
  });

  it('whole, however long its body is: the copy is dropped', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { maxBody: 100_000 }));
    const long = 'x'.repeat(3_000_000);
    expect((await send(gateway, 'POST /', [], long)).body).toBe('app 3000000');
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    const chunk = `${(50_000).toString(16)}\r\n${'y'.repeat(50_000)}\r\n`;
    client.send(`POST / HTTP/1.1\r\nHost: gw.test\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}0\r\n\r\n`);
    await client.until((text) => text.includes('app 1000000'));
    expect(counts(gateway)).toEqual({ 'dropped body-too-large': 2 });
    expect(shadow.requests).toEqual([]);
  });

  it('while the response to the copy is long, which nobody keeps', async () => {
    const long = 'z'.repeat(5_000_000);
    const [app, shadow] = [await startApp(echo), await startApp(answering(long))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port), { maxConcurrent: 1 }));
    for (let i = 0; i < 3; i++) expect((await send(gateway, 'GET /')).body).toBe('app 0');
    await shadow.until(() => shadow.requests.length === 3);
    expect([shadow.connections, counts(gateway)]).toEqual([1, { sent: 3 }]);
  });
});

describe('a client that leaves', () => {
  it('before its request is whole has no copy', async () => {
    const [app, shadow] = [await startApp(echo), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    const client = await RawClient.connect(gateway.port);
    client.send('POST / HTTP/1.1\r\nHost: gw.test\r\nContent-Length: 10\r\n\r\nhalf');
    await app.until(() => app.peers.length === 1);
    client.destroy();
    await counted(gateway, { 'dropped incomplete': 1 });
    expect((await send(gateway, 'GET /')).body).toBe('app 0');
  });

  it('after its request is whole has one', async () => {
    const [app, shadow] = [await startApp(() => {}), await startApp(answering('shadow'))];
    const gateway = await serve(mirrored(app.port, shadowAt(shadow.port)));
    const client = await RawClient.connect(gateway.port);
    client.send('POST / HTTP/1.1\r\nHost: gw.test\r\nContent-Length: 4\r\n\r\nfull');
    await app.until(() => app.peers.length === 1);
    client.destroy();
    await shadow.until(() => shadow.requests.length === 1);
    expect(shadow.requests[0]!.body).toBe('full');
  });
});

it('a request that a later filter answers without reading it has no copy', async () => {
  const shadow = await startApp(answering('shadow'));
  const { config } = mirrored(1, shadowAt(shadow.port)) as { readonly config: JsonObject };
  const handler = { type: 'StaticResponseHandler', config: { status: 403 } };
  const gateway = await serve({ type: 'Chain', config: { ...config, handler } });
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  client.send('POST / HTTP/1.1\r\nHost: gw.test\r\nContent-Length: 1000\r\n\r\nhalf');
  expect(await client.until((text) => text.includes('\r\n\r\n'))).toMatch(/^HTTP\/1.1 403/);
  client.destroy();
  await counted(gateway, { 'dropped incomplete': 1 });
});

it('egress rules hold for copies of a tenant', async () => {
  const [app, shadow] = [await startApp(echo), await startApp(answering('neighbour'))];
  const document = { handler: mirrored(app.port, shadowAt(shadow.port)) };
  const gateway = await startTenants(
    { shop: { tenant: TENANT, document } },
    { trust: { egress: [`127.0.0.1:${app.port}`] } },
  );
  expect(gateway.problems).toEqual([]);
  expect((await gateway.get('/')).body).toBe('app 0');
  await vi.waitUntil(() => gateway.log.some((line) => line.includes('backend-egress')), LONG);
  expect(shadow.requests).toEqual([]);
});

it('a configuration shows all its problems', () => {
  const config = { percent: 101, maxBody: -1, timeout: '1 hour', removedHeaders: ['a b'], other: 1 };
  expect(problemsOf({ type: 'Chain', config: { filters: [{ type: 'MirrorFilter', config }], handler: 'x' } })).toEqual(
    expect.arrayContaining([
      'missing handler.config.filters[0].config.handler: is required',
      'value handler.config.filters[0].config.percent: must be at most 100, not 101',
      'value handler.config.filters[0].config.maxBody: must be at least 0, not -1',
      'duration handler.config.filters[0].config.timeout: must be at most 5 minutes',
      'value handler.config.filters[0].config.removedHeaders[0]: is not the name of a header',
    ]),
  );
});
