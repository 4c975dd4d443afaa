import type { ServerHttp2Stream } from 'node:http2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { deadPort, endpointsAt, inTurn, sendingTo, startApp } from '../../support/backends/endpoint-apps.ts';
import { Http2Backend } from '../../support/backends/http2-backend.ts';
import { eachRequest, plainAnswer } from '../../support/backends/scripted-backend.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { SWITCH, UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';

const LONG = { timeout: 20_000 };
const HTTP2 = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
const GRPC = { 'content-type': 'application/grpc' };

/** An application of which a test says whether it is up. It answers no probe. */
interface App {
  readonly name: string;
  isUp: boolean;
}

interface Protocol {
  /** Configuration of the handler. */
  readonly config: JsonObject;
  readonly probes: JsonObject;
  /** What a client gets when no endpoint is reached. */
  readonly unreached: string;
  start(app: App): Promise<number>;
  /** Returns the name of the application, or how it failed. */
  ask(gateway: ConfiguredGateway): Promise<string>;
}

async function startHttp2(handler: (stream: ServerHttp2Stream) => void): Promise<number> {
  const started = await Http2Backend.start(handler);
  onTestFinished(() => started.close());
  return started.destination.port;
}

const isProbe = (target: string): boolean => target === '/ready';
const asked = async (gateway: ConfiguredGateway): Promise<string> => {
  const answer = await send(gateway, 'GET /');
  return answer.status === 200 ? answer.body : String(answer.status);
};

const http1: Protocol = {
  config: {},
  probes: { path: '/ready' },
  unreached: '502',
  async start(app) {
    const started = await startApp(
      eachRequest(({ target }) =>
        isProbe(target) || !app.isUp ? plainAnswer('', '503 Unavailable') : plainAnswer(app.name),
      ),
    );
    return started.port;
  },
  ask: asked,
};

/** Probes by HTTP/1.1 are nothing that these endpoints understand. */
const http2: Protocol = {
  ...{ config: HTTP2, probes: { path: '/ready' }, unreached: '502', ask: asked },
  start: (app) =>
    startHttp2((stream) => {
      stream.respond({ ':status': app.isUp ? 200 : 503 });
      stream.end(app.isUp ? app.name : '');
    }),
};

const grpc: Protocol = {
  ...{ config: HTTP2, probes: { protocol: 'grpc', service: 'unknown' }, unreached: '14' },
  start: (app) =>
    startHttp2((stream) =>
      stream.respond({ ...GRPC, 'x-app': app.name, 'grpc-status': app.isUp ? '0' : '14' }, { endStream: true }),
    ),
  async ask(gateway) {
    const { headers } = await send(gateway, 'POST /', ['Content-Type: application/grpc'], 'x');
    const status = headers.get('grpc-status') ?? '';
    return status === '0' ? (headers.get('x-app') ?? '') : status;
  },
};

const webSockets: Protocol = {
  ...{ config: { websocket: { enabled: true } }, probes: { path: '/ready' }, unreached: '502' },
  async start(app) {
    const started = await startApp(async (peer) => {
      const head = await peer.head();
      if (head === null) return;
      peer.send(app.isUp ? SWITCH.replace(/\r\n$/, `X-App: ${app.name}\r\n\r\n`) : plainAnswer('', '503 Unavailable'));
    });
    return started.port;
  },
  async ask({ port }) {
    const client = await RawClient.connect(port);
    try {
      client.send(`GET /socket HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
      const head = await client.until((text) => text.includes('\r\n\r\n'));
      return /\r\nx-app: (\w+)/i.exec(head)?.[1] ?? head.split(' ')[1] ?? '';
    } finally {
      client.destroy();
    }
  },
};

const ejections = ({ logged }: ConfiguredGateway): number =>
  logged.filter(({ msg }) => String(msg).startsWith('endpoint ejected')).length;

async function answers(gateway: ConfiguredGateway, { ask }: Protocol): Promise<Set<string>> {
  const found = new Set<string>();
  for (let request = 0; request < 8; request++) found.add(await ask(gateway));
  return found;
}

describe.each([
  ['HTTP/1.1', http1],
  ['HTTP/2', http2],
  ['gRPC', grpc],
  ['WebSockets', webSockets],
] as const)('over %s', (_name, protocol) => {
  it('a request is rejected when all endpoints are dead', async () => {
    const endpoints = endpointsAt(await deadPort(), await deadPort());
    const gateway = await serve(sendingTo(inTurn(endpoints), protocol.config));
    for (let request = 0; request < 4; request++) expect(await protocol.ask(gateway)).toBe(protocol.unreached);
  });

  it('all endpoints get requests when probes reach none of them', async () => {
    const [one, two] = [
      { name: 'one', isUp: true },
      { name: 'two', isUp: true },
    ];
    const endpoints = endpointsAt(await protocol.start(one), await protocol.start(two));
    const activeHealth = { interval: '100 ms', unhealthyThreshold: 1, ...protocol.probes };
    const gateway = await serve(sendingTo(inTurn(endpoints, { activeHealth }), protocol.config));
    const down = (): number =>
      gateway.logged.filter(({ msg }) => String(msg).startsWith('endpoint does not answer probes')).length;
    await vi.waitUntil(() => down() === 2, LONG);
    expect(await answers(gateway, protocol)).toEqual(new Set(['one', 'two']));
  });

  it('an endpoint that fails again after its return is ejected again, and serves when it is well', async () => {
    const [flapping, well] = [
      { name: 'flapping', isUp: false },
      { name: 'well', isUp: true },
    ];
    const endpoints = endpointsAt(await protocol.start(flapping), await protocol.start(well));
    const passiveHealth = { consecutiveFailures: 2, ejectionTime: '300 ms' };
    const gateway = await serve(sendingTo(inTurn(endpoints, { passiveHealth }), protocol.config));
    while (ejections(gateway) < 2) await protocol.ask(gateway);
    flapping.isUp = true;
    await vi.waitUntil(async () => (await protocol.ask(gateway)) === 'flapping', LONG);
    expect(await answers(gateway, protocol)).toEqual(new Set(['flapping', 'well']));
  });
});
