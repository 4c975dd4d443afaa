import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME, PREFACE } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { untilStill } from '../../../support/clients/event-loop.ts';
import {
  FrameClient,
  frame,
  GET,
  greeting,
  headersFrame,
  number32,
  POST,
  setting,
} from '../../../support/clients/frame-client.ts';
import { blockOf } from '../../../support/clients/hpack-blocks.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const LIMITS = { streams: 5, streamResets: 20, idleFrames: 50, headerFrames: 4, headBytes: 4096, headerLines: 50 };
let gateway: TestGateway;
let cancelled = 0;
beforeAll(async () => {
  gateway = await startGateway({
    limits: LIMITS,
    handler: () => (exchange) => {
      if (exchange.request.uri.path !== '/hang') return textResponse(200, 'hello');
      exchange.call = { response: null, sent: false, cancel: () => void cancelled++ };
      return new Promise(() => {});
    },
  });
});
afterAll(() => gateway.close());

const request = (stream: number): Buffer => headersFrame(stream, GET, END);
const hanging = (stream: number): Buffer =>
  headersFrame(
    stream,
    GET.map((field) => (field[0] === ':path' ? [':path', '/hang'] : field)),
    END,
  );
const many = (count: number, one: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => one(i)));
const reset = (stream: number): Buffer => frame(FRAME.RST_STREAM, 0, stream, number32(ERROR.CANCEL));

describe('ends the connection with ENHANCE_YOUR_CALM for', () => {
  it.each<[string, () => Buffer]>([
    ['rapid resets', () => many(21, (i) => Buffer.concat([hanging(1 + 2 * i), reset(1 + 2 * i)]))],
    [
      'resets that it brings about itself',
      () => many(21, (i) => Buffer.concat([hanging(1 + 2 * i), frame(FRAME.WINDOW_UPDATE, 0, 1 + 2 * i, number32(0))])),
    ],
    ['malformed requests', () => many(21, (i) => headersFrame(1 + 2 * i, [], END))],
    ['pings', () => many(51, () => frame(FRAME.PING, 0, 0, 'pingpong'))],
    ['settings', () => many(51, () => frame(FRAME.SETTINGS, 0, 0))],
    ['priorities', () => many(51, () => frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(5)))],
    ['windows', () => many(51, () => frame(FRAME.WINDOW_UPDATE, 0, 0, number32(1)))],
    ['frames that nobody knows', () => many(51, () => frame(99, 0, 0))],
    ['empty data', () => Buffer.concat([headersFrame(1, POST), many(60, () => frame(FRAME.DATA, 0, 1))])],
    ['resets of what is over', () => Buffer.concat([request(1), many(60, () => reset(1))])],
    ['streams that are refused over and over', () => many(60, (i) => hanging(1 + 2 * i))],
    [
      'continuations of nothing',
      () => Buffer.concat([headersFrame(1, GET, 0), many(4, () => frame(FRAME.CONTINUATION, 0, 1))]),
    ],
    [
      'continuations without end',
      () =>
        Buffer.concat([headersFrame(1, GET, 0), many(3, () => frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(16_000)))]),
    ],
  ])('%s', async (_what, frames) => {
    const client = await FrameClient.connect(gateway.port);
    client.send(frames());
    expect(await client.goaway()).toBe(ERROR.ENHANCE_YOUR_CALM);
    await client.raw.untilClosed();
  });
});

it('cancels the running call of a reset stream', async () => {
  cancelled = 0;
  const client = await FrameClient.connect(gateway.port);
  client.send(hanging(1), hanging(3), reset(1), reset(3), request(5));
  expect(await client.outcome(5)).toBe('200');
  expect(cancelled).toBe(2);
  client.raw.destroy();
});

it('refuses streams beyond the limit, and serves again when one is free', async () => {
  const client = await FrameClient.connect(gateway.port);
  client.send(
    many(5, (i) => hanging(1 + 2 * i)),
    request(11),
  );
  expect(await client.outcome(11)).toBe(`reset ${ERROR.REFUSED_STREAM}`);
  client.send(reset(1), request(13));
  expect(await client.outcome(13)).toBe('200');
  client.raw.destroy();
});

