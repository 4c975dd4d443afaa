import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callHandler, OwnCallTimeout } from '../../../../dataplane/engine/backend/own-call.ts';
import type { Exchange, Next } from '../../../../dataplane/engine/message/exchange.ts';
import { heldContent } from '../../../../dataplane/engine/message/held-content.ts';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { clock } from '../../../../dataplane/engine/wire/clock.ts';
import { unwatch, watch } from '../../../../dataplane/engine/wire/sweep.ts';
import { HttpBackend } from '../../../support/backends/http-backend.ts';
import { ask } from '../../../support/clients/answers.ts';
import { buildObjects } from '../../../support/gateways/built-object.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';

/** A backend that answers with what it was asked. */
async function mirror(): Promise<string> {
  const backend = await HttpBackend.start(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: String(Buffer.concat(chunks)),
    };
    response.writeHead(201, { 'content-type': 'application/json', 'x-two': ['a', 'b'] });
    response.end(JSON.stringify(seen));
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  return `http://${host}:${port}`;
}

function client(): Next {
  return buildObjects([{ name: 'it', type: 'ClientHandler', config: {} }]).get('handler', 'it');
}

it('sends a request and reads the complete response', async () => {
  const place = await mirror();
  const answer = await callHandler(
    client(),
    { method: 'POST', uri: `${place}/token?a=1`, headers: { 'Content-Type': 'text/x' }, content: 'a=b' },
    { parent: null },
  );
  expect(answer.status).toBe(201);
  expect(answer.header('X-Two')).toBe('a, b');
  expect(answer.header('x-three')).toBeNull();
  expect(JSON.parse(String(answer.content))).toMatchObject({
    method: 'POST',
    url: '/token?a=1',
    body: 'a=b',
    headers: { host: new URL(place).host, 'content-type': 'text/x', 'content-length': '3', via: '1.1 gatewarden' },
  });
});

