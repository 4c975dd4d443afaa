import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CHANNEL_METHOD } from '../../../../contract/channel.ts';
import { encodeMessage } from '../../../../contract/channel-codec.ts';
import { FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../../../support/channel/served-channel.ts';
import { FrameClient, frame, headersFrame } from '../../../support/clients/frame-client.ts';

let channel: ServedChannel;

beforeEach(async () => {
  const served = await new ServedChannel({ server: { host: '127.0.0.1' } }).start();
  onTestFinished(() => served.close());
  served.sessions.publish(publishedState([publishedRoute('a')]));
  channel = served;
});

const hello = encodeMessage({
  type: 'hello',
  protocol: 1,
  version: '1',
  catalogue: 'c',
  units: 1,
  name: 'edge-1',
  holds: { revision: null, base: null, routes: [] },
});

/** A plane that has its credential judged. */
async function begun(): Promise<FrameClient> {
  const client = await FrameClient.connect(channel.port);
  onTestFinished(() => client.raw.destroy());
  client.send(
    headersFrame(1, [
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', CHANNEL_METHOD],
      [':authority', 'controller.example'],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['authorization', `Bearer ${CHANNEL_TOKEN}`],
    ]),
  );
  return client;
}

function lengthOf(message: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message, 1);
  return head;
}

/** Content in frames of one byte each. */
function crumbs(content: Uint8Array): Buffer[] {
  return Array.from(content, (byte) => frame(FRAME.DATA, 0, 1, Buffer.from([byte])));
}

describe('a message in frames of one byte', () => {
  it('is read when it is short', async () => {
    const client = await begun();
    client.send(...crumbs(Buffer.concat([lengthOf(hello.length), hello])));
    await channel.until(() => channel.facts() !== undefined);
  });

  it('ends only this stream, before it uses much memory', async () => {
    const client = await begun();
    client.send(frame(FRAME.DATA, 0, 1, lengthOf(1024 * 1024)), ...crumbs(Buffer.alloc(5_000, ' ')));
    expect(await client.until(({ type, stream }) => type === FRAME.RST_STREAM && stream === 1)).toBeDefined();
    channel.plane().hello();
    await channel.until(() => channel.facts() !== undefined);
  });
});

describe('a message in large frames', () => {
  it('is read although it is long', async () => {
    const client = await begun();
    const long = Buffer.concat([hello.subarray(0, -1), Buffer.alloc(40_000, ' '), Buffer.from('}')]);
    const bytes = Buffer.concat([lengthOf(long.length), long]);
    for (let at = 0; at < bytes.length; at += 4096) {
      client.send(frame(FRAME.DATA, 0, 1, bytes.subarray(at, at + 4096)));
    }
    await channel.until(() => channel.facts() !== undefined);
  });
});