it('answers an HPACK bomb with 431, without unpacking it', async () => {
  const client = await FrameClient.connect(gateway.port);
  const large = blockOf(...GET, ['x', 'y'.repeat(3900)]);
  const bomb = Buffer.alloc(10_000, 0xbe); // the large field, ten thousand times
  client.send(frame(FRAME.HEADERS, END, 1, Buffer.concat([large, bomb])));
  expect(await client.outcome(1)).toBe('431');
  client.send(request(3)); // the tables are still in step
  expect(await client.outcome(3)).toBe('200');
  client.raw.destroy();
});

it('stops to read a client that does not read its answers', async () => {
  const large = await startGateway({ handler: () => () => textResponse(200, 'x'.repeat(100_000)) });
  const client = await FrameClient.connect(large.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1)));
  client.raw.socket.pause();
  client.send(frame(FRAME.WINDOW_UPDATE, 0, 0, number32(2 ** 30)));
  for (let i = 0; i < 5000; i++) client.send(request(1 + 2 * i));
  await untilStill(() => large.finished.length);
  expect(large.finished.length).toBeLessThan(1000);
  client.raw.destroy();
  await large.close();
});

describe('time', () => {
  it.each<[string, Partial<typeof LIMITS> & Record<string, number>, () => Buffer, number]>([
    ['for settings to be acknowledged', { headTimeout: 200 }, () => greeting().subarray(0, -9), ERROR.SETTINGS_TIMEOUT],
    ['for a preface', { headTimeout: 200 }, () => Buffer.from(PREFACE.slice(0, 18)), ERROR.SETTINGS_TIMEOUT],
    [
      'for a header block',
      { headTimeout: 200 },
      () => Buffer.concat([greeting(), headersFrame(1, GET, 0)]),
      ERROR.ENHANCE_YOUR_CALM,
    ],
    [
      'for a frame of a header block',
      { headTimeout: 200 },
      () => Buffer.concat([greeting(), headersFrame(1, GET).subarray(0, 20)]),
      ERROR.ENHANCE_YOUR_CALM,
    ],
    ['until the first request', { idleTimeout: 200 }, () => greeting(), ERROR.NO_ERROR],
    ['without a request', { idleTimeout: 200 }, () => Buffer.concat([greeting(), request(1)]), ERROR.NO_ERROR],
  ])('%s is limited', async (_what, limits, first, code) => {
    const strict = await startGateway({ limits, handler: () => () => textResponse(200, 'hello') });
    const client = await FrameClient.connect(strict.port, first());
    expect(await client.goaway()).toBe(code);
    await client.raw.untilClosed();
    await strict.close();
  });

  it.each<[string, Record<string, number>, Buffer[], string]>([
    ['until the answer', { requestTimeout: 200 }, [hanging(1)], '503'],
    ['for content', { rateGrace: 100, bodyRate: 1000 }, [headersFrame(1, POST), frame(FRAME.DATA, 0, 1, 'x')], '408'],
  ])('%s is limited per stream, and other streams continue', async (_what, limits, frames, status) => {
    const strict = await startGateway({
      limits,
      handler: () => (exchange) =>
        exchange.request.method === 'POST' || exchange.request.uri.path === '/hang'
          ? exchange.request.entity.bytes().then(() => new Promise(() => {}))
          : textResponse(200, 'hello'),
    });
    const client = await FrameClient.connect(strict.port);
    client.send(...frames);
    expect(await client.outcome(1)).toBe(status);
    client.send(request(3));
    expect(await client.outcome(3)).toBe('200');
    client.raw.destroy();
    await strict.close();
  });

  it('the time to read a response is limited per stream, and other streams continue', async () => {
    const strict = await startGateway({
      limits: { rateGrace: 100, readGrace: 100, readRate: 1000 },
      handler: () => () => textResponse(200, 'x'.repeat(1000)),
    });
    const client = await FrameClient.connect(strict.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 10)));
    client.send(request(1));
    expect(await client.until(({ type, stream }) => type === FRAME.RST_STREAM && stream === 1)).toBeDefined();
    expect(client.content(1)).toBe('xxxxxxxxxx');
    client.send(frame(FRAME.SETTINGS, 0, 0, setting(SETTING.INITIAL_WINDOW_SIZE, 5000)), request(3));
    expect(await client.whole(3)).toHaveLength(1000);
    client.raw.destroy();
    await strict.close();
  });
});
