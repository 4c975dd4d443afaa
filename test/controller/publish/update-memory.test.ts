import { connect } from 'node:http2';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CHANNEL_METHOD } from '../../../contract/channel.ts';
import { encodeMessage, PART_BYTES } from '../../../contract/channel-codec.ts';
import { EntryLengths, UpdateParts } from '../../../controller/publish/sessions/update-parts.ts';
import { publishedRoute, publishedState } from '../../support/channel/published-routes.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../../support/channel/served-channel.ts';
import { memoryUse } from '../../support/clients/memory.ts';

const PARTS = 64;
/** Each fills a part. They share their text, so that they take no memory to speak of before they are encoded. */
const text = 'x'.repeat(PART_BYTES);
const routes = Array.from({ length: PARTS }, (_, at) => publishedRoute(`r${at}`, text));

let channel: ServedChannel;

beforeEach(async () => {
  channel = await new ServedChannel({}).start();
  channel.sessions.publish(publishedState(routes));
});

afterEach(() => channel.close());

/** A plane that says hello and then reads nothing, over HTTP/2 alone: the gRPC library would read on. */
function silentPlane(name: string): void {
  const session = connect(`http://localhost:${channel.port}`, { settings: { initialWindowSize: 100 } });
  session.on('error', () => undefined);
  onTestFinished(() => session.destroy());
  const holds = { revision: null, base: null, routes: [] };
  const about = { protocol: 1, version: '1', catalogue: 'c', units: 1 };
  const hello = encodeMessage({ type: 'hello', ...about, name, holds });
  const frame = Buffer.concat([Buffer.alloc(5), hello]);
  frame.writeUInt32BE(hello.length, 1);
  const head = { ':method': 'POST', ':path': CHANNEL_METHOD, 'content-type': 'application/grpc', te: 'trailers' };
  session
    .request({ ...head, authorization: `Bearer ${CHANNEL_TOKEN}` })
    .on('error', () => undefined)
    .pause()
    .write(frame);
}

const pending = (name: string): boolean => (channel.facts(name)?.pending ?? null) !== null;

it('holds a few parts of a large update for planes that do not read, and not the whole of it', async () => {
  const before = memoryUse();
  const names = ['edge-1', 'edge-2', 'edge-3'];
  for (const name of names) silentPlane(name);
  await vi.waitFor(() => expect(names.filter(pending)).toEqual(names), 30_000);
  const { arrayBuffers, heap } = memoryUse();
  // the message that they share, and for each plane the frame that the gRPC library makes of it
  expect(arrayBuffers - before.arrayBuffers).toBeLessThan(6 * PART_BYTES);
  expect(heap - before.heap).toBeLessThan(12 * PART_BYTES);
}, 60_000);

it('releases the encoded form of a large update after a data plane accepted it', async () => {
  const before = memoryUse();
  const plane = channel.plane().hello();
  let parts = 0;
  for (; ; parts++) if ((await plane.message('update')).more === undefined) break;
  expect(parts).toBe(PARTS - 1);
  plane.close();
  plane.received.length = 0;
  await channel.until(() => channel.heard.some(({ what }) => what.startsWith('closed')));
  await vi.waitFor(() => {
    const { arrayBuffers, heap } = memoryUse();
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(12 * PART_BYTES);
    expect(heap - before.heap).toBeLessThan(12 * PART_BYTES);
  }, 30_000);
}, 60_000);

it('shares an encoded part between planes that are sent it at the same time', () => {
  const content = { revision: 'r', full: true, base: null, remove: [], keep: [], defaults: [], seen: null };
  const parts = new UpdateParts({ ...content, set: routes.slice(0, 2), resources: null }, new EntryLengths());
  expect(parts.count).toBe(2);
  const first = parts.message(1, 1);
  expect(parts.message(1, 1)).toBe(first);
  const other = parts.message(1, 12);
  expect(JSON.parse(other.toString())).toEqual({ ...JSON.parse(first.toString()), nonce: 12 });
  expect(parts.message(1, 1)).toBe(first);
});
