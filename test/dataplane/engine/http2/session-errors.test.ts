import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME, PREFACE } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
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
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ handler: () => () => textResponse(200, 'hello') });
});
afterAll(() => gateway.close());

const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const PING = frame(FRAME.PING, 0, 0, 'pingpong');
const request = (stream: number): Buffer => headersFrame(stream, GET, END);
const upload = (stream: number): Buffer => headersFrame(stream, POST);

describe('ends the connection for', () => {
  it.each<[string, Buffer[], number]>([
    ['settings on a stream', [frame(FRAME.SETTINGS, 0, 1)], ERROR.PROTOCOL_ERROR],
    ['settings of a wrong length', [frame(FRAME.SETTINGS, 0, 0, 'xyz')], ERROR.FRAME_SIZE_ERROR],
    ['an acknowledgement with content', [frame(FRAME.SETTINGS, FLAG.ACK, 0, '123456')], ERROR.FRAME_SIZE_ERROR],
    ['a push that is neither on nor off', [frame(FRAME.SETTINGS, 0, 0, setting(2, 2))], ERROR.PROTOCOL_ERROR],
    ['too large a window', [frame(FRAME.SETTINGS, 0, 0, setting(4, 2 ** 31))], ERROR.FLOW_CONTROL_ERROR],
    ['too small a frame size', [frame(FRAME.SETTINGS, 0, 0, setting(5, 16_383))], ERROR.PROTOCOL_ERROR],
    ['too large a frame size', [frame(FRAME.SETTINGS, 0, 0, setting(5, 2 ** 24))], ERROR.PROTOCOL_ERROR],
    ['a ping on a stream', [frame(FRAME.PING, 0, 1, 'pingpong')], ERROR.PROTOCOL_ERROR],
    ['a ping of a wrong length', [frame(FRAME.PING, 0, 0, 'ping')], ERROR.FRAME_SIZE_ERROR],
    ['a frame that is too long', [frame(FRAME.PING, 0, 0, Buffer.alloc(16_385))], ERROR.FRAME_SIZE_ERROR],
    ['an even stream', [request(2)], ERROR.PROTOCOL_ERROR],
    ['stream 0', [request(0)], ERROR.PROTOCOL_ERROR],
    ['a stream that goes back', [request(5), request(3)], ERROR.PROTOCOL_ERROR],
    ['a request on a stream that is over', [request(1), request(1)], ERROR.STREAM_CLOSED],
    ['data on an idle stream', [frame(FRAME.DATA, 0, 1, 'x')], ERROR.PROTOCOL_ERROR],
    ['data on stream 0', [frame(FRAME.DATA, 0, 0, 'x')], ERROR.PROTOCOL_ERROR],
    ['a reset of an idle stream', [frame(FRAME.RST_STREAM, 0, 1, number32(8))], ERROR.PROTOCOL_ERROR],
    ['a reset of stream 0', [frame(FRAME.RST_STREAM, 0, 0, number32(8))], ERROR.PROTOCOL_ERROR],
    ['a reset of a wrong length', [upload(1), frame(FRAME.RST_STREAM, 0, 1, 'xyz')], ERROR.FRAME_SIZE_ERROR],
    ['a window of an idle stream', [frame(FRAME.WINDOW_UPDATE, 0, 1, number32(1))], ERROR.PROTOCOL_ERROR],
    ['a window of a wrong length', [frame(FRAME.WINDOW_UPDATE, 0, 0, 'xyz')], ERROR.FRAME_SIZE_ERROR],
    ['a window that opens by nothing', [frame(FRAME.WINDOW_UPDATE, 0, 0, number32(0))], ERROR.PROTOCOL_ERROR],
    ['a window that overflows', [frame(FRAME.WINDOW_UPDATE, 0, 0, number32(2 ** 31 - 1))], ERROR.FLOW_CONTROL_ERROR],
    ['a promise', [upload(1), frame(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, number32(2))], ERROR.PROTOCOL_ERROR],
    ['a goaway on a stream', [frame(FRAME.GOAWAY, 0, 1, '12345678')], ERROR.PROTOCOL_ERROR],
    ['a priority of stream 0', [frame(FRAME.PRIORITY, 0, 0, '12345')], ERROR.PROTOCOL_ERROR],
    ['a continuation of nothing', [frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, 'x')], ERROR.PROTOCOL_ERROR],
    ['a block that another frame interrupts', [headersFrame(1, GET, 0), PING], ERROR.PROTOCOL_ERROR],
    ['a block that data interrupts', [headersFrame(1, GET, 0), frame(FRAME.DATA, 0, 1, 'x')], ERROR.PROTOCOL_ERROR],
    [
      'a block that goes on elsewhere',
      [headersFrame(1, GET, 0), frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 3)],
      ERROR.PROTOCOL_ERROR,
    ],
    ['padding beyond the block', [frame(FRAME.HEADERS, FLAG.PADDED | END, 1, '\xff')], ERROR.PROTOCOL_ERROR],
    ['a block that is no HPACK', [frame(FRAME.HEADERS, END, 1, Buffer.from([0x80]))], ERROR.COMPRESSION_ERROR],
    [
      'trailers that are no HPACK',
      [upload(1), frame(FRAME.HEADERS, END, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
      ERROR.COMPRESSION_ERROR,
    ],
  ])('%s', async (_what, frames, code) => {
    const client = await FrameClient.connect(gateway.port);
    client.send(...frames);
    expect(await client.goaway()).toBe(code);
    await client.raw.untilClosed();
  });

  it('a first frame that is not settings', async () => {
    const client = await FrameClient.connect(gateway.port, Buffer.concat([Buffer.from(PREFACE), PING]));
    expect(await client.goaway()).toBe(ERROR.PROTOCOL_ERROR);
  });

  it('a preface that becomes invalid midway', async () => {
    const client = await FrameClient.connect(gateway.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\nXX');
    expect(await client.goaway()).toBe(ERROR.PROTOCOL_ERROR);
    await client.raw.untilClosed();
  });

  it('more content than its window', async () => {
    const client = await FrameClient.connect(gateway.port);
    client.send(upload(1));
    const full = Buffer.alloc(16_384);
    const frames = Array.from({ length: 17 }, () => frame(FRAME.DATA, 0, 1, full));
    client.send(...frames);
    expect(await client.outcome(1)).toBe('200');
  });
});

describe('ends the stream only for', () => {
  it.each<[string, Buffer[], number]>([
    ['a window that opens by nothing', [frame(FRAME.WINDOW_UPDATE, 0, 1, number32(0))], ERROR.PROTOCOL_ERROR],
    ['a window that overflows', [frame(FRAME.WINDOW_UPDATE, 0, 1, number32(2 ** 31 - 1))], ERROR.FLOW_CONTROL_ERROR],
    ['a priority of a wrong length', [frame(FRAME.PRIORITY, 0, 1, 'xyz')], ERROR.FRAME_SIZE_ERROR],
    ['a stream that depends on itself', [frame(FRAME.PRIORITY, 0, 1, `${number32(1)}x`)], ERROR.PROTOCOL_ERROR],
  ])('%s', async (_what, frames, code) => {
    const held = await startGateway({ handler: () => () => new Promise(() => {}) });
    const client = await FrameClient.connect(held.port);
    client.send(upload(1), ...frames, PING);
    expect(await client.outcome(1)).toBe(`reset ${code}`);
    expect(await client.until(({ type, flags }) => type === FRAME.PING && flags === FLAG.ACK)).toBeDefined();
    client.raw.destroy();
    await held.close();
  });
});

describe('continues after', () => {
  it.each<[string, Buffer[]]>([
    ['frames that nobody knows', [frame(200, 255, 0, 'x'), frame(201, 0, 77, 'y')]],
    ['settings that nobody knows', [frame(FRAME.SETTINGS, 0, 0, setting(0xffff, 5))]],
    ['priorities', [frame(FRAME.PRIORITY, 0, 1, Buffer.from([0, 0, 0, 0, 16]))]],
    ['a window of a stream that is over', [request(1), frame(FRAME.WINDOW_UPDATE, 0, 1, number32(5))]],
    ['a reset of a stream that is over', [request(1), frame(FRAME.RST_STREAM, 0, 1, number32(8))]],
    [
      'padding and a priority in a head',
      [
        frame(
          FRAME.HEADERS,
          FLAG.PADDED | FLAG.PRIORITY | END,
          1,
          Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 1]), headersFrame(1, GET).subarray(9), Buffer.alloc(3)]),
        ),
      ],
    ],
  ])('%s', async (_what, frames) => {
    const client = await FrameClient.connect(gateway.port);
    client.send(...frames, request(3));
    expect(await client.outcome(3)).toBe('200');
    client.raw.destroy();
  });

  it('windows that the client makes smaller than nothing', async () => {
    const client = await FrameClient.connect(gateway.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 3)));
    client.send(request(1));
    expect(await client.outcome(1)).toBe('200');
    await client.until(({ type }) => type === FRAME.DATA);
    client.send(frame(FRAME.SETTINGS, 0, 0, setting(SETTING.INITIAL_WINDOW_SIZE, 0)), PING);
    await client.until(({ type }) => type === FRAME.PING);
    expect(client.content(1)).toBe('hel');
    client.send(frame(FRAME.WINDOW_UPDATE, 0, 1, number32(3)), PING);
    await client.until(({ type }) => type === FRAME.PING);
    client.send(frame(FRAME.SETTINGS, 0, 0, setting(SETTING.INITIAL_WINDOW_SIZE, 100)));
    expect(await client.whole(1)).toBe('hello');
    client.raw.destroy();
  });
});
