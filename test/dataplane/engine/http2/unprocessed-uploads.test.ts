import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { copiedBytes } from '../../../../dataplane/engine/backend/upload.ts';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import { type Script, ScriptedBackend } from '../../../support/backends/scripted-backend.ts';
import { Http2Peer, type StreamHead } from '../../../support/backends/scripted-http2-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { send as request } from '../../../support/gateways/proxied-backend.ts';
import { startScriptedHttp2 } from '../../../support/gateways/proxied-http2.ts';
import { send, serve } from '../../../support/gateways/served.ts';
import { watchedDirectory } from '../../../support/state/temporary-files.ts';

type Fault = (peer: Http2Peer, head: StreamHead) => void;

/** Ways in which a backend says that it has not processed a stream. */
const WAYS: readonly (readonly [string, Fault])[] = [
  ['a GOAWAY without an error', (peer, { stream }) => peer.goaway(Math.max(0, stream - 2), ERROR.NO_ERROR)],
  ['REFUSED_STREAM', (peer, { stream }) => peer.reset(stream, ERROR.REFUSED_STREAM)],
];

const WIDE = 1 << 24;

/** Reads all that the gateway sends of a request, up to `most` bytes. @returns how much it was. */
async function lengthOf(peer: Http2Peer, { stream, last }: StreamHead, most: number): Promise<number> {
  let length = 0;
  for (let over = last; !over && length < most; ) {
    const frame = await peer.nextOf(FRAME.DATA, stream);
    if (frame === null) return length;
    length += frame.payload.length;
    over = (frame.flags & FLAG.END_STREAM) !== 0;
  }
  return length;
}

/** The first connection reads `most` bytes of its request and does not process it; the others answer its length. */
function unprocessing(fault: Fault, most: number): Script {
  return async (raw) => {
    const peer = new Http2Peer(raw);
    peer.greet([SETTING.INITIAL_WINDOW_SIZE, WIDE]);
    peer.send(FRAME.WINDOW_UPDATE, 0, 0, Buffer.from([1, 0, 0, 0]));
    for (let head = await peer.request(); head !== null; head = await peer.request()) {
      const length = await lengthOf(peer, head, raw.index === 0 ? most : Number.POSITIVE_INFINITY);
      if (raw.index === 0) fault(peer, head);
      else peer.answer(head.stream, `${length}`);
    }
  };
}

describe.each(WAYS)('a streamed body that the backend declines by %s', (_way, fault) => {
  it.each([17_000, 60_000, 200_000])('is sent again when it has %i bytes', async (size) => {
    const pair = await startScriptedHttp2(unprocessing(fault, size));
    const client = await pair.client();
    client.send(request('POST', '/', 'x'.repeat(size)));
    expect((await untilAnswers(client, 1))[0]).toMatchObject({ status: 200, body: `${size}` });
    expect(copiedBytes()).toBe(0);
  });

  it('gives 502 when more of it was sent than is buffered', async () => {
    const pair = await startScriptedHttp2(unprocessing(fault, 280_000));
    const client = await pair.client();
    client.send(request('POST', '/', 'x'.repeat(300_000)));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toMatch(/^backend-(closed|reset)$/);
    expect(copiedBytes()).toBe(0);
  });
});

it('releases the copy of a body when its client disconnects before the retry', async () => {
  const pair = await startScriptedHttp2(
    unprocessing((peer) => peer.goaway(0, ERROR.NO_ERROR), 60_000),
    { backend: { connections: 1 } },
  );
  const client = await pair.client();
  client.send(request('POST', '/', 'x'.repeat(60_000)));
  await untilTrue(() => copiedBytes() > 0);
  client.socket.resetAndDestroy();
  await untilTrue(() => copiedBytes() === 0);
});

describe.each(WAYS)('a completely buffered body that the backend declines by %s', (_way, fault) => {
  async function whole(size: number, config: JsonObject = {}): Promise<{ status: number; body: string }> {
    const app = await ScriptedBackend.start(unprocessing(fault, size));
    onTestFinished(() => app.close());
    const directory = watchedDirectory();
    const temporaryStorage = { type: 'TemporaryStorage', config: { memoryLimit: 50_000, directory: directory.path } };
    const http2 = { protocolVersion: 'HTTP/2', http2PriorKnowledge: true };
    const handler = {
      type: 'ReverseProxyHandler',
      config: { asyncBehavior: 'non_streaming', temporaryStorage, ...http2, ...config },
    };
    const gateway = await serve(handler);
    const answer = await send(gateway, 'POST /', [`Host: 127.0.0.1:${app.port}`], 'x'.repeat(size));
    await untilTrue(() => directory.open() === 0);
    return answer;
  }

  it.each([20_000, 60_000, 1_000_000])('is sent again when it has %i bytes', async (size) => {
    expect(await whole(size)).toMatchObject({ status: 200, body: `${size}` });
  });

  it('is sent again without one of the retries that are configured', async () => {
    const answer = await whole(60_000, { retries: { count: 1, delay: '1 hour' } });
    expect(answer).toMatchObject({ status: 200, body: '60000' });
  });
});
