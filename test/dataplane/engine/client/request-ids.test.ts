import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { ask, exchangeBytes } from '../../../support/clients/answers.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const CREATED = /^[0-9a-f]{32}$/;
const CREATED_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

let backend: StrictBackend;
let gateway: TestGateway;

beforeAll(async () => {
  backend = await StrictBackend.start();
  return () => backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
});
afterEach(() => gateway.close());

async function start(
  isTrusted = false,
  handler?: Parameters<typeof startGateway>[0]['handler'],
  requestIds = true,
): Promise<void> {
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    trustedProxies: isTrusted ? ['127.0.0.0/8'] : [],
    limits: { requestIds },
    ...(handler === undefined ? {} : { handler }),
  });
}

/** Sends a request with these lines. @returns the ids that reached the backend, by name. */
async function forward(...lines: string[]): Promise<Record<string, string[]>> {
  const answer = await ask(gateway.port, ['GET / HTTP/1.1', 'Host: shop.example', ...lines, ''].join('\r\n'));
  expect(answer.status).toBe(200);
  expect(backend.violations).toEqual([]);
  const sent = backend.requests.at(-1)!.headers.filter(([name]) => /^(x.request.id|trace.*)$/.test(name));
  return Object.fromEntries(
    [...Map.groupBy(sent, ([name]) => name)].map(([name, all]) => [name, all.map(([, value]) => value)]),
  );
}

describe('a request of an untrusted client', () => {
  it('gets a new request id and a new trace, which the log names too', async () => {
    await start();
    const first = await forward();
    const second = await forward();
    expect(Object.keys(first)).toEqual(['x-request-id', 'traceparent']);
    const [id] = first['x-request-id']!;
    expect(id).toMatch(CREATED);
    expect(CREATED_PARENT.exec(first['traceparent']![0]!)?.[1]).toBe(id);
    expect(second['x-request-id']![0]).not.toBe(id);
    expect(gateway.finished[0]?.ids).toMatchObject({ requestId: id, traceId: id });
  });

  it('cannot bring ids of its own, under any spelling', async () => {
    await start();
    const sent = await forward('X-Request-Id: mine', `Traceparent: ${PARENT}`, 'TraceState: a=1', 'x_request_id: mine');
    expect(Object.keys(sent).sort()).toEqual(['traceparent', 'x-request-id']);
    expect(sent['x-request-id']).toEqual([expect.stringMatching(CREATED)]);
    expect(sent['traceparent']).toEqual([expect.not.stringContaining(TRACE)]);
  });

  it('has thousands of ids without one twice', async () => {
    await start(false, () => () => textResponse(200, ''));
    const requests = 3000;
    await exchangeBytes(
      gateway.port,
      `${'GET / HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(requests - 1)}GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
    );
    expect(new Set(gateway.finished.map(({ ids }) => ids?.requestId)).size).toBe(requests);
  });
});

describe('a request of a trusted peer', () => {
  it('keeps its request id, its trace and the state of it, and gets a parent of ours', async () => {
    await start(true);
    const sent = await forward(
      'X-Request-Id: edge-7.a/b',
      `traceparent: ${PARENT}`,
      'tracestate: a=1',
      'tracestate: b=2',
    );
    expect(sent['x-request-id']).toEqual(['edge-7.a/b']);
    expect(sent['traceparent']).toEqual([expect.stringMatching(CREATED_PARENT)]);
    expect(sent['traceparent']![0]).toContain(TRACE);
    expect(sent['traceparent']![0]).not.toBe(PARENT);
    expect(sent['tracestate']).toEqual(['a=1,b=2']);
    expect(gateway.finished[0]?.ids).toMatchObject({ requestId: 'edge-7.a/b', traceId: TRACE });
  });

  it('is not sampled when the peer does not sample', async () => {
    await start(true);
    const sent = await forward(`traceparent: ${PARENT.slice(0, -2)}fe`);
    expect(sent['traceparent']).toEqual([expect.stringMatching(/-00$/)]);
    expect(sent['x-request-id']).toEqual([expect.stringMatching(CREATED)]);
  });

  it.each([
    ['X-Request-Id: a b'],
    [`X-Request-Id: ${'a'.repeat(129)}`],
    ['X-Request-Id: "quoted"'],
    ['X-Request-Id: one', 'X-Request-Id: two'],
    ['Connection: X-Request-Id', 'X-Request-Id: listed'],
    [`traceparent: ${PARENT.toUpperCase()}`],
    [`traceparent: 00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    [`traceparent: 00-${TRACE}-${'0'.repeat(16)}-01`],
    [`traceparent: ff${PARENT.slice(2)}`],
    [`traceparent: ${PARENT}-more`],
    [`traceparent: ${PARENT}`, `traceparent: ${PARENT}`],
  ])('gets new ids in place of malformed ones: %s', async (...lines) => {
    await start(true);
    const sent = await forward(...lines, 'tracestate: a=1');
    expect(sent['x-request-id']).toEqual([expect.stringMatching(CREATED)]);
    expect(sent['traceparent']).toEqual([expect.stringMatching(CREATED_PARENT)]);
    expect(sent['traceparent']![0]).not.toContain(TRACE);
    expect(sent['tracestate']).toBeUndefined();
  });

  it('keeps a trace of a later version of the format', async () => {
    await start(true);
    const sent = await forward(`traceparent: 01${PARENT.slice(2)}-more`);
    expect(sent['traceparent']![0]).toContain(`00-${TRACE}-`);
  });
});

describe('the answer', () => {
  it('names the request id where the gateway refuses', async () => {
    await start(false, () => () => textResponse(403, 'no'));
    const answer = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
    expect(/^x-request-id: (.*)$/im.exec(answer.head)?.[1]).toBe(gateway.finished[0]?.ids?.requestId);
  });

  it('adds no id to a successful backend response', async () => {
    await start();
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).head).not.toMatch(/x-request-id/i);
  });
});

it('an id that a filter sets is kept', async () => {
  await start(false, (next) => (exchange) => {
    exchange.request.headers.set('X-Request-Id', 'configured');
    return next(exchange);
  });
  expect((await forward())['x-request-id']).toEqual(['configured']);
});

describe('a listener with requestIds=false', () => {
  it('passes ids of clients on unchanged, and adds and logs none', async () => {
    await start(false, undefined, false);
    const sent = await forward('X-Request-Id: mine', `traceparent: ${PARENT}`, 'tracestate: a=1');
    expect(sent).toEqual({ 'x-request-id': ['mine'], traceparent: [PARENT], tracestate: ['a=1'] });
    expect(await forward()).toEqual({});
    expect(gateway.finished.map(({ ids }) => ids)).toEqual([null, null]);
  });

  it('names no id in its own answers', async () => {
    await start(false, () => () => textResponse(403, 'no'), false);
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).head).not.toMatch(/x-request-id/i);
  });
});
