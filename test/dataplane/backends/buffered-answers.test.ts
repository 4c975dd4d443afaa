import { rmSync, writeFileSync } from 'node:fs';
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
import { nextTurn, untilStill, untilTrue } from '../../support/clients/event-loop.ts';
import { httpExchange } from '../../support/clients/http-exchange.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const LIMITS = { memoryLimit: 1000, fileLimit: 100_000 };

async function backend(script: Script): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

function whole(config: JsonObject = {}, directory?: string): JsonValue {
  const storage = { ...LIMITS, ...(directory === undefined ? {} : { directory }) };
  const temporaryStorage = { type: 'TemporaryStorage', config: storage };
  return { type: 'ReverseProxyHandler', config: { asyncBehavior: 'non_streaming', temporaryStorage, ...config } };
}

const to = (app: ScriptedBackend): string[] => [`Host: 127.0.0.1:${app.port}`];

/** Sends the parts with turns between them, so that the gateway reads them apart. */
async function inParts(peer: ScriptedPeer, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    peer.send(part);
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  }
}

const scripted = (parts: readonly string[], then: (peer: ScriptedPeer) => void = () => {}): Script =>
  eachRequest(async (_request, peer) => {
    await inParts(peer, parts);
    then(peer);
    return undefined;
  });

const close = (peer: ScriptedPeer): void => peer.close();
const end = (peer: ScriptedPeer): void => peer.end();
const reset = (peer: ScriptedPeer): void => peer.reset();
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe('an answer that is passed on when it is whole', () => {
  it.each<[string, Script, string, string | undefined]>([
    ['with a length', scripted([`${OK}Content-Length: 6\r\n\r\nabc`, 'def']), 'abcdef', '6'],
    ['that came at once', scripted([plainAnswer('abcdef')]), 'abcdef', '6'],
    ['in chunks', scripted([`${CHUNKED}3\r\nabc\r\n`, '3\r\ndef\r\n', '0\r\n\r\n']), 'abcdef', '6'],
    ['that ends with its connection', scripted([`${OK}\r\nabc`, 'def'], end), 'abcdef', '6'],
    ['without content', scripted([`${OK}Content-Length: 0\r\n\r\n`]), '', '0'],
    ['in chunks, without content', scripted([CHUNKED, '0\r\n\r\n']), '', '0'],
    ['beyond the memory', scripted([`${OK}Content-Length: 3000\r\n\r\n`, 'x'.repeat(3000)]), 'x'.repeat(3000), '3000'],
    ['as long as allowed', scripted([`${OK}\r\n`, 'x'.repeat(100_000)], end), 'x'.repeat(100_000), '100000'],
  ])('is complete and unchanged: %s', async (_case, script, body, length) => {
    const app = await backend(script);
    const answer = await send(await serve(whole()), 'GET /', to(app));
    expect(answer).toMatchObject({ status: 200, body });
    expect(answer.headers.get('content-length')).toBe(length);
    expect(answer.headers.has('transfer-encoding')).toBe(false);
  });

  it.each([
    ['in memory', 'abc'],
    ['in a file', 'x'.repeat(5000)],
  ])('keeps its trailers, %s', async (_case, body) => {
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
    const app = await backend(scripted([`${CHUNKED}${chunk}`, '0\r\nDigest: 7\r\n\r\n']));
    const gateway = await serve(whole());
    const client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    const text = await client.until((all) => all.endsWith('\r\n\r\n') && all.includes('Digest'));
    client.destroy();
    expect(text.toLowerCase()).toContain('transfer-encoding: chunked\r\n');
    expect(text).toMatch(new RegExp(`${body}\r\n0\r\nDigest: 7\r\n\r\n$`));
  });

  it.each([
    ['HEAD', `${OK}Content-Length: 12\r\n\r\n`, 200, '12'],
    ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', 204, undefined],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n', 304, undefined],
  ])('%s answered by %j has no content', async (method, bytes, status, length) => {
    const app = await backend(scripted([bytes]));
    const answer = await send(await serve(whole()), `${method} /`, to(app));
    expect([answer.status, answer.body, answer.headers.get('content-length')]).toEqual([status, '', length]);
  });

  it('is not seen before its end', async () => {
    const goOn = Promise.withResolvers<void>();
    const app = await backend(
      eachRequest(async (_request, peer) => {
        peer.send(`${OK}Content-Length: 6\r\n\r\nabc`);
        await goOn.promise;
        return 'def';
      }),
    );
    const gateway = await serve(whole());
    const client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    await app.until(() => app.requests.length === 1);
    expect(await untilStill(() => client.bytes.length)).toBe(0);
    goOn.resolve();
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'abcdef' }]);
    client.destroy();
  });

  it('goes to an unnamed file that is removed afterwards', async () => {
    const directory = watchedDirectory();
    const content = new BytePattern(3, 90_000);
    const app = await backend(
      eachRequest(async (_request, peer) => {
        peer.send(`${OK}Content-Length: ${content.length}\r\n\r\n`);
        await peer.sendPieces(content.whole().subarray(0, 80_000), 7000);
        await untilTrue(() => directory.open() === 1);
        return content.whole().subarray(80_000);
      }),
    );
    const gateway = await serve(whole({}, directory.path));
    const headers = { host: `127.0.0.1:${app.port}` };
    const answer = await httpExchange({ port: gateway.port, headers, expected: content });
    expect(answer).toMatchObject({ status: 200, exact: true });
    await untilTrue(() => directory.open() === 0);
    expect(directory.names()).toEqual([]);
  });

  it('leaves no file behind when the client leaves', async () => {
    const directory = watchedDirectory();
    const app = await backend(
      eachRequest((_request, peer) => {
        peer.send(`${OK}Content-Length: 90000\r\n\r\n${'x'.repeat(50_000)}`);
        return undefined;
      }),
    );
    const gateway = await serve(whole({}, directory.path));
    const client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    await untilTrue(() => directory.open() === 1);
    client.socket.resetAndDestroy();
    await untilTrue(() => directory.open() === 0);
    await app.peers[0]!.untilClosed();
  });

  it('leaves no file behind when the client leaves while it is sent', async () => {
    const directory = watchedDirectory();
    const storage = { type: 'TemporaryStorage', config: { memoryLimit: 1000, directory: directory.path } };
    const length = 30_000_000; // more than the kernel takes for somebody who does not read
    const app = await backend(
      eachRequest((_request, peer) => {
        peer.send(`${OK}Content-Length: ${length}\r\n\r\n`);
        peer.send(Buffer.alloc(length, 120));
        return undefined;
      }),
    );
    const gateway = await serve(whole({ temporaryStorage: storage }));
    const client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    await client.until((text) => text.length > 0);
    client.socket.pause();
    expect(directory.open()).toBe(1);
    client.destroy();
    await untilTrue(() => directory.open() === 0);
  });
});

