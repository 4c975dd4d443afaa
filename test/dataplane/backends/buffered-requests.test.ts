import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { BytePattern } from '../../support/backends/byte-pattern.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  ScriptedBackend,
  type ScriptedPeer,
} from '../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../support/clients/answers.ts';
import { untilStill, untilTrue } from '../../support/clients/event-loop.ts';
import { httpExchange } from '../../support/clients/http-exchange.ts';
import { memoryUse } from '../../support/clients/memory.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const LIMITS = { memoryLimit: 1000, fileLimit: 100_000 };
const echo: Script = eachRequest(({ body }) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

async function backend(script: Script = echo): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

function whole(config: JsonObject = {}, directory?: string): JsonValue {
  const storage = { ...LIMITS, ...(directory === undefined ? {} : { directory }) };
  const temporaryStorage = { type: 'TemporaryStorage', config: storage };
  return { type: 'ReverseProxyHandler', config: { asyncBehavior: 'non_streaming', temporaryStorage, ...config } };
}

async function connected(gateway: ConfiguredGateway): Promise<RawClient> {
  const client = await RawClient.connect(gateway.port);
  onTestFinished(() => client.destroy());
  return client;
}

const head = (app: { port: number }, ...fields: string[]): string =>
  `POST /up HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;

const named = (app: ScriptedBackend, name: string): (string | undefined)[] =>
  app.requests.map(({ headers }) => headers.find(([field]) => field === name)?.[1]);

describe('a request that is sent when it is whole', () => {
  it.each<[string, string[], string[], string]>([
    ['with a length', ['Content-Length: 6'], ['abc', 'def'], 'abcdef'],
    ['in chunks', ['Transfer-Encoding: chunked'], ['3\r\nabc\r\n', '3\r\ndef\r\n0\r\n\r\n'], 'abcdef'],
    ['beyond the memory', ['Content-Length: 3000'], ['x'.repeat(1500), 'x'.repeat(1500)], 'x'.repeat(3000)],
    ['in chunks without content', ['Transfer-Encoding: chunked'], ['', '0\r\n\r\n'], ''],
  ])('reaches the backend complete: %s', async (_case, fields, [first, rest], body) => {
    const app = await backend();
    const gateway = await serve(whole());
    const client = await connected(gateway);
    client.send(head(app, ...fields) + first);
    await untilStill(() => app.connections, 50);
    expect(app.connections).toBe(0);
    client.send(rest!);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body }]);
    expect(app.requests).toMatchObject([{ method: 'POST', target: '/up', body }]);
    expect(named(app, 'content-length')).toEqual([String(body.length)]);
    expect(named(app, 'transfer-encoding')).toEqual([undefined]);
  });

  it('that arrived with its head is sent unchanged', async () => {
    const app = await backend();
    const client = await connected(await serve(whole()));
    client.send(`${head(app, 'Transfer-Encoding: chunked')}3\r\nabc\r\n0\r\n\r\n`);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'abc' }]);
    expect(named(app, 'transfer-encoding')).toEqual(['chunked']);
  });

  it.each([
    ['in memory', 'abc'],
    ['in a file', 'x'.repeat(5000)],
  ])('keeps its trailers, %s', async (_case, body) => {
    const heard = Promise.withResolvers<string>();
    const app = await backend(async (peer) => {
      heard.resolve(await peer.until((text) => text.includes('Digest: 7\r\n\r\n')));
      peer.send(plainAnswer('ok'));
    });
    const client = await connected(await serve(whole()));
    client.send(`${head(app, 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n`);
    client.send(`${body}\r\n`);
    await untilStill(() => app.connections, 20);
    client.send('0\r\nDigest: 7\r\n\r\n');
    expect(await heard.promise).toMatch(new RegExp(`${body}\r\n0\r\nDigest: 7\r\n\r\n$`));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200 }]);
  });

  it('sends 100 Continue to the client, and the backend does not need to', async () => {
    const app = await backend();
    const client = await connected(await serve(whole()));
    client.send(head(app, 'Content-Length: 3', 'Expect: 100-continue'));
    expect(await client.until((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(app.connections).toBe(0);
    client.send('abc');
    const answers = await untilAnswers(client, 1);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [100, ''],
      [200, 'abc'],
    ]);
    expect(named(app, 'expect')).toEqual([undefined]);
  });

  it('can be read by expressions on the way', async () => {
    const app = await backend();
    const filter = {
      type: 'HeaderFilter',
      config: { messageType: 'REQUEST', add: { 'X-Entity': ['${request.entity.string}'] } },
    };
    const gateway = await serve({ type: 'Chain', config: { filters: [filter], handler: whole() } });
    const client = await connected(gateway);
    client.send(`${head(app, 'Content-Length: 6')}abc`);
    client.send('def');
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'abcdef' }]);
    expect(named(app, 'x-entity')).toEqual(['abcdef']);
  });

  it.each([
    ['with a length', false],
    ['in chunks', true],
  ])('arrives byte for byte from a file, %s', async (_case, chunked) => {
    const directory = watchedDirectory();
    const app = await backend();
    const gateway = await serve(whole({}, directory.path));
    const content = new BytePattern(5, 99_999);
    const headers = { host: `127.0.0.1:${app.port}` };
    expect(await httpExchange({ port: gateway.port, headers, content, chunked, expected: content })).toMatchObject({
      status: 200,
      exact: true,
    });
    await untilTrue(() => directory.open() === 0);
    expect(directory.names()).toEqual([]);
  });
});

describe('a request that is not sent', () => {
  it.each<[string, string[], string, string]>([
    ['announced too long', ['Content-Length: 100001'], '', ''],
    ['announced too long and waiting to be asked', ['Content-Length: 100001', 'Expect: 100-continue'], '', ''],
    ['too long in chunks', ['Transfer-Encoding: chunked'], '186a1\r\n', 'x'.repeat(100_001)],
  ])('gets 413: %s', async (_case, fields, first, rest) => {
    const directory = watchedDirectory();
    const app = await backend();
    const gateway = await serve(whole({}, directory.path));
    const client = await connected(gateway);
    client.send(head(app, ...fields) + first);
    client.send(rest);
    const answers = await untilAnswers(client, 1);
    expect(answers.map((answer) => [answer.status, refusalOf(answer)])).toEqual([[413, 'body-too-large']]);
    expect(gateway.finished).toMatchObject([{ status: 413, refusal: 'body-too-large' }]);
    const reason = 'the body is longer than 100000 bytes (fileLimit of the TemporaryStorage)';
    expect(JSON.parse(answers[0]!.body)).toMatchObject({ message: reason });
    const warning = { level: 40, refusal: 'body-too-large', backend: `127.0.0.1:${app.port}`, reason };
    expect(gateway.logged).toMatchObject([{ ...warning, msg: expect.stringContaining('asyncBehavior') }]);
    expect(app.connections).toBe(0);
    await untilTrue(() => directory.open() === 0);
  });

  it.each([
    ['ends its side', (client: RawClient) => client.finish()],
    ['resets', (client: RawClient) => void client.socket.resetAndDestroy()],
  ])('because the client %s in the middle', async (_case, leave) => {
    const directory = watchedDirectory();
    const app = await backend();
    const gateway = await serve(whole({}, directory.path));
    const client = await connected(gateway);
    client.send(head(app, 'Content-Length: 50000') + 'x'.repeat(5000));
    await untilTrue(() => directory.open() === 1);
    leave(client);
    await untilTrue(() => gateway.finished.length === 1);
    await untilTrue(() => directory.open() === 0);
    expect(app.connections).toBe(0);
    expect(gateway.faults).toEqual([]);
  });

  it('because the backend cannot be reached: no file is leaked', async () => {
    const directory = watchedDirectory();
    const gateway = await serve(whole({}, directory.path));
    const client = await connected(gateway);
    client.send(head({ port: 1 }, 'Content-Length: 50000') + 'x'.repeat(25_000));
    await untilTrue(() => directory.open() === 1);
    client.send('x'.repeat(25_000));
    const [answer] = await untilAnswers(client, 1);
    expect([answer!.status, refusalOf(answer!)]).toEqual([502, 'backend-connect']);
    await untilTrue(() => directory.open() === 0);
  });

  it.each([
    ['refuses to read it', (peer: ScriptedPeer) => peer.close(), 502],
    ['answers before', (peer: ScriptedPeer) => peer.send(plainAnswer('no', '403 No')), 403],
  ])('completely, because the backend %s each time: no file is leaked', async (_case, then, status) => {
    const directory = watchedDirectory();
    const storage = { type: 'TemporaryStorage', config: { memoryLimit: 1000, directory: directory.path } };
    const app = await backend(async (peer) => {
      await peer.head();
      peer.take();
      then(peer);
    });
    const retries = { count: 2, delay: '1 ms', condition: '${response.status.code == 403}' };
    const gateway = await serve(whole({ retries, temporaryStorage: storage }));
    const content = new BytePattern(1, 30_000_000); // more than the kernel takes for a backend that does not read
    const headers = { host: `127.0.0.1:${app.port}` };
    expect((await httpExchange({ port: gateway.port, headers, content })).status).toBe(status);
    expect(app.connections).toBe(3);
    await untilTrue(() => directory.open() === 0);
  });

  it('despite a retry: no file is leaked', async () => {
    const directory = watchedDirectory();
    const app = await backend(async (peer) => {
      if (peer.index === 2) {
        await echo(peer);
        return;
      }
      await peer.head(); // and some of the body
      peer.close();
    });
    const retries = { count: 3, delay: '1 ms' };
    const gateway = await serve(whole({ retries }, directory.path));
    const content = new BytePattern(2, 90_000);
    const headers = { host: `127.0.0.1:${app.port}` };
    const answer = await httpExchange({ port: gateway.port, headers, content, expected: content });
    expect(answer).toMatchObject({ status: 200, exact: true });
    await untilTrue(() => directory.open() === 0);
    await app.close();
    expect((await httpExchange({ port: gateway.port, headers, content })).status).toBe(502);
    await untilTrue(() => directory.open() === 0);
  });

  it('completely, because the backend answers early: no file is leaked', async () => {
    const directory = watchedDirectory();
    const storage = { type: 'TemporaryStorage', config: { memoryLimit: 1000, directory: directory.path } };
    const app = await backend(async (peer) => {
      await peer.head();
      peer.take();
      peer.send(plainAnswer('enough', '403 Forbidden'));
    });
    const gateway = await serve(whole({ temporaryStorage: storage }));
    const content = new BytePattern(1, 30_000_000); // more than the kernel takes for a backend that does not read
    const headers = { host: `127.0.0.1:${app.port}` };
    const answer = await httpExchange({ port: gateway.port, headers, content });
    expect(answer.status).toBe(403);
    await untilTrue(() => directory.open() === 0);
  });
});

describe('many at a time', () => {
  it('use little memory', async () => {
    const directory = watchedDirectory();
    const storage = { type: 'TemporaryStorage', config: { memoryLimit: 65_536, directory: directory.path } };
    const app = await backend();
    const gateway = await serve(whole({ temporaryStorage: storage, connections: 4 }));
    const before = memoryUse().arrayBuffers;
    const piece = Buffer.alloc(1 << 20, 120);
    const clients = await Promise.all(Array.from({ length: 30 }, () => connected(gateway)));
    for (const client of clients) {
      client.send(head(app, `Content-Length: ${4 << 20}`));
      for (let i = 0; i < 3; i++) client.send(piece);
    }
    await untilTrue(() => clients.every((client) => client.socket.writableLength === 0));
    await untilTrue(() => directory.open() === clients.length);
    await untilStill(() => directory.open());
    expect(memoryUse().arrayBuffers - before).toBeLessThan(30 << 20); // of 90 that were sent
    expect(app.connections).toBe(0);
    for (const client of clients) client.socket.resetAndDestroy();
    await untilTrue(() => directory.open() === 0);
  });
});

it('the default storage can be replaced by an object of that name', async () => {
  const app = await backend();
  const handler = { type: 'ReverseProxyHandler', config: { asyncBehavior: 'non_streaming' } };
  const heap = [{ name: 'TemporaryStorage', type: 'TemporaryStorage', config: { memoryLimit: 1, fileLimit: 10 } }];
  const lines = [`Host: 127.0.0.1:${app.port}`, 'Expect: 100-continue'];
  const small = await serve(handler, heap);
  expect((await send(small, 'POST /', [...lines, 'Content-Length: 11'])).status).toBe(413);
});
