import { afterAll, beforeAll, expect, it } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { HpackDecoder } from '../../../../dataplane/engine/frames/hpack-decoder.ts';
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
import { fieldsOf } from '../../../support/clients/hpack-blocks.ts';
import { randomNumbers } from '../../../support/clients/random.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    limits: { lingerTimeout: 100 },
    handler: () => async (exchange) => {
      await exchange.request.entity.bytes().catch(() => null);
      return textResponse(200, 'x'.repeat(50_000));
    },
  });
});
afterAll(() => gateway.close());

type Random = (below: number) => number;
const END = FLAG.END_HEADERS | FLAG.END_STREAM;

function noise(random: Random, most: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: random(most) }, () => random(256)));
}

/** A frame that is right, or nearly so. */
function someFrame(random: Random): Buffer {
  const stream = random(12);
  switch (random(10)) {
    case 0:
      return headersFrame(stream, random(2) === 0 ? GET : POST, random(2) === 0 ? END : FLAG.END_HEADERS);
    case 1:
      return frame(FRAME.DATA, random(16), stream, noise(random, 300));
    case 2:
      return frame(FRAME.SETTINGS, 0, 0, setting(random(9), random(3) === 0 ? random(2 ** 31) : random(70_000)));
    case 3:
      return frame(FRAME.WINDOW_UPDATE, 0, stream, number32(random(70_000)));
    case 4:
      return frame(FRAME.RST_STREAM, 0, stream, number32(random(14)));
    case 5:
      return frame(FRAME.HEADERS, random(64), stream, noise(random, 60));
    case 6:
      return frame(FRAME.CONTINUATION, random(8), stream, noise(random, 60));
    case 7:
      return frame(random(12), random(256), stream, noise(random, 20));
    default:
      return headersFrame(1 + 2 * random(30), GET, END);
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'frames in random order, seed %i, cause no fault, and other clients are served',
  async (seed) => {
    const random = randomNumbers(seed);
    for (let round = 0; round < 25; round++) {
      const client = await FrameClient.connect(gateway.port);
      const bytes = Buffer.concat(Array.from({ length: 1 + random(40) }, () => someFrame(random)));
      if (random(2) === 0) for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = random(256);
      for (let at = 0; at < bytes.length; ) {
        const size = 1 + random(500);
        client.send(bytes.subarray(at, at + size));
        at += size;
        if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      client.raw.finish();
      await client.raw.untilClosed();
      expect(gateway.faults).toEqual([]);
      client.raw.destroy();
    }
    const client = await FrameClient.connect(gateway.port, greeting());
    client.send(headersFrame(1, GET, END));
    expect(await client.whole(1)).toHaveLength(50_000);
    client.raw.destroy();
  },
);

it.each([1, 2, 3])('header blocks of noise, seed %i: decoded or refused, never more', (seed) => {
  const random = randomNumbers(seed);
  let decoder = new HpackDecoder(4096);
  let refused = 0;
  for (let i = 0; i < 20_000; i++) {
    if (fieldsOf(decoder, noise(random, 80)) !== null) continue;
    refused++;
    decoder = new HpackDecoder(4096);
  }
  expect(refused).toBeGreaterThan(1000);
});
