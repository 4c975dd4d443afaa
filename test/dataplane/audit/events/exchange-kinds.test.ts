import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { accessService } from '../../../support/audit/access-service.ts';
import { HttpBackend } from '../../../support/backends/http-backend.ts';
import { ask, exchangeBytes } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { askSecurely } from '../../../support/clients/secure-client.ts';
import {
  type ConfiguredGateway,
  type ConfiguredOptions,
  startConfigured,
} from '../../../support/gateways/configured-gateway.ts';
import { serverTransport } from '../../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys, changingTrust } from '../../../support/identity/changing-tls-secrets.ts';

const SECRET = 's3cr3t-4711';

async function start(document: JsonObject, options: ConfiguredOptions = {}): Promise<ConfiguredGateway> {
  const gateway = await startConfigured({ auditService: accessService(), ...document }, options);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The gateway before a backend. */
async function startBefore(
  serve: Parameters<typeof HttpBackend.start>[0],
  auditService = accessService(),
): Promise<ConfiguredGateway> {
  const backend = await HttpBackend.start(serve);
  onTestFinished(() => backend.close());
  const baseURI = `http://127.0.0.1:${backend.destination.port}`;
  return start({ handler: { type: 'ReverseProxyHandler', baseURI }, auditService });
}

const says = (status = 200): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status, entity: 'said' } },
});

