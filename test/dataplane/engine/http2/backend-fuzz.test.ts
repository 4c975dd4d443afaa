import { describe, expect, it } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { frameOf, numberOf, settingsOf } from '../../../support/backends/scripted-http2-backend.ts';
import { nextTurn } from '../../../support/clients/event-loop.ts';
import { blockOf } from '../../../support/clients/hpack-blocks.ts';
import { randomNumbers } from '../../../support/clients/random.ts';
import { get, send } from '../../../support/gateways/proxied-backend.ts';
import { startScriptedHttp2 } from '../../../support/gateways/proxied-http2.ts';

const SEEDS = 24;
const CALLS = 4;

/** What a sound backend could send for a stream, and some of what it could not. */
function frames(stream: number): Buffer[] {
  const head = blockOf([':status', '200'], ['x-a', 'b']);
  return [
    frameOf(FRAME.SETTINGS, 0, 0, settingsOf([3, 10], [4, 100])),
    frameOf(FRAME.SETTINGS, FLAG.ACK, 0),
    frameOf(FRAME.HEADERS, FLAG.END_HEADERS, stream, blockOf([':status', '103'])),
    frameOf(FRAME.HEADERS, FLAG.END_HEADERS, stream, head),
    frameOf(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, stream, head),
    frameOf(FRAME.HEADERS, 0, stream, head.subarray(0, 9)),
    frameOf(FRAME.CONTINUATION, FLAG.END_HEADERS, stream, head.subarray(9)),
    frameOf(FRAME.DATA, 0, stream, 'content'),
    frameOf(FRAME.DATA, FLAG.END_STREAM, stream, 'the end'),
    frameOf(FRAME.DATA, FLAG.PADDED, stream, '\x02data\0\0'),
    frameOf(FRAME.RST_STREAM, 0, stream, numberOf(stream % 14)),
    frameOf(FRAME.PING, 0, 0, 'pingpong'),
    frameOf(FRAME.WINDOW_UPDATE, 0, 0, numberOf(1000)),
    frameOf(FRAME.WINDOW_UPDATE, 0, stream, numberOf(1000)),
    frameOf(FRAME.GOAWAY, 0, 0, Buffer.concat([numberOf(stream), numberOf(0)])),
    frameOf(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, stream, numberOf(2)),
  ];
}

function conversation(random: (below: number) => number): Buffer {
  const parts = [frameOf(FRAME.SETTINGS, 0, 0)];
  for (let i = random(12); i > 0; i--) parts.push(frames(1 + 2 * random(CALLS))[random(16)]!);
  const bytes = Buffer.concat(parts);
  for (let i = random(4); i > 0; i--) bytes[random(bytes.length)] = random(256);
  return bytes;
}

/** 502 of the gateway, and 103 and 200 of the backend, of which the conversation may have changed one digit. */
const STATUS_LINE = /^HTTP\/1\.1 (?:502|[1-5]0[03]|1\d3|2\d0|[12]0\d) /;

describe('random input from a backend', () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'every client gets a response or an end, seed %i',
    async (seed) => {
      const random = randomNumbers(seed);
      const pair = await startScriptedHttp2(
        async (peer) => {
          await peer.until((text) => text.length > 0);
          await peer.sendPieces(conversation(random), 1 + random(80));
          for (let i = 0; i < 3; i++) await nextTurn();
          peer.close();
        },
        { backend: { responseTimeout: 500 } },
      );
      for (let round = 0; round < 8; round++) {
        const clients = await Promise.all(Array.from({ length: CALLS }, () => pair.client()));
        for (const client of clients) client.send(random(2) === 0 ? get('/') : send('PUT', '/', 'body'));
        for (const client of clients) {
          const text = await client.until((all) => all.includes('\r\n\r\n'));
          expect(text === '' || STATUS_LINE.test(text)).toBe(true);
          client.destroy();
        }
      }
    },
  );
});
