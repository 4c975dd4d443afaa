import { afterEach, describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME, MOST_31_BITS, read31 } from '../../../../dataplane/engine/frames/frames.ts';
import { Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { FrameClient, frame, GET, greeting, headersFrame } from '../../../support/clients/frame-client.ts';
import type { Field } from '../../../support/clients/hpack-blocks.ts';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../../support/gateways/gateway.ts';

const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const request = (stream: number, path = '/'): Buffer =>
  headersFrame(
    stream,
    GET.map((field): Field => (field[0] === ':path' ? [':path', path] : field)),
    END,
  );
const open: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.close();
});
async function gatewayWith(options: TestGatewayOptions): Promise<TestGateway> {
  const gateway = await startGateway(options);
  open.push(gateway);
  return gateway;
}
const goaways = (client: FrameClient): [number, number][] =>
  client.frames
    .filter(({ type }) => type === FRAME.GOAWAY)
    .map(({ payload }) => [read31(payload, 0), payload.readUInt32BE(4)]);

describe('draining', () => {
  it('sends a first GOAWAY, accepts streams in flight, names the last stream, and ends after it', async () => {
    const answers: (() => void)[] = [];
    const gateway = await gatewayWith({
      handler: () => () => new Promise((resolve) => answers.push(() => resolve(textResponse(200, 'late')))),
    });
    const client = await FrameClient.connect(gateway.port);
    client.send(request(1));
    await client.until(({ type, flags }) => type === FRAME.SETTINGS && flags === FLAG.ACK);
    const drained = gateway.listener.drain(20_000);
    await client.until(({ type }) => type === FRAME.GOAWAY);
    expect(goaways(client)).toEqual([[MOST_31_BITS, ERROR.NO_ERROR]]);
    client.send(request(3));
    await client.until(() => goaways(client).length === 2);
    expect(goaways(client)[1]).toEqual([3, ERROR.NO_ERROR]);
    client.send(request(5));
    expect(await client.until(({ type, stream }) => type === FRAME.RST_STREAM && stream === 5)).toMatchObject({
      payload: Buffer.from([0, 0, 0, ERROR.REFUSED_STREAM]),
    });
    for (const answer of answers) answer();
    expect(await client.whole(1)).toBe('late');
    expect(await client.whole(3)).toBe('late');
    await client.raw.untilClosed();
    client.raw.destroy();
    expect(await drained).toBe(0);
  });

  it('closes streams that exceed the drain timeout', async () => {
    const gateway = await gatewayWith({ handler: () => () => new Promise(() => {}) });
    const client = await FrameClient.connect(gateway.port);
    client.send(request(1));
    await client.until(({ type, flags }) => type === FRAME.SETTINGS && flags === FLAG.ACK);
    expect(await gateway.listener.drain(1)).toBe(1);
    await client.raw.untilClosed();
    expect(gateway.finished).toMatchObject([{ status: 499 }]);
  });
});

it('ends after as many requests as a connection may have', async () => {
  const gateway = await gatewayWith({
    limits: { requestsPerConnection: 2 },
    handler: () => () => textResponse(200, 'hello'),
  });
  const client = await FrameClient.connect(gateway.port);
  client.send(request(1), request(3), request(5));
  expect(await client.whole(1)).toBe('hello');
  expect(await client.whole(3)).toBe('hello');
  await client.raw.untilClosed();
  expect(goaways(client)).toEqual([[3, ERROR.NO_ERROR]]);
  expect(gateway.finished).toHaveLength(2);
});

it('ends when the client has sent GOAWAY and all requests are answered', async () => {
  const gateway = await gatewayWith({ handler: () => () => textResponse(200, 'hello') });
  const client = await FrameClient.connect(gateway.port);
  client.send(request(1), frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8)));
  expect(await client.whole(1)).toBe('hello');
  await client.raw.untilClosed();
});

it('ends running requests when the client half-closes the connection', async () => {
  const gateway = await gatewayWith({ handler: () => () => new Promise(() => {}) });
  const client = await FrameClient.connect(gateway.port);
  client.send(request(1));
  client.raw.finish();
  await client.raw.untilClosed();
  expect(gateway.finished).toMatchObject([{ status: 499 }]);
});

it('releases everything when the client disconnects', async () => {
  const gateway = await gatewayWith({ handler: () => () => new Promise(() => {}) });
  const client = await FrameClient.connect(gateway.port);
  client.send(request(1), request(3));
  await client.until(({ type, flags }) => type === FRAME.SETTINGS && flags === FLAG.ACK);
  client.raw.destroy();
  expect(await gateway.listener.drain(20_000)).toBe(0);
  expect(gateway.finished).toMatchObject([{ status: 499 }, { status: 499 }]);
});

it('is introduced by the PROXY protocol where the peer is trusted', async () => {
  const gateway = await gatewayWith({
    trustedProxies: ['127.0.0.1'],
    handler: () => (exchange) => textResponse(200, exchange.client.remoteAddress),
  });
  const header = Buffer.from('PROXY TCP4 203.0.113.9 192.0.2.1 40000 443\r\n');
  const client = await FrameClient.connect(gateway.port, Buffer.concat([header, greeting()]));
  client.send(request(1));
  expect(await client.whole(1)).toBe('203.0.113.9');
  client.raw.destroy();
});

it('accepts the scheme https without TLS if a trusted proxy introduced the client', async () => {
  const gateway = await gatewayWith({
    trustedProxies: ['127.0.0.1'],
    handler: () => (exchange) => textResponse(200, `${exchange.request.uri.scheme} ${exchange.client.isSecure}`),
  });
  const header = Buffer.from('PROXY TCP4 203.0.113.9 192.0.2.1 40000 443\r\n');
  const client = await FrameClient.connect(gateway.port, Buffer.concat([header, greeting()]));
  const fields = GET.map((field): Field => (field[0] === ':scheme' ? [':scheme', 'https'] : field));
  client.send(headersFrame(1, fields, END));
  expect(await client.whole(1)).toBe('http false');
  client.raw.destroy();
});

it('starts with any segmentation of its first bytes', async () => {
  const gateway = await gatewayWith({ handler: () => () => textResponse(200, 'hello') });
  const bytes = Buffer.concat([greeting(), request(1)]);
  for (const size of [1, 3, 7, 17, 25]) {
    const client = await FrameClient.connect(gateway.port, '');
    for (let at = 0; at < bytes.length; at += size) {
      client.send(bytes.subarray(at, at + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.whole(1)).toBe('hello');
    client.raw.destroy();
  }
});

it('does not start on a connection that has used HTTP/1', async () => {
  const gateway = await gatewayWith({ handler: () => () => textResponse(200, 'hello') });
  const client = await FrameClient.connect(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n');
  await client.raw.until((text) => text.endsWith('hello'));
  client.send(greeting());
  expect(await client.raw.untilClosed()).toContain('HTTP/1.1 505');
});

it('counts a request as refused when its chain returns an invalid response', async () => {
  const gateway = await gatewayWith({ handler: () => () => new Response(99) });
  const client = await FrameClient.connect(gateway.port);
  client.send(request(1));
  expect(await client.outcome(1)).toBe('500');
  client.raw.destroy();
});
