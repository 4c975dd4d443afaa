import { expect, it, onTestFinished } from 'vitest';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import {
  FrameClient,
  frame,
  GET,
  greeting,
  headersFrame,
  number32,
  setting,
} from '../../../support/clients/frame-client.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { StoppedClock } from '../../../support/gateways/stopped-clock.ts';

/** More than the buffers of both sockets take. */
const LONG = 'x'.repeat(16_000_000);
const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const next = headersFrame(3, GET, END);
const HEAD_TIMEOUT = 5000;

/** A client that has asked for a long answer and sent half of the next request, and does not read. */
async function start() {
  let asked = 0;
  const time = new StoppedClock();
  const gateway = await startGateway({
    limits: { headTimeout: HEAD_TIMEOUT, readRate: 0 },
    handler: () => () => textResponse(200, asked++ === 0 ? LONG : 'short'),
  });
  onTestFinished(() => gateway.close());
  const client = await FrameClient.connect(gateway.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 0x7fffffff)));
  const { socket } = client.raw;
  onTestFinished(() => client.raw.destroy());
  socket.pause();
  const widened = frame(FRAME.WINDOW_UPDATE, 0, 0, number32(0x7fff0000 - 65_535));
  client.send(widened, headersFrame(1, GET, END), next.subarray(0, 20));
  await untilTrue(() => asked === 1);

  async function readAnswer(): Promise<void> {
    let read = 0;
    socket.on('data', ({ length }: Buffer) => (read += length));
    socket.resume();
    await untilTrue(() => read > LONG.length);
  }
  return { gateway, client, time, readAnswer };
}

it('the time for half a frame does not run while the gateway itself does not read', async () => {
  const { gateway, client, time, readAnswer } = await start();
  // others that send half a frame show that the time is over
  for (let i = 0; i < 2; i++) {
    const other = await FrameClient.connect(gateway.port);
    other.send(next.subarray(0, 20));
    await other.until(({ type }) => type === FRAME.SETTINGS);
    expect(await time.passUntil(other.goaway(), HEAD_TIMEOUT)).toBe(ERROR.ENHANCE_YOUR_CALM);
    other.raw.destroy();
  }
  client.send(next.subarray(20));
  await readAnswer();
  expect(await client.outcome(3)).toBe('200');
});

it('the time for half a frame runs again once the gateway reads', async () => {
  const { client, time, readAnswer } = await start();
  await readAnswer();
  expect(await time.passUntil(client.goaway(), HEAD_TIMEOUT)).toBe(ERROR.ENHANCE_YOUR_CALM);
});