describe('an answer that is not passed on', () => {
  it.each<[string, Script, string]>([
    ['one that is cut', scripted([`${OK}Content-Length: 6\r\n\r\nabc`], close), 'backend-cut'],
    ['one that is reset', scripted([`${OK}Content-Length: 6\r\n\r\nabc`], reset), 'backend-cut'],
    ['one that ends early', scripted([`${OK}Content-Length: 6\r\n\r\nabc`], end), 'backend-cut'],
    ['one that is cut between chunks', scripted([`${CHUNKED}3\r\nabc\r\n`], close), 'backend-cut'],
    ['one that is reset instead of ended', scripted([`${OK}\r\n`, 'abc'], reset), 'backend-cut'],
    ['one that is cut when it is in a file', scripted([`${OK}\r\n${'x'.repeat(9000)}`], reset), 'backend-cut'],
    ['one whose chunks go wrong', scripted([`${CHUNKED}3\r\nabc\r\n`, 'zz\r\n']), 'backend-malformed'],
    ['one that falls silent', scripted([`${OK}Content-Length: 6\r\n\r\nabc`]), 'backend-timeout'],
    ['one that is announced too long', scripted([`${OK}Content-Length: 100001\r\n\r\n`]), 'backend-body-too-large'],
    ['one that becomes too long', scripted([`${OK}\r\n`, 'x'.repeat(100_001)]), 'backend-body-too-large'],
    [
      'one that becomes too long in chunks',
      scripted([CHUNKED, `186a1\r\n${'x'.repeat(100_001)}\r\n0\r\n\r\n`]),
      'backend-body-too-large',
    ],
    ['events', scripted([`${OK}Content-Type: text/event-stream\r\n\r\ndata: 1\n\n`]), 'backend-event-stream'],
    [
      'events in chunks',
      scripted([`${OK}content-type: Text/Event-Stream;charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n`]),
      'backend-event-stream',
    ],
  ])('gives 502: %s', async (_case, script, refusal) => {
    const directory = watchedDirectory();
    const app = await backend(script);
    const gateway = await serve(whole({ soTimeout: '300 ms' }, directory.path));
    const answer = await send(gateway, 'GET /', to(app));
    expect([answer.status, refusalOf(answer)]).toEqual([502, refusal]);
    expect(gateway.finished).toMatchObject([{ status: 502, refusal }]);
    const told = gateway.logged.filter((line) => line['refusal'] === refusal);
    expect(told).toMatchObject([{ level: 40, backend: `127.0.0.1:${app.port}` }]);
    await app.peers[0]!.untilClosed();
    await untilTrue(() => directory.open() === 0);
  });

  it('one that cannot be buffered', async () => {
    const directory = watchedDirectory();
    const app = await backend(scripted([`${OK}\r\n${'x'.repeat(5000)}`], end));
    const taken = `${directory.path}/taken`;
    const gateway = await serve(whole({}, taken));
    rmSync(taken, { recursive: true });
    writeFileSync(taken, 'not a directory');
    const answer = await send(gateway, 'GET /', to(app));
    expect([answer.status, refusalOf(answer)]).toEqual([500, 'internal']);
    expect(gateway.logged).toMatchObject([
      { refusal: 'internal', reason: expect.stringContaining('cannot be buffered') },
    ]);
  });
});

