import { expect, it, onTestFinished } from 'vitest';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
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

async function start(): Promise<TestGateway> {
  const gateway = await startGateway({
    limits: { rateGrace: 200 },
    handler: () => async (exchange) => {
      const { path } = exchange.request.uri;
      if (path === '/hang') return new Promise(() => {});
      return textResponse(200, path === '/read' ? await exchange.request.entity.text() : 'hello');
    },
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

const post = (stream: number, path: string): Buffer =>
  headersFrame(
    stream,
    POST.map(([name, value]) => [name, name === ':path' ? path : value]),
  );

it('data for a disconnected client with closed windows is released', async () => {
  const gateway = await start();
  const client = await FrameClient.connect(gateway.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 0)));
  client.send(headersFrame(1, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
  expect(await client.outcome(1)).toBe('200');
  client.raw.finish();
  await client.raw.untilClosed();
  expect(client.content(1)).toBe('');
  expect(gateway.finished).toHaveLength(1);
});

it('an upload that must wait for the window of the connection is not held for a slow one', async () => {
  const gateway = await start();
  const client = await FrameClient.connect(gateway.port);
  const piece = frame(FRAME.DATA, 0, 0, Buffer.alloc(16_384));
  const uploads = [1, 3, 5, 7];
  for (const stream of uploads) {
    piece.writeUInt32BE(stream, 5);
    client.send(post(stream, '/hang'), ...Array<Buffer>(16).fill(Buffer.from(piece)));
  }
  client.send(post(9, '/read'));
  const slow = await FrameClient.connect(gateway.port);
  slow.send(post(1, '/read'));
  expect(await slow.outcome(1)).toBe('408');
  const slower = await FrameClient.connect(gateway.port);
  slower.send(post(1, '/read'));
  expect(await slower.outcome(1)).toBe('408');
  for (const stream of uploads) client.send(frame(FRAME.RST_STREAM, 0, stream, number32(ERROR.CANCEL)));
  client.send(frame(FRAME.DATA, FLAG.END_STREAM, 9, 'at last'));
  expect([await client.outcome(9), await client.whole(9)]).toEqual(['200', 'at last']);
});
