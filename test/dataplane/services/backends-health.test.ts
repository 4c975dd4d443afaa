import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import {
  answering,
  bodiesOf,
  deadPort,
  endpointsAt,
  inTurn,
  sendingTo,
  startApp,
  startApps,
} from '../../support/backends/endpoint-apps.ts';
import { type ProxyRule, startProxy } from '../../support/backends/http-proxy.ts';
import { eachRequest, plainAnswer, type Script } from '../../support/backends/scripted-backend.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';

const LONG = 20_000;
const EJECTED = 'endpoint ejected; it gets no requests for a while';
const passiveHealth = (config: JsonObject): JsonObject => ({ passiveHealth: config });

function messages({ logged }: ConfiguredGateway, message: string): Record<string, unknown>[] {
  return logged.filter(({ msg }) => msg === message);
}

/** Values of the gauge of endpoints, by state. */
function endpointsBy(gateway: ConfiguredGateway): Record<string, number> {
  const values = (gateway.gauges.changed() ?? []).filter(({ metric }) => metric === 'gw_backends_endpoints');
  return Object.fromEntries(values.map(({ labels, value }) => [labels['state'], value]));
}

describe('an endpoint that fails', () => {
  it.each<[string, Script, string]>([
    ['answers 503', eachRequest(() => plainAnswer('no', '503 Unavailable')), 'status 503'],
    ['resets connections', async (peer) => void ((await peer.head()) !== null && peer.reset()), 'backend-closed'],
    ['does not answer', () => {}, 'backend-timeout'],
    [
      'breaks off its answers',
      async (peer) => {
        await peer.head();
        peer.send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
        peer.close();
      },
      'backend-cut',
    ],
    ['answers with garbage', (peer) => peer.send('garbage\r\n\r\n'), 'backend-malformed'],
  ])('gets no requests after three of them: it %s', async (_case, script, reason) => {
    const bad = await startApp(script);
    const [one, two] = await startApps();
    const endpoints = endpointsAt(bad.port, one!.port, two!.port);
    const backends = inTurn(endpoints, passiveHealth({ consecutiveFailures: 3 }));
    const gateway = await serve(sendingTo(backends, { soTimeout: '3 seconds' }));
    while (messages(gateway, EJECTED).length === 0) {
      await Promise.allSettled(Array.from({ length: 9 }, () => send(gateway, 'GET /')));
    }
    expect(messages(gateway, EJECTED)).toMatchObject([{ endpoint: `127.0.0.1:${bad.port}`, reason, seconds: 10 }]);
    expect(endpointsBy(gateway)).toEqual({ serving: 2, ejected: 1, down: 0 });
    const before = bad.connections + bad.requests.length;
    expect(new Set(await bodiesOf(gateway, 10))).toEqual(new Set(['one', 'two']));
    expect(bad.connections + bad.requests.length).toBe(before);
  });

  it('is tried again when its time is over, and serves if it answers', async () => {
    let isDown = true;
    const flapping = await startApp(
      eachRequest(() => (isDown ? plainAnswer('down', '503 Unavailable') : plainAnswer('up'))),
    );
    const [one] = await startApps();
    const health = passiveHealth({ consecutiveFailures: 2, ejectionTime: '300 ms' });
    const gateway = await serve(sendingTo(inTurn(endpointsAt(flapping.port, one!.port), health)));
    while (messages(gateway, EJECTED).length < 2) await send(gateway, 'GET /');
    isDown = false;
    await vi.waitUntil(async () => (await send(gateway, 'GET /')).body === 'up', { timeout: LONG });
    expect(new Set(await bodiesOf(gateway, 10))).toEqual(new Set(['up', 'one']));
  });

  it('takes all requests when more fail than may be ejected', async () => {
    const bad = await Promise.all(
      [1, 2, 3].map(() => startApp(eachRequest(() => plainAnswer('no', '503 Unavailable')))),
    );
    const health = { ...passiveHealth({ consecutiveFailures: 1, maxEjected: 100 }), panicThreshold: 60 };
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...bad.map(({ port }) => port)), health)));
    while (messages(gateway, EJECTED).length < 2) await send(gateway, 'GET /');
    const before = bad.map(({ requests }) => requests.length);
    await bodiesOf(gateway, 9);
    expect(bad.map(({ requests }, i) => requests.length - before[i]!)).toEqual([3, 3, 3]);
  });

  it('answers 500, which ejects it only if the configuration says so', async () => {
    const bad = await startApp(eachRequest(() => plainAnswer('no', '500 Internal Server Error')));
    const [one] = await startApps();
    const statuses = async (health: JsonObject): Promise<number> => {
      const endpoints = endpointsAt(bad.port, one!.port);
      const gateway = await serve(sendingTo(inTurn(endpoints, passiveHealth({ consecutiveFailures: 3, ...health }))));
      let failed = 0;
      for (let i = 0; i < 20; i++) if ((await send(gateway, 'GET /')).status === 500) failed++;
      return failed;
    };
    expect([await statuses({}), await statuses({ failureStatuses: [500] })]).toEqual([10, 3]);
  });

  it('is one of several that all went away: requests are answered as soon as one is back', async () => {
    const [one, two] = [await startApp(answering('one')), await startApp(answering('two'))];
    const ports = [one.port, two.port];
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...ports), passiveHealth({ consecutiveFailures: 1 }))));
    expect(new Set(await bodiesOf(gateway, 4))).toEqual(new Set(['one', 'two']));
    await Promise.all([one.close(), two.close()]);
    for (let i = 0; i < 4; i++) expect((await send(gateway, 'GET /')).status).toBe(502);
    const back = createServer((_request, response) => response.end('back')).listen(ports[0], '127.0.0.1');
    onTestFinished(() => void back.close());
    await once(back, 'listening');
    await vi.waitUntil(async () => (await send(gateway, 'GET /')).body === 'back', { timeout: LONG });
    expect(await bodiesOf(gateway, 4)).toEqual(Array(4).fill('back'));
  });

  it('is not ejected where that is switched off', async () => {
    const bad = await startApp(eachRequest(() => plainAnswer('no', '503 Unavailable')));
    const [one] = await startApps();
    const gateway = await serve(
      sendingTo(inTurn(endpointsAt(bad.port, one!.port), passiveHealth({ enabled: false, consecutiveFailures: 1 }))),
    );
    await bodiesOf(gateway, 20);
    expect(bad.requests).toHaveLength(10);
  });

  it('loses the clients whose cookie names it', async () => {
    let isDown = false;
    const first = await startApp(
      eachRequest(() => (isDown ? plainAnswer('down', '503 Unavailable') : plainAnswer('first'))),
    );
    const other = await startApp(answering('other'));
    const config = { ...passiveHealth({ consecutiveFailures: 2 }), affinityCookie: { name: 'at' } };
    const gateway = await serve(sendingTo(inTurn(endpointsAt(first.port, other.port), config)));
    let cookie = '';
    for (let body = ''; body !== 'first'; ) {
      const answer = await send(gateway, 'GET /');
      body = answer.body;
      cookie = /^[^;]+/.exec(answer.headers.get('set-cookie')!)![0];
    }
    isDown = true;
    expect(await bodiesOf(gateway, 3, [`Cookie: ${cookie}`])).toEqual(['down', 'down', 'other']);
  });
});

