import { expect, it, onTestFinished } from 'vitest';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { type Response, textResponse } from '../../../../dataplane/engine/message/response.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { FrameClient, frame, headersFrame, number32, POST } from '../../../support/clients/frame-client.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const PIECE = 16_384;
/** Uploads of this many pieces fit into the window of a stream, and four of them into that of the connection. */
const PIECES = 15;
const STREAMS = [1, 3, 5, 7];

/** What the connection was given beyond its first window. */
function givenBack(client: FrameClient): number {
  const updates = client.frames.filter(({ type, stream }) => type === FRAME.WINDOW_UPDATE && stream === 0);
  return updates.slice(1).reduce((sum, { payload }) => sum + payload.readUInt32BE(0), 0);
}

function upload(client: FrameClient, stream: number, pieces: number, last = true): void {
  client.send(headersFrame(stream, POST));
  for (let i = 1; i <= pieces; i++)
    client.send(frame(FRAME.DATA, last && i === pieces ? FLAG.END_STREAM : 0, stream, Buffer.alloc(PIECE)));
}

let pings = 0;

/** Everything that was sent before has been read. */
async function untilRead(client: FrameClient): Promise<void> {
  const mark = `ping${1000 + pings++}`;
  client.send(frame(FRAME.PING, 0, 0, mark));
  await client.until(({ type, payload }) => type === FRAME.PING && payload.toString() === mark);
}

/** A gateway whose handler does nothing until it is told to go on. */
async function startHolding(after: (exchange: Exchange) => Response | Promise<Response>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const gateway = await startGateway({ handler: () => (exchange) => promise.then(() => after(exchange)) });
  onTestFinished(() => gateway.close());
  const client = await FrameClient.connect(gateway.port);
  return { client, goOn: resolve };
}

const ways: [string, (exchange: Exchange) => Response | Promise<Response>][] = [
  ['read', async ({ request }) => textResponse(200, `${(await request.entity.bytes()).length}`)],
  ['looked into', async ({ request }) => textResponse(200, `${(await request.entity.prefix(10)).bytes.length}`)],
  [
    'replaced',
    ({ request }) => {
      request.entity.set('other');
      return textResponse(200, '');
    },
  ],
  ['not wanted', () => textResponse(200, '')],
  ['refused', () => Promise.reject(new Error('no'))],
];

it.each(ways)('content that waits keeps its part of the window until it is %s', async (way, after) => {
  const { client, goOn } = await startHolding(after);
  for (const stream of STREAMS) upload(client, stream, PIECES);
  await untilRead(client);
  expect(givenBack(client)).toBe(0);
  goOn();
  for (const stream of STREAMS) expect(await client.outcome(stream)).toBe(way === 'refused' ? '500' : '200');
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});

it('waiting content keeps its part of the window until the client cancels the request', async () => {
  const { client } = await startHolding(() => textResponse(200, ''));
  for (const stream of STREAMS) upload(client, stream, PIECES);
  await untilRead(client);
  expect(givenBack(client)).toBe(0);
  for (const stream of STREAMS) client.send(frame(FRAME.RST_STREAM, 0, stream, number32(ERROR.CANCEL)));
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});

it('many short uploads that wait keep as much as long ones', async () => {
  const { client, goOn } = await startHolding(() => textResponse(200, ''));
  const streams = Array.from({ length: 60 }, (_, i) => 1 + 2 * i);
  for (const stream of streams) upload(client, stream, 1);
  await untilRead(client);
  expect(givenBack(client)).toBe(0);
  goOn();
  for (const stream of streams) await client.outcome(stream);
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});

it('the window is returned while a response that ignored the content is still sent', async () => {
  const endless = async function* () {
    yield Buffer.from('begun');
    await new Promise(() => {});
  };
  const { client, goOn } = await startHolding(() => {
    const response = textResponse(200, '');
    response.entity.setStream(endless());
    return response;
  });
  for (const stream of STREAMS) upload(client, stream, PIECES);
  await untilRead(client);
  goOn();
  for (const stream of STREAMS) expect(await client.outcome(stream)).toBe('200');
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});

it('a filter that waits for more than a window of content gets it', async () => {
  const gateway = await startGateway({
    handler:
      () =>
      async ({ request }) =>
        textResponse(200, `${(await request.entity.prefix(300_000)).bytes.length}`),
  });
  onTestFinished(() => gateway.close());
  const client = await FrameClient.connect(gateway.port);
  upload(client, 1, PIECES, false);
  await client.until(({ type, stream }) => type === FRAME.WINDOW_UPDATE && stream === 1);
  for (let i = 1; i <= 4; i++) client.send(frame(FRAME.DATA, i === 4 ? FLAG.END_STREAM : 0, 1, Buffer.alloc(PIECE)));
  expect(await client.whole(1)).toBe('300000');
  client.raw.destroy();
});

it('the window is returned when a filter waits for more than the buffered content', async () => {
  const { client, goOn } = await startHolding(async ({ request }) =>
    textResponse(200, `${(await request.entity.prefix(100_000)).bytes.length}`),
  );
  for (let i = 0; i < 16; i++) upload(client, 1 + 2 * i, 4, false); // all of the window of the connection
  await untilRead(client);
  expect(givenBack(client)).toBe(0);
  goOn();
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});

it('uploads that wait for the only connection to a backend, and for a backend that does not read, go on one by one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { gateway, backend } = await startProxiedBackend(
    async (peer) => {
      peer.socket.pause();
      await promise;
      peer.socket.resume();
      for (const _ of STREAMS) {
        await peer.request();
        peer.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      }
    },
    { backend: { connections: 1 } },
  );
  const client = await FrameClient.connect(gateway.port);
  for (const stream of STREAMS) upload(client, stream, PIECES);
  await untilTrue(() => backend.peers.length === 1);
  await untilRead(client);
  expect(givenBack(client)).toBe(0);
  resolve();
  for (const stream of STREAMS) expect(await client.whole(stream)).toBe('ok');
  await untilRead(client);
  expect(givenBack(client)).toBeGreaterThanOrEqual(1 << 19);
  client.raw.destroy();
});