describe('an access event of a WebSocket', () => {
  it('is written when it ends, with the bytes in both directions and the close code', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
    await once(server, 'listening');
    onTestFinished(() => server.close());
    server.on('connection', (socket) => socket.on('message', (message) => socket.send(`${message}${message}`)));
    const { port } = server.address() as AddressInfo;
    const gateway = await start({
      handler: {
        type: 'ReverseProxyHandler',
        baseURI: `http://127.0.0.1:${port}`,
        config: { websocket: { enabled: true } },
      },
    });
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/feed?access_token=${SECRET}`, ['chat', SECRET]);
    await once(socket, 'open');
    socket.send('hello');
    await once(socket, 'message');
    expect(gateway.audited.json).toEqual([]);
    socket.close(4001, SECRET);
    const event = await gateway.audited.event(0);
    expect(event['response']).toMatchObject({
      ...{ status: 'SUCCESSFUL', statusCode: '101' },
      detail: { bytesReceived: 11 + 8 + SECRET.length, bytesSent: expect.any(Number), closeCode: 4001 },
    });
    expect(event).toMatchObject({ http: { request: { path: `http://127.0.0.1:${gateway.port}/feed` } } });
    expect(gateway.audited.json).toHaveLength(1);
    expect(gateway.audited.json[0]!.json).not.toContain(SECRET);
  });

  it('is written when the client drops the connection, with the code 1006', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    onTestFinished(() => server.close());
    const { port } = server.address() as AddressInfo;
    const websocket = { enabled: true };
    const gateway = await start({
      handler: { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${port}`, config: { websocket } },
    });
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/feed`);
    await once(socket, 'open');
    socket.terminate();
    expect((await gateway.audited.event(0))['response']).toMatchObject({ detail: { closeCode: 1006 } });
  });

  it('is that of an ordinary response where the backend does not switch protocols', async () => {
    const gateway = await startBefore((_, response) => void response.writeHead(403).end('no'));
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/feed`);
    socket.on('error', () => {});
    const event = await gateway.audited.event(0);
    expect(event['response']).toMatchObject({ status: 'FAILED', statusCode: '403' });
    expect(event['response']).not.toHaveProperty('detail.closeCode');
  });
});

describe('an access event over HTTP/2', () => {
  it('is written for each stream', async () => {
    const gateway = await start(says());
    const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    for (const path of ['/a', '/b']) {
      const stream = session.request({ ':path': `${path}?access_token=${SECRET}`, authorization: `Bearer ${SECRET}` });
      stream.resume();
      await once(stream, 'end');
    }
    const events = [await gateway.audited.event(0), await gateway.audited.event(1)];
    const paths = events.map(({ http }) => (http as { request: { path: string } }).request.path);
    expect(paths).toEqual(['/a', '/b'].map((path) => `http://127.0.0.1:${gateway.port}${path}`));
    const { client } = events[0] as { client: { port: number } };
    expect(events[1]).toMatchObject({ client: { port: client.port }, response: { statusCode: '200' } });
    expect(JSON.stringify(gateway.audited.json)).not.toContain(SECRET);
  });

  it('has the status 499 where the client resets the stream before the response', async () => {
    let arrived = (): void => {};
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gateway = await startBefore(() => arrived());
    const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/slow' });
    stream.on('error', () => {});
    await reached;
    stream.close(8);
    expect(await gateway.audited.event(0)).toMatchObject({
      response: { status: 'FAILED', statusCode: '499', detail: { bytesSent: 0 } },
      decision: { outcome: 'allowed' },
    });
  });

  it('says that the response was broken off where the client resets the stream within it', async () => {
    const gateway = await startBefore((_, response) => void response.write('begun'));
    const session = connectHttp2(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    const stream = session.request({ ':path': '/long' });
    stream.on('error', () => {});
    await once(stream, 'data');
    stream.close(8);
    expect((await gateway.audited.event(0))['response']).toMatchObject({
      statusCode: '200',
      detail: { bytesSent: 5, incomplete: true },
    });
  });
});

describe('an access event over TLS', () => {
  it('has the subject of the client certificate as the user, and nothing of its key', async () => {
    const ca = certificateAuthority('audit');
    const [server, client] = [
      ca.issue({ names: ['gateway.test'] }),
      ca.issue({ commonName: 'Ada Lovelace', client: true }),
    ];
    const tls = serverTransport({
      keys: [changingKeys(server).manager],
      trust: [changingTrust({ certificates: [ca.certificate] }).manager],
      clientAuth: 'REQUIRED',
    });
    const gateway = await start(says(), { tls });
    await askSecurely(gateway.port, { ca: ca.certificate, key: client.key, cert: client.chain });
    const event = await gateway.audited.event(0);
    expect(event).toMatchObject({
      userId: expect.stringContaining('Ada Lovelace'),
      http: { request: { secure: true, path: 'https://gateway.test:443/' } },
    });
    for (const line of `${client.key}${client.chain}`.split('\n').filter((one) => one.length > 20)) {
      expect(gateway.audited.json[0]!.json).not.toContain(line);
    }
  });
});

describe('an access event of a response that takes its time', () => {
  it('is written when the last byte has left', async () => {
    let finish = (): void => {};
    const gateway = await startBefore((_, response) => {
      response.write('first ');
      finish = () => void response.end('last');
    });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send('GET /events HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n\r\n');
    await client.until((text) => text.includes('first'));
    expect(gateway.audited.json).toEqual([]);
    finish();
    await client.untilClosed();
    const { response } = (await gateway.audited.event(0)) as { response: JsonObject };
    expect(response).toMatchObject({ statusCode: '200', elapsedTime: expect.any(Number), detail: { bytesSent: 10 } });
    expect(response).not.toHaveProperty('detail.incomplete');
  });

  it('says that the response was broken off where the client leaves within it', async () => {
    const gateway = await startBefore((_, response) => void response.write('begun'));
    const client = await RawClient.connect(gateway.port);
    client.send('GET /long HTTP/1.1\r\nHost: gw.test\r\n\r\n');
    await client.until((text) => text.includes('begun'));
    client.destroy();
    expect((await gateway.audited.event(0))['response']).toMatchObject({
      statusCode: '200',
      detail: { bytesSent: 5, incomplete: true },
    });
  });

  it('says that the response was broken off where the backend ends it early', async () => {
    const gateway = await startBefore((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('begun');
      setImmediate(() => response.destroy());
    });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send('GET /cut HTTP/1.1\r\nHost: gw.test\r\n\r\n');
    await client.untilClosed();
    expect(await gateway.audited.event(0)).toMatchObject({
      response: { statusCode: '200', detail: { bytesSent: expect.any(Number), incomplete: true } },
      decision: { outcome: 'refused', code: 'backend-cut' },
    });
  });
});

describe('an access event of a request that was refused before any route', () => {
  it.each([
    ['a malformed request line', `GET /${SECRET} x HTTP/1.1\r\nHost: a\r\n\r\n`, '400'],
    ['a malformed header line', `GET / HTTP/1.1\r\nHost: a\r\nAuthorization : Bearer ${SECRET}\r\n\r\n`, '400'],
    ['an oversized head', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${SECRET.repeat(9000)}\r\n\r\n`, '431'],
    ['two hosts', `GET /?token=${SECRET} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`, '400'],
    ['an unknown version', 'GET / HTTP/3.0\r\nHost: a\r\n\r\n', '505'],
    ['a foreign target', `GET http://b/?token=${SECRET} HTTP/1.1\r\nHost: a\r\n\r\n`, '400'],
    ['CONNECT', `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\nProxy-Authorization: Basic ${SECRET}\r\n\r\n`, '405'],
  ])('is written by the service of config.json: %s', async (_, bytes, status) => {
    const gateway = await start(says());
    await exchangeBytes(gateway.port, bytes);
    const event = await gateway.audited.event(0);
    expect(event).toMatchObject({
      response: { status: 'FAILED', statusCode: status },
      decision: { outcome: 'refused', code: expect.any(String), reason: expect.any(String), plane: 'plane-1' },
    });
    expect(gateway.audited.json).toHaveLength(1);
    expect(event['decision']).not.toHaveProperty('object');
  });

  it('names no route where none takes the request', async () => {
    const gateway = await start({ handler: { type: 'Router' } });
    await ask(gateway.port, 'GET /nowhere HTTP/1.1\r\nHost: unknown.test\r\n');
    const event = await gateway.audited.event(0);
    expect(event).toMatchObject({ response: { statusCode: '404' }, decision: { outcome: 'refused' } });
    expect(event['ig']).not.toHaveProperty('routeId');
  });
});

describe('an access event', () => {
  it('has nothing of bodies and trailers, even where all headers are included', async () => {
    const includeIf = ['request', 'response'].map((name) => `/access/http/${name}/headers`);
    const service = accessService({ filterPolicies: { field: { includeIf } } });
    const gateway = await startBefore((request, response) => {
      request.resume();
      request.on('end', () => {
        response.writeHead(200, { Trailer: 'X-Checksum' });
        response.write(`{"access_token":"${SECRET}"}`);
        response.addTrailers({ 'X-Checksum': SECRET });
        response.end();
      });
    }, service);
    const body = `password=${SECRET}`;
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Checksum: ${SECRET}\r\n\r\n`;
    const fields =
      'Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\nTrailer: X-Checksum\r\n';
    const [answer] = await exchangeBytes(
      gateway.port,
      `POST /login HTTP/1.1\r\nHost: gw.test\r\nConnection: close\r\n${fields}\r\n${chunk}`,
    );
    expect(answer!.body).toContain(SECRET);
    await gateway.audited.event(0);
    expect(gateway.audited.json[0]!.json).not.toContain(SECRET);
  });

  it('has a transaction id that no client chooses, and one event id for each event', async () => {
    const gateway = await start(says());
    for (let sent = 0; sent < 2; sent++) {
      await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\nX-ForgeRock-TransactionId: chosen\r\n');
    }
    const events = [await gateway.audited.event(0), await gateway.audited.event(1)];
    const ids = events.flatMap(({ transactionId, _id }) => [transactionId, _id]);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain('chosen');
  });
});