describe('a proxy on the way to endpoints', () => {
  it.each<[string, string, ProxyRule | null]>([
    ['cannot be reached', 'http', null],
    ['cannot be reached by tunnels', 'https', null],
    ['opens no tunnels', 'https', { refuses: 503 }],
    ['babbles', 'https', { babbles: 'what' }],
  ])('does not eject them when it %s', async (_case, scheme, rule) => {
    const endpoints = [1, 2, 3].map((last) => ({ uri: `${scheme}://192.0.2.${last}` }));
    const uri = rule === null ? `http://127.0.0.1:${await deadPort()}` : (await startProxy(rule)).uri;
    const proxyOptions = { type: 'CustomProxyOptions', config: { uri } };
    const health = passiveHealth({ consecutiveFailures: 1 });
    const gateway = await serve(sendingTo(inTurn(endpoints, health), { proxyOptions }));
    const statuses = [await send(gateway, 'GET /'), await send(gateway, 'GET /')].map(({ status }) => status);
    expect([statuses, messages(gateway, EJECTED)]).toEqual([[502, 502], []]);
    expect(endpointsBy(gateway)).toEqual({ serving: 3, ejected: 0, down: 0 });
  });

  it('does not eject them when it closes connections that it reads requests of', async () => {
    const closing = await startApp(async (peer) => void ((await peer.request()) !== null && peer.close()));
    const proxyOptions = { type: 'CustomProxyOptions', config: { uri: `http://127.0.0.1:${closing.port}` } };
    const endpoints = [1, 2, 3].map((last) => ({ uri: `http://192.0.2.${last}` }));
    const gateway = await serve(
      sendingTo(inTurn(endpoints, passiveHealth({ consecutiveFailures: 1 })), { proxyOptions }),
    );
    await bodiesOf(gateway, 3);
    expect([closing.requests.length, messages(gateway, EJECTED)]).toEqual([3, []]);
  });
});

describe('metrics of endpoints', () => {
  it('count a response that breaks off as failed, and one that ends as answered', async () => {
    const app = await startApp(async (peer) => {
      for (let request = await peer.request(); request !== null; request = await peer.request()) {
        peer.send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
        if (request.target === '/half') peer.close();
        else peer.send('and it');
      }
    });
    const gateway = await serve(sendingTo(inTurn(endpointsAt(app.port))));
    await send(gateway, 'GET /whole');
    await send(gateway, 'GET /half').catch(() => {});
    const results = gateway.counted.filter(({ metric }) => metric === 'gw_backends_requests_total');
    expect(results.map(({ labels }) => labels['result'])).toEqual(['answered', 'failed']);
  });

  it('count answers, failures and moved requests', async () => {
    const [one] = await startApps();
    const dead = await deadPort();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(dead, one!.port), passiveHealth({ enabled: false }))));
    await bodiesOf(gateway, 4);
    const counted = gateway.counted.map(({ metric, labels }) => `${metric} ${labels['endpoint']} ${labels['result']}`);
    const times = (text: string): number => counted.filter((line) => line === text).length;
    expect(times(`gw_backends_requests_total 127.0.0.1:${one!.port} answered`)).toBe(4);
    const failed = times(`gw_backends_requests_total 127.0.0.1:${dead} failed`);
    expect(failed).toBeGreaterThan(0);
    expect(times(`gw_backends_moved_total 127.0.0.1:${dead} undefined`)).toBe(failed);
  });
});
