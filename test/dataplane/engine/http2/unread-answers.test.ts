import { expect, it, onTestFinished } from 'vitest';
import { takeWhole } from '../../../../dataplane/backends/whole-content.ts';
import { FLAG } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import { Body } from '../../../../dataplane/engine/message/body.ts';
import type { KeptContent } from '../../../../dataplane/engine/message/kept-content.ts';
import { Response } from '../../../../dataplane/engine/message/response.ts';
import { SpillingStorage } from '../../../../dataplane/services/spilling-storage.ts';
import { nextTurn, untilTrue } from '../../../support/clients/event-loop.ts';
import { FrameClient, GET, greeting, headersFrame, setting } from '../../../support/clients/frame-client.ts';
import { memoryUse } from '../../../support/clients/memory.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';
import { watchedDirectory } from '../../../support/state/temporary-files.ts';

const PIECE = 65_536;
const STREAMS = 100;

it('an unread response that was put aside uses the memory of one piece', async () => {
  let read = 0;
  const content = (): KeptContent => ({
    length: 2 * PIECE,
    bytes: null,
    trailers: '',
    lasting: true,
    begun: true,
    async *[Symbol.asyncIterator]() {
      for (let i = 0; i < 2; i++) {
        read++;
        yield Buffer.allocUnsafeSlow(PIECE);
      }
    },
    hold() {},
    letGo() {},
    release() {},
  });
  const gateway = await startGateway({
    handler: () => () => {
      const response = new Response(200);
      response.entity.setKept(content());
      return response;
    },
  });
  onTestFinished(() => gateway.close());
  const client = await FrameClient.connect(gateway.port, greeting(setting(SETTING.INITIAL_WINDOW_SIZE, 0)));
  const before = memoryUse().arrayBuffers;
  for (let i = 0; i < STREAMS; i++) client.send(headersFrame(1 + 2 * i, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
  await untilTrue(() => read === STREAMS);
  await nextTurn();
  const each = (memoryUse().arrayBuffers - before) / STREAMS;
  expect(each).toBeGreaterThan(0.9 * PIECE);
  expect(each).toBeLessThan(1.5 * PIECE);
  client.raw.destroy();
});

it.each([100, 10_000])('content of %i bytes that was put aside does not change afterwards', async (length) => {
  const storage = new SpillingStorage({ memoryLimit: 1000, limit: 1 << 20, directory: watchedDirectory().path });
  onTestFinished(() => storage.close());
  const nothing = () => {};
  const body = new Body({ pauseBody: nothing, resumeBody: nothing, abandonBody: nothing, bodyWanted: nothing }, length);
  const taken = takeWhole(body, { storage, limit: 1 << 20, setting: 'fileLimit', ofResponse: true });
  body.push(Buffer.alloc(length), 0, length);
  body.finish('');
  const kept = await taken;
  expect(kept.lasting).toBe(true);
  kept.release();
});
