import { describe, expect, it } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  type ScriptedPeer,
} from '../../../support/backends/scripted-backend.ts';
import { frameOf, Http2Peer } from '../../../support/backends/scripted-http2-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { blockOf } from '../../../support/clients/hpack-blocks.ts';
import { get, send, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const UPGRADE = { http2: 'upgrade' } as const;
const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';

/** Goes on in HTTP/2 when it is asked to, and answers everything with the stream that it came on. */
function upgrading(heads: string[] = [], more: (peer: Http2Peer) => void = () => {}): Script {
  return async (peer: ScriptedPeer) => {
    const head = await peer.head();
    if (head === null) return;
    heads.push(head);
    if (!/\r\nupgrade: h2c\r\n/i.test(head)) {
      peer.send(plainAnswer('in HTTP/1.1'));
      return;
    }
    peer.send(SWITCHING);
    const speaker = new Http2Peer(peer);
    speaker.greet();
    speaker.answer(1, `stream 1 of ${peer.index}`);
    more(speaker);
    for (let next = await speaker.request(); next !== null; next = await speaker.request()) {
      if (!next.last) await speaker.nextOf(FRAME.DATA, next.stream);
      speaker.answer(next.stream, `stream ${next.stream} of ${peer.index}`);
    }
  };
}

describe('an HTTP/2 upgrade of a backend connection', () => {
  it('answers the upgrading request in HTTP/2, and the next ones on the same connection', async () => {
    const heads: string[] = [];
    const pair = await startProxiedBackend(upgrading(heads), { backend: UPGRADE });
    const client = await pair.client();
    for (let i = 1; i < 4; i++) {
      client.send(get('/'));
      expect((await untilAnswers(client, i))[i - 1]).toMatchObject({ status: 200, body: `stream ${2 * i - 1} of 0` });
    }
    expect(pair.backend.connections).toBe(1);
    expect(heads[0]).toMatch(/\r\nConnection: Upgrade, HTTP2-Settings\r\n/);
    const settings = Buffer.from(/\r\nHTTP2-Settings: (\S+)\r\n/.exec(heads[0]!)![1]!, 'base64url');
    expect(settings.length % 6).toBe(0);
    expect(settings.readUInt16BE(0)).toBe(SETTING.ENABLE_PUSH);
    expect(settings.readUInt32BE(2)).toBe(0);
  });

  it('works when all frames arrive in one segment', async () => {
    const pair = await startProxiedBackend(
      async (peer) => {
        await peer.head();
        const answer = [
          Buffer.from(SWITCHING),
          frameOf(FRAME.SETTINGS, 0, 0),
          frameOf(FRAME.HEADERS, FLAG.END_HEADERS, 1, blockOf([':status', '200'])),
          frameOf(FRAME.DATA, FLAG.END_STREAM, 1, 'early'),
        ];
        peer.send(Buffer.concat(answer));
      },
      { backend: UPGRADE },
    );
    const client = await pair.client();
    client.send(get('/'));
    expect((await untilAnswers(client, 1))[0]!.body).toBe('early');
  });

  it('falls back to HTTP/1.1 if the backend declines, and is not tried again', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request) =>
        plainAnswer(request.headers.some(([name]) => name.toLowerCase() === 'upgrade') ? 'asked' : 'plain'),
      ),
      { backend: UPGRADE },
    );
    const client = await pair.client();
    client.send(get('/'));
    client.send(get('/'));
    expect((await untilAnswers(client, 2)).map(({ body }) => body)).toEqual(['asked', 'plain']);
    pair.backend.peers[0]!.close();
    await untilTrue(() => pair.backend.open === 0);
    client.send(get('/'));
    expect((await untilAnswers(client, 3))[2]!.body).toBe('plain');
  });

  it('is tried only by requests without a body', async () => {
    const heads: string[] = [];
    const pair = await startProxiedBackend(upgrading(heads), { backend: UPGRADE });
    const client = await pair.client();
    client.send(send('POST', '/', 'body'));
    await untilAnswers(client, 1);
    expect(heads[0]).not.toMatch(/upgrade/i);
  });

  it('is not tried through a proxy that reads requests', async () => {
    const heads: string[] = [];
    const via = { proxy: 'p', prefix: 'http://h', authority: 'h', lines: '' };
    const pair = await startProxiedBackend(upgrading(heads), { backend: { ...UPGRADE, via } });
    const client = await pair.client();
    client.send(get('/'));
    await untilAnswers(client, 1);
    expect(heads[0]).toMatch(/^GET http:\/\/h\/ HTTP\/1\.1\r\n/);
    expect(heads[0]).not.toMatch(/upgrade/i);
  });

  it('does not delay other requests while it is tried', async () => {
    const heads: string[] = [];
    let first: ScriptedPeer | null = null;
    const pair = await startProxiedBackend(
      async (peer) => {
        const head = await peer.head();
        heads.push(head ?? '');
        if (peer.index === 0) first = peer;
        else peer.send(plainAnswer('meanwhile'));
      },
      { backend: UPGRADE },
    );
    const [one, two] = [await pair.client(), await pair.client()];
    one.send(get('/'));
    await untilTrue(() => first !== null);
    two.send(get('/'));
    expect((await untilAnswers(two, 1))[0]!.body).toBe('meanwhile');
    expect(heads[1]).not.toMatch(/upgrade/i);
    first!.send(plainAnswer('at last'));
    expect((await untilAnswers(one, 1))[0]!.body).toBe('at last');
  });

  it.each([
    ['to something else', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['to nothing', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('is a 502 when it switches %s', async (_case, head) => {
    const pair = await startProxiedBackend(
      eachRequest(() => head),
      { backend: UPGRADE },
    );
    const client = await pair.client();
    client.send(get('/'));
    expect((await untilAnswers(client, 1))[0]!.status).toBe(502);
  });

  it('gives 502 when the backend switches without a request', async () => {
    const pair = await startProxiedBackend(eachRequest(() => SWITCHING));
    const client = await pair.client();
    client.send(get('/'));
    expect((await untilAnswers(client, 1))[0]!.status).toBe(502);
  });
});
