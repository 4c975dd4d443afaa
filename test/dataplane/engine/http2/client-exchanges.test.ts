import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { HttpBackend } from '../../../support/backends/http-backend.ts';
import { untilStill, untilTrue } from '../../../support/clients/event-loop.ts';
import { randomNumbers } from '../../../support/clients/random.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

interface Outcome {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly content: Buffer;
  readonly trailers: IncomingHttpHeaders | null;
  readonly interim: number[];
  readonly error: number;
}

const BLOCK = Buffer.alloc(65_536, 'x');
let backend: HttpBackend;
let gateway: TestGateway;
let session: ClientHttp2Session;

beforeAll(async () => {
  backend = await HttpBackend.start(async (request, response) => {
    const url = new URL(request.url!, 'http://backend');
    if (url.pathname === '/early') {
      response.end('early');
      return;
    }
    if (url.pathname === '/never') return;
    if (url.pathname === '/hints') response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    switch (url.pathname) {
      case '/echo':
        response.setHeader('x-length', String(request.headers['content-length']));
        response.end(content);
        break;
      case '/seen':
        response.end(
          JSON.stringify({ method: request.method, lines: request.rawHeaders, trailers: request.rawTrailers }),
        );
        break;
      case '/trailers':
        response.setHeader('trailer', 'grpc-status');
        response.write('data');
        response.addTrailers({ 'Grpc-Status': '0', Digest: 'a b' });
        response.end();
        break;
      case '/cut':
        response.setHeader('content-length', '100');
        response.write('half');
        setImmediate(() => response.destroy());
        break;
      case '/cut-chunked':
        response.write('half');
        setImmediate(() => response.destroy());
        break;
      case '/endless':
        response.on('drain', () => response.write(BLOCK));
        while (response.write(BLOCK));
        break;
      default:
        response.statusCode = Number(url.searchParams.get('status') ?? 200);
        for (const [name, value] of url.searchParams)
          if (name.startsWith('h.')) response.appendHeader(name.slice(2), value);
        response.end(response.statusCode === 204 || response.statusCode === 304 ? undefined : 'content');
    }
  });
  gateway = await startGateway({
    backend: { destination: backend.destination },
    handler: (forward) => async (exchange) => {
      const { request } = exchange;
      switch (request.uri.path) {
        case '/made':
          return textResponse(200, 'x'.repeat(200_000));
        case '/stream': {
          const response = new Response(200);
          response.entity.setStream(
            (async function* () {
              for (let i = 0; i < 100; i++) yield Buffer.alloc(10_000, 97 + (i % 26));
            })(),
          );
          return response;
        }
        case '/facts':
          return textResponse(200, `${request.version} ${exchange.router.originalUri} ${request.headers.get('host')}`);
        case '/read':
          return textResponse(200, String((await request.entity.bytes()).length));
        default:
          return await forward(exchange);
      }
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});
beforeEach(() => {
  session = connect(`http://127.0.0.1:${gateway.port}`);
  session.on('error', () => {});
});
afterEach(() => {
  session.destroy();
  expect(gateway.faults).toEqual([]);
});

function call(
  path: string,
  headers: OutgoingHttpHeaders = {},
  content: Buffer | null = null,
  trailers: OutgoingHttpHeaders | null = null,
): Promise<Outcome> {
  const stream = session.request(
    { ':path': path, ...headers },
    { endStream: content === null, waitForTrailers: trailers !== null },
  );
  const chunks: Buffer[] = [];
  const interim: number[] = [];
  let answer: IncomingHttpHeaders = {};
  let last: IncomingHttpHeaders | null = null;
  stream.on('headers', (found) => interim.push(Number(found[':status'])));
  stream.on('response', (found) => {
    answer = found;
  });
  stream.on('trailers', (found) => {
    last = found;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', () => {});
  if (trailers !== null) stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  if (content !== null) stream.end(content);
  return new Promise((resolve) => {
    stream.on('close', () =>
      resolve({
        status: Number(answer[':status'] ?? 0),
        headers: answer,
        content: Buffer.concat(chunks),
        trailers: last,
        interim,
        error: stream.rstCode,
      }),
    );
  });
}

const pattern = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, i) => (i * 31) & 255));

describe('answers of a backend', () => {
  it.each([
    [200, {}, 'content'],
    [404, {}, 'content'],
    [599, {}, 'content'],
    [204, {}, ''],
    [304, {}, ''],
    [200, { ':method': 'HEAD' }, ''],
  ])('%i for %j', async (status, headers, content) => {
    const outcome = await call(`/?status=${status}&h.x-one=1&h.x-two=a&h.x-two=b`, headers);
    expect(outcome).toMatchObject({ status, error: 0, trailers: null });
    expect(outcome.content.toString()).toBe(content);
    expect(outcome.headers['x-one']).toBe('1');
    expect(outcome.headers['x-two']).toBe('a, b');
    expect(outcome.headers).not.toHaveProperty('connection');
    expect(outcome.headers).not.toHaveProperty('transfer-encoding');
    if (content !== '') expect(outcome.headers['content-length']).toBe('7');
    expect(gateway.finished.at(-1)).toMatchObject({ status, sent: content.length, refusal: null });
  });

  it('has trailers', async () => {
    const outcome = await call('/trailers');
    expect(outcome.content.toString()).toBe('data');
    expect(outcome.trailers).toMatchObject({ 'grpc-status': '0', digest: 'a b' });
  });

  it('arrives after 103 Early Hints', async () => {
    const outcome = await call('/hints');
    expect(outcome).toMatchObject({ status: 200, interim: [103] });
  });

  it.each(['/cut', '/cut-chunked'])('that breaks off at %s is reset and never complete', async (path) => {
    const outcome = await call(path);
    expect(outcome).toMatchObject({ status: 200, error: constants.NGHTTP2_INTERNAL_ERROR });
    await untilTrue(() => gateway.finished.at(-1)?.path === path);
    expect(gateway.finished.at(-1)!.refusal).toBe('backend-cut');
  });
});

describe('answers of the gateway', () => {
  it('larger than a window', async () => {
    const outcome = await call('/made');
    expect(outcome.content.toString()).toBe('x'.repeat(200_000));
    expect(outcome.headers['date']).toBeDefined();
    expect(outcome.headers['content-length']).toBe('200000');
  });

  it('from a stream', async () => {
    const outcome = await call('/stream');
    expect(outcome).toMatchObject({ status: 200, error: 0 });
    expect(outcome.content).toHaveLength(1_000_000);
  });

  it('know version, host and port', async () => {
    const outcome = await call('/facts?a=b', { ':authority': 'gateway.example:8443' });
    expect(outcome.content.toString()).toBe('HTTP/2 http://gateway.example:8443/facts?a=b gateway.example:8443');
  });
});

describe('requests', () => {
  it.each([1, 1000, 70_000, 3_000_000])('with %i bytes of content, both ways', async (length) => {
    const content = pattern(length);
    const sized = await call('/echo', { ':method': 'POST', 'content-length': length }, content);
    expect(sized.content.equals(content)).toBe(true);
    expect(sized.headers['x-length']).toBe(String(length));
    const unsized = await call('/echo', { ':method': 'POST' }, content);
    expect(unsized.content.equals(content)).toBe(true);
    expect(unsized.headers['x-length']).toBe('undefined');
    expect((await call('/read', { ':method': 'POST' }, content.subarray(0, 500_000))).content.toString()).toBe(
      String(Math.min(length, 500_000)),
    );
  });

  it('have the same values as over HTTP/1', async () => {
    const headers = { cookie: ['a=1', 'b=2'], te: 'trailers', 'x-a': ['1', '2'], 'content-type': 'x/y' };
    const outcome = await call('/seen', { ':method': 'POST', ...headers }, Buffer.from('z'), { digest: '1' });
    const { method, lines, trailers } = JSON.parse(outcome.content.toString()) as Record<string, string[]>;
    expect(method).toBe('POST');
    const pairs = Array.from({ length: lines!.length / 2 }, (_, i) => `${lines![2 * i]}: ${lines![2 * i + 1]}`);
    expect(pairs).toEqual(
      [
        `host: 127.0.0.1:${gateway.port}`,
        'x-a: 1',
        'x-a: 2',
        'content-type: x/y',
        'cookie: a=1; b=2',
        'X-Forwarded-For: 127.0.0.1',
        'X-Forwarded-Proto: http',
        `X-Forwarded-Port: ${gateway.port}`,
        `X-Forwarded-Host: 127.0.0.1:${gateway.port}`,
        'Via: 2 gatewarden',
        'Transfer-Encoding: chunked',
        'Connection: keep-alive',
      ].slice(0, pairs.length),
    );
    expect(trailers).toEqual(['digest', '1']);
  });

  it('that expect 100 Continue get it', async () => {
    const stream = session.request({
      ':path': '/echo',
      ':method': 'POST',
      expect: '100-continue',
      'content-length': 2,
    });
    let content = '';
    stream.on('data', (chunk: Buffer) => (content += chunk));
    await once(stream, 'continue');
    stream.end('ok');
    await once(stream, 'close');
    expect(content).toBe('ok');
  });

  it('that are answered before they are complete need not be completed', async () => {
    const stream = session.request({ ':path': '/early', ':method': 'POST' });
    let content = '';
    stream.on('data', (chunk: Buffer) => (content += chunk));
    stream.write('some');
    await once(stream, 'end');
    expect(content).toBe('early');
    await once(stream, 'close');
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    expect((await call('/')).status).toBe(200);
  });

  it('that are cancelled are cancelled at the backend', async () => {
    const before = gateway.finished.length;
    const stream = session.request({ ':path': '/never' });
    stream.on('error', () => {});
    await call('/');
    stream.close(constants.NGHTTP2_CANCEL);
    await untilTrue(() => gateway.finished.length > before + 1);
    expect(gateway.finished.at(-1)).toMatchObject({ path: '/never', status: 499 });
  });

  it('run side by side on one connection', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => call('/echo', { ':method': 'POST' }, pattern(i * 100))),
    );
    expect(outcomes.map(({ content }, i) => content.equals(pattern(i * 100)))).not.toContain(false);
  });

  it('with random headers arrive unchanged at the backend, and its response at the client', async () => {
    const random = randomNumbers(7);
    const word = (): string =>
      Array.from({ length: 1 + random(30) }, () => String.fromCharCode(33 + random(94))).join('');
    for (let i = 0; i < 60; i++) {
      const sent: [string, string][] = Array.from({ length: random(20) }, (_, k) => [
        `x-${k}-${random(3)}`,
        random(4) === 0 ? 'the same' : `${word()} ${word()}`,
      ]);
      const outcome = await call('/seen', Object.fromEntries(sent));
      const { lines } = JSON.parse(outcome.content.toString()) as { lines: string[] };
      for (const [name, value] of new Map(sent)) expect(lines[lines.indexOf(name) + 1]).toBe(value);
      const query = new URLSearchParams(sent.map(([name, value]): [string, string] => [`h.${name}`, value]));
      const answer = await call(`/?${query}`);
      for (const [name, value] of new Map(sent)) expect(answer.headers[name]).toContain(value);
    }
  });
});

describe('back-pressure', () => {
  it('a client that does not read pauses its own backend only', async () => {
    const stream = session.request({ ':path': '/endless' });
    stream.on('error', () => {});
    await once(stream, 'response');
    stream.pause();
    const sent = (): number =>
      (stream as unknown as { readonly state: { readonly localWindowSize?: number } }).state.localWindowSize ?? 0;
    await untilStill(sent);
    expect((await call('/made')).content).toHaveLength(200_000);
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    expect((await call('/')).status).toBe(200);
  });

  it('a backend that does not read pauses the client', async () => {
    const stream = session.request({ ':path': '/never', ':method': 'POST' });
    stream.on('error', () => {});
    let taken = 0;
    const block = Buffer.alloc(65_536);
    const push = (): void => {
      stream.write(block, () => {
        taken += block.length;
        if (taken < 1 << 28) push();
      });
    };
    push();
    const last = await untilStill(() => taken);
    expect(last).toBeLessThan(1 << 26);
    expect((await call('/echo', { ':method': 'POST' }, pattern(5000))).content).toHaveLength(5000);
    stream.close(constants.NGHTTP2_CANCEL);
  });
});