it('counts its deadline from now, however long the engine was idle before', async () => {
  const { promise: swept, resolve: sweep } = Promise.withResolvers<void>();
  const backend = await HttpBackend.start(async (_request, response) => {
    await swept;
    response.end('late');
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  const handler = client();
  clock.now -= 3_600_000; // what it shows after an hour without traffic
  const answer = callHandler(handler, { method: 'GET', uri: `http://${host}:${port}/` }, { parent: null });
  let sweeps = 0;
  const watcher = {
    deadline: Number.NEGATIVE_INFINITY,
    slot: -1,
    overdue(): void {
      if (++sweeps < 3) return;
      unwatch(watcher);
      sweep();
    },
  };
  watch(watcher);
  expect(String((await answer).content)).toBe('late');
});

it('forwards only the transaction id of the client', async () => {
  const place = await mirror();
  const handler = client();
  let seen: Exchange | null = null;
  const watching: Next = (exchange) => {
    seen = exchange;
    return handler(exchange);
  };
  let parent: Exchange | null = null;
  const asking: Next = async (exchange) => {
    parent = exchange;
    exchange.setContext('mine', { a: 1 });
    exchange.attributes.set('b', 2);
    const answer = await callHandler(watching, { method: 'GET', uri: place }, { parent: exchange });
    const response = new Response(200);
    response.entity.set(answer.content);
    return response;
  };
  const gateway = await startGateway({ handler: () => asking });
  onTestFinished(() => gateway.close());
  const lines = [
    'GET / HTTP/1.1',
    'Host: gw.test',
    'X-Forwarded-For: 9.9.9.9',
    'Cookie: c=d',
    'Via: 1.1 other, 1.0 gatewarden, 1.1 x gatewarden',
    '',
  ];
  const { headers } = JSON.parse((await ask(gateway.port, lines.join('\r\n'))).body);
  expect(headers).not.toHaveProperty('cookie');
  expect(headers).not.toHaveProperty('x-forwarded-for');
  expect(headers.via).toBe('1.1 gatewarden, 1.1 gatewarden, 1.1 gatewarden'); // counted, in our own words
  expect(seen!.context('mine')).toEqual({ a: 1 });
  expect(seen!.attributes.get('b')).toBe(2);
  expect(seen!.transactionId).toBe(parent!.transactionId);
  expect(seen!.client.remoteAddress).toBe('127.0.0.1');
});

it('reports an unreachable backend as its handler does', async () => {
  const backend = await HttpBackend.start(() => {});
  const { host, port } = backend.destination;
  await backend.close();
  const request = { method: 'GET', uri: `http://${host}:${port}/` };
  await expect(callHandler(client(), request, { parent: null })).rejects.toThrow('backend-connect');
  const proxy = buildObjects([{ name: 'it', type: 'ReverseProxyHandler', config: {} }]).get('handler', 'it');
  expect((await callHandler(proxy, request, { parent: null })).status).toBe(502);
});

it('rejects with the error of a filter', async () => {
  const broken: Next = () => {
    throw new Error('no password');
  };
  await expect(callHandler(broken, { method: 'GET', uri: 'http://a.test/' }, { parent: null })).rejects.toThrow(
    'no password',
  );
  const rejecting: Next = () => Promise.reject(new Error('no key'));
  await expect(callHandler(rejecting, { method: 'GET', uri: 'http://a.test/' }, { parent: null })).rejects.toThrow(
    'no key',
  );
});

it('rejects content beyond its limit', async () => {
  const backend = await HttpBackend.start((_request, response) => void response.end('x'.repeat(2000)));
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  const uri = `http://${host}:${port}/`;
  await expect(callHandler(client(), { method: 'GET', uri }, { parent: null, limit: 1000 })).rejects.toThrow('1000');
});

it('rejects content that breaks off', async () => {
  const backend = await HttpBackend.start((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.destroy());
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  await expect(
    callHandler(client(), { method: 'GET', uri: `http://${host}:${port}/` }, { parent: null }),
  ).rejects.toThrow('the body ended early');
});

it('times out when the response does not end, and closes the connection', async () => {
  let gone = (): void => {};
  const left = new Promise<void>((resolve) => (gone = resolve));
  const asked = Promise.withResolvers<void>();
  const backend = await HttpBackend.start((request, response) => {
    request.socket.on('close', gone);
    response.writeHead(200);
    response.write('and then', () => asked.resolve());
  });
  onTestFinished(() => backend.close());
  const { host, port } = backend.destination;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // its time is over once the backend has begun
  onTestFinished(() => void vi.useRealTimers());
  const call = callHandler(client(), { method: 'GET', uri: `http://${host}:${port}/` }, { parent: null, timeout: 50 });
  await asked.promise;
  vi.advanceTimersByTime(50);
  await expect(call).rejects.toThrow(OwnCallTimeout);
  await left;
});

it('times out for a handler that never answers', async () => {
  const silent: Next = () => new Promise<never>(() => {});
  await expect(
    callHandler(silent, { method: 'GET', uri: 'http://a.test/' }, { parent: null, timeout: 20 }),
  ).rejects.toThrow(OwnCallTimeout);
});

describe('an answer to a call of the gateway where handlers do not stream', () => {
  /** Time for a call that a busy machine needs long for. */
  const PATIENT = 250_000;

  /** Handlers that cannot put anything into a file. */
  function withoutFiles(type: string): Next {
    const parent = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const directory = join(parent, 'files');
    const storage = { type: 'TemporaryStorage', config: { directory, memoryLimit: 1000 } };
    const config = { asyncBehavior: 'non_streaming', temporaryStorage: storage, soTimeout: 'zero' };
    const handler = buildObjects([{ name: 'it', type, config }]).get('handler', 'it');
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'a file is in its place');
    return handler;
  }

  async function sending(send: (response: ServerResponse) => void): Promise<string> {
    const backend = await HttpBackend.start(async (_, response) => send(response));
    onTestFinished(() => backend.close());
    return `http://${backend.destination.host}:${backend.destination.port}/`;
  }

  it('buffers the response in memory, not in a file', async () => {
    const uri = await sending((response) => response.end('x'.repeat(1_000_000)));
    const request = { method: 'GET', uri };
    const answer = await callHandler(withoutFiles('ClientHandler'), request, { parent: null, timeout: PATIENT });
    expect([answer.status, answer.content.length]).toEqual([200, 1_000_000]);
    expect(heldContent.bytes).toBe(0);
  });

  it.each(['ClientHandler', 'ReverseProxyHandler'])(
    'is broken off at its limit by a %s if it never ends',
    async (type) => {
      let sent = 0;
      const over = Promise.withResolvers<void>();
      const uri = await sending((response) => {
        response.on('close', over.resolve);
        const more = (): void => {
          if (response.closed) return;
          sent += 65_536;
          if (response.write(Buffer.alloc(65_536))) setImmediate(more);
          else response.once('drain', more);
        };
        response.on('close', () => response.removeAllListeners('drain'));
        more();
      });
      const call = callHandler(withoutFiles(type), { method: 'GET', uri }, { parent: null, timeout: PATIENT });
      if (type === 'ClientHandler') await expect(call).rejects.toThrow('backend-body-too-large');
      else expect((await call).status).toBe(502);
      await over.promise;
      expect(sent).toBeLessThan(32 << 20); // what the buffers of the machine take beyond the limit
      expect(heldContent.bytes).toBe(0);
    },
  );
});