describe('streaming or not', () => {
  it.each([
    [true, undefined, true],
    [false, undefined, false],
    [true, 'non_streaming', false],
    [false, 'streaming', true],
    [false, 'STREAMING', true],
  ])('streamingEnabled %s, asyncBehavior %s: streams %s', async (streaming, asyncBehavior, streams) => {
    const app = await backend(
      eachRequest(async (_request, peer) => {
        peer.send(`${OK}Content-Type: text/event-stream\r\n\r\n`);
        return 'data: 1\n\n';
      }),
    );
    const config = asyncBehavior === undefined ? {} : { asyncBehavior };
    const gateway = await serve({ type: 'ReverseProxyHandler', config }, [], { streaming });
    const client = await RawClient.connect(gateway.port);
    onTestFinished(() => client.destroy());
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    const text = await client.until((all) => all.includes('data: 1') || all.includes('refusal'));
    expect(text.startsWith('HTTP/1.1 200 ')).toBe(streams);
  });

  it('each event arrives before the next one is sent', async () => {
    const order: string[] = [];
    let arrived = Promise.withResolvers<void>();
    const app = await backend(
      eachRequest(async (_request, peer) => {
        peer.send(`${OK}Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`);
        for (let i = 0; i < 5; i++) {
          arrived = Promise.withResolvers<void>();
          order.push(`sent ${i}`);
          peer.send(`9\r\ndata: ${i}\n\n\r\n`);
          await arrived.promise;
        }
        return '0\r\n\r\n';
      }),
    );
    const gateway = await serve({ type: 'ReverseProxyHandler', config: { asyncBehavior: 'streaming' } });
    const client = await RawClient.connect(gateway.port);
    client.send(`GET / HTTP/1.1\r\n${to(app)[0]}\r\n\r\n`);
    for (let i = 0; i < 5; i++) {
      await client.until((text) => text.includes(`data: ${i}\n\n`));
      order.push(`arrived ${i}`);
      arrived.resolve();
    }
    expect(order).toEqual([0, 1, 2, 3, 4].flatMap((i) => [`sent ${i}`, `arrived ${i}`]));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200 }]);
    client.destroy();
  });
});
