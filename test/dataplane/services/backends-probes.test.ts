import { createServer } from 'node:http';
import { Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { bodiesOf, endpointsAt, inTurn, sendingTo, startApp, startApps } from '../../support/backends/endpoint-apps.ts';
import { eachRequest, plainAnswer, type ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const LONG = 20_000;
const DOWN = 'endpoint does not answer probes; it gets no requests';
const UP = 'endpoint answers probes again; it gets requests';

function messages({ logged }: ConfiguredGateway, message: string): Record<string, unknown>[] {
  return logged.filter(({ msg }) => msg === message);
}

const untilLogged = (gateway: ConfiguredGateway, message: string): Promise<boolean> =>
  vi.waitUntil(() => messages(gateway, message).length > 0, { timeout: LONG });

const probing = (ports: readonly number[], activeHealth: JsonObject, more: JsonObject = {}): JsonObject =>
  inTurn(endpointsAt(...ports), { activeHealth: { interval: '100 ms', ...activeHealth }, ...more });

/** An application whose `/ready` the test decides. */
async function startReady(name: string): Promise<{ app: ScriptedBackend; ready: (status: string) => void }> {
  let status = '200 OK';
  const app = await startApp(
    eachRequest(({ target }) => (target === '/ready?deep' ? plainAnswer('', status) : plainAnswer(name))),
  );
  return {
    app,
    ready: (next) => {
      status = next;
    },
  };
}

describe('http probes', () => {
  it('keep requests from an endpoint that is not ready, until it is', async () => {
    const { app, ready } = await startReady('first');
    const [one] = await startApps();
    const other = await startReady('other');
    const gateway = await serve(sendingTo(probing([app.port, other.app.port], { path: '/ready?deep' })));
    expect(new Set(await bodiesOf(gateway, 6))).toEqual(new Set(['first', 'other']));
    ready('503 Unavailable');
    await untilLogged(gateway, DOWN);
    const endpoint = `127.0.0.1:${app.port}`;
    expect(messages(gateway, DOWN)).toMatchObject([{ endpoint, reason: 'the response has status 503' }]);
    expect(await bodiesOf(gateway, 6)).toEqual(Array(6).fill('other'));
    expect(gateway.counted.filter(({ metric }) => metric === 'gw_backends_failed_probes_total').length).toBeGreaterThan(
      2,
    );
    ready('204 No Content');
    await untilLogged(gateway, UP);
    expect(new Set(await bodiesOf(gateway, 6))).toEqual(new Set(['first', 'other']));
    expect(one!.requests).toEqual([]);
  });

  it('name the host, and expect the statuses that are given', async () => {
    const seen: string[] = [];
    const app = await startApp(
      eachRequest(({ target, headers }) => {
        seen.push(`${target} ${headers.find(([name]) => name === 'host')![1]}`);
        return plainAnswer('', '418 Teapot');
      }),
    );
    const [one] = await startApps();
    const config = { host: 'app.test', expectedStatuses: [418], unhealthyThreshold: 1 };
    const gateway = await serve(sendingTo(probing([app.port, one!.port], config)));
    await untilLogged(gateway, DOWN);
    expect(messages(gateway, DOWN)).toMatchObject([{ endpoint: `127.0.0.1:${one!.port}` }]);
    expect(seen[0]).toBe('/ app.test');
  });

  it('that no endpoint answers change nothing', async () => {
    const apps = await startApps();
    const ports = apps.map(({ port }) => port);
    const config = { path: '/', expectedStatuses: [299], unhealthyThreshold: 1 };
    const gateway = await serve(sendingTo(probing(ports, config)));
    await vi.waitUntil(() => messages(gateway, DOWN).length === 3, { timeout: LONG });
    expect(new Set(await bodiesOf(gateway, 6))).toEqual(new Set(['one', 'two', 'three']));
  });

  it('end with the configuration', async () => {
    const app = await startApp(eachRequest(() => plainAnswer('')));
    const gateway = await serve(sendingTo(probing([app.port], {})));
    await app.until(() => app.requests.length > 2);
    gateway.configuration.close();
    await vi.waitUntil(() => app.open === 0, { timeout: LONG });
    const before = app.requests.length;
    const other = await startApp(eachRequest(() => plainAnswer('')));
    await serve(sendingTo(probing([other.port], {})));
    await other.until(() => other.requests.length > 3);
    expect(app.requests.length).toBe(before);
  });
});

describe('probes of https endpoints', () => {
  it('use the TLS options and the server name of the Backends', async () => {
    const authority = certificateAuthority('backends');
    const { chain, key } = authority.issue({ names: ['shop.internal'] });
    const secure = await startTlsBackend({ cert: chain, key });
    const directory = secretFolder({ 'authorities.pem': authority.certificate });
    const secretsProvider = {
      type: 'FileSystemSecretStore',
      config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
    };
    const trustManager = {
      type: 'SecretsTrustManager',
      config: { verificationSecretId: 'authorities', secretsProvider, checkRevocation: false },
    };
    const tls = { type: 'ClientTlsOptions', config: { trustManager } };
    const started = (activeHealth: JsonObject): Promise<ConfiguredGateway> =>
      serve(
        sendingTo(
          inTurn([{ uri: `https://127.0.0.1:${secure.port}` }], {
            serverName: 'shop.internal',
            activeHealth: { interval: '100 ms', unhealthyThreshold: 1, ...activeHealth },
          }),
        ),
      );
    const trusting = await started({ tls });
    await vi.waitUntil(() => secure.connections.length > 2, { timeout: LONG });
    expect(secure.connections[0]).toMatchObject({ server: 'shop.internal' });
    const doubting = await started({});
    await untilLogged(doubting, DOWN);
    expect(messages(trusting, DOWN)).toEqual([]);
  });
});

describe('tcp probes', () => {
  it('notice an endpoint that does not accept connections, and its return', async () => {
    const app = createServer((_request, response) => response.end('app'));
    const listen = (port: number): Promise<number> =>
      new Promise((resolve) => app.listen(port, '127.0.0.1', () => resolve((app.address() as { port: number }).port)));
    const port = await listen(0);
    onTestFinished(() => void app.close());
    const [one] = await startApps();
    const gateway = await serve(sendingTo(probing([port, one!.port], { protocol: 'tcp', unhealthyThreshold: 2 })));
    expect(new Set(await bodiesOf(gateway, 4))).toEqual(new Set(['app', 'one']));
    app.closeAllConnections();
    await new Promise((resolve) => app.close(resolve));
    await untilLogged(gateway, DOWN);
    expect(await bodiesOf(gateway, 4)).toEqual(Array(4).fill('one'));
    await listen(port);
    await untilLogged(gateway, UP);
    await vi.waitUntil(async () => (await send(gateway, 'GET /')).body === 'app', { timeout: LONG });
  });
});

describe('grpc probes', () => {
  const SERVING = 1;
  const NOT_SERVING = 2;

  /** The health service of gRPC, in a real gRPC server. */
  async function startHealth(statusOf: (service: string) => number): Promise<number> {
    const pass = (bytes: Buffer): Buffer => bytes;
    const server = new Server();
    const check = {
      path: '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: pass,
      requestDeserialize: pass,
      responseSerialize: pass,
      responseDeserialize: pass,
    };
    const implementation: UntypedServiceImplementation = {
      check: (call: { request: Buffer }, answer: (error: null, value: Buffer) => void) =>
        answer(null, Buffer.from([0x08, statusOf(call.request.subarray(2).toString())])),
    };
    server.addService({ check }, implementation);
    onTestFinished(() => server.forceShutdown());
    return new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  it('ask for a service, and notice one that does not serve', async () => {
    const asked = new Set<string>();
    let status = SERVING;
    const port = await startHealth((service) => {
      asked.add(service);
      return status;
    });
    const other = await startHealth(() => SERVING);
    const config = { protocol: 'grpc', service: 'shop.Orders' };
    const gateway = await serve(sendingTo(probing([port, other], config)));
    await vi.waitUntil(() => asked.has('shop.Orders'), { timeout: LONG });
    status = NOT_SERVING;
    await untilLogged(gateway, DOWN);
    const reason = 'the gRPC service is not SERVING';
    expect(messages(gateway, DOWN)).toMatchObject([{ endpoint: `127.0.0.1:${port}`, reason }]);
    status = SERVING;
    await untilLogged(gateway, UP);
  });
});
