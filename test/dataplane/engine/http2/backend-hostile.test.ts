import { describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME, MOST_31_BITS } from '../../../../dataplane/engine/frames/frames.ts';
import { SETTING } from '../../../../dataplane/engine/frames/settings.ts';
import type { ScriptedPeer } from '../../../support/backends/scripted-backend.ts';
import {
  frameOf,
  Http2Peer,
  http2Script,
  numberOf,
  settingsOf,
} from '../../../support/backends/scripted-http2-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { blockOf, type Field } from '../../../support/clients/hpack-blocks.ts';
import { get } from '../../../support/gateways/proxied-backend.ts';
import { startScriptedHttp2 } from '../../../support/gateways/proxied-http2.ts';

type Attack = (peer: Http2Peer, stream: number) => void | Promise<void>;

const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const OK: Field = [':status', '200'];
const raw =
  (...frames: Buffer[]): Attack =>
  (peer) =>
    peer.peer.send(Buffer.concat(frames));
const repeated =
  (count: number, frame: Buffer): Attack =>
  (peer) =>
    peer.peer.send(Buffer.concat(Array.from({ length: count }, () => frame)));

/** What ends the connection, and with which code. */
const TOO_MUCH = 'more content than its window allows';

const attacks: readonly [string, number, Attack][] = [
  ['a frame that is too long', ERROR.FRAME_SIZE_ERROR, raw(Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]))],
  ['content of no stream', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.DATA, 0, 0, 'x'))],
  ['content of a stream that was never asked for', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.DATA, 0, 99, 'x'))],
  ['an answer to what nobody asked', ERROR.PROTOCOL_ERROR, (peer) => peer.headers(99, [OK], true)],
  ['an answer on a stream of its own', ERROR.PROTOCOL_ERROR, (peer) => peer.headers(2, [OK], true)],
  ['an answer on no stream', ERROR.PROTOCOL_ERROR, (peer) => peer.headers(0, [OK], true)],
  ['a push', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.PUSH_PROMISE, FLAG.END_HEADERS, 1, numberOf(2)))],
  ['a reset of a stream that was never there', ERROR.PROTOCOL_ERROR, (peer) => peer.reset(99, 0)],
  ['a reset of no stream', ERROR.PROTOCOL_ERROR, (peer) => peer.reset(0, 0)],
  ['half a reset', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.RST_STREAM, 0, 1, 'xx'))],
  ['half a ping', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.PING, 0, 0, 'xx'))],
  ['a ping on a stream', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.PING, 0, 1, 'xxxxxxxx'))],
  ['half a setting', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.SETTINGS, 0, 0, 'xx'))],
  ['settings on a stream', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.SETTINGS, 0, 1))],
  ['an acknowledgement with content', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.SETTINGS, FLAG.ACK, 0, 'xxxxxx'))],
  ['half a farewell', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.GOAWAY, 0, 0, 'xxxx'))],
  ['a farewell on a stream', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.GOAWAY, 0, 1, 'xxxxxxxx'))],
  ['an empty window', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.WINDOW_UPDATE, 0, 0, numberOf(0)))],
  ['half a window', ERROR.FRAME_SIZE_ERROR, raw(frameOf(FRAME.WINDOW_UPDATE, 0, 0, 'xx'))],
  [
    'a window of a stream that was never there',
    ERROR.PROTOCOL_ERROR,
    raw(frameOf(FRAME.WINDOW_UPDATE, 0, 9, numberOf(1))),
  ],
  [
    'a window that overflows',
    ERROR.FLOW_CONTROL_ERROR,
    raw(frameOf(FRAME.WINDOW_UPDATE, 0, 0, numberOf(MOST_31_BITS))),
  ],
  [
    'settings that make a window overflow',
    ERROR.FLOW_CONTROL_ERROR,
    raw(
      frameOf(FRAME.WINDOW_UPDATE, 0, 1, numberOf(MOST_31_BITS - 65_535)),
      frameOf(FRAME.SETTINGS, 0, 0, settingsOf([SETTING.INITIAL_WINDOW_SIZE, 65_536])),
    ),
  ],
  [
    'a window that is larger than windows are',
    ERROR.FLOW_CONTROL_ERROR,
    raw(frameOf(FRAME.SETTINGS, 0, 0, settingsOf([SETTING.INITIAL_WINDOW_SIZE, MOST_31_BITS + 1]))),
  ],
  [
    'frames that are longer than frames are',
    ERROR.PROTOCOL_ERROR,
    raw(frameOf(FRAME.SETTINGS, 0, 0, settingsOf([SETTING.MAX_FRAME_SIZE, 1]))),
  ],
  [
    'a block that cannot be decoded',
    ERROR.COMPRESSION_ERROR,
    raw(frameOf(FRAME.HEADERS, END, 1, '\xff\xff\xff\xff\xff')),
  ],
  ['a block with too much padding', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.HEADERS, END | FLAG.PADDED, 1, '\xff'))],
  ['content with too much padding', ERROR.PROTOCOL_ERROR, raw(frameOf(FRAME.DATA, FLAG.PADDED, 1, '\xff'))],
  [
    'another frame inside a block',
    ERROR.PROTOCOL_ERROR,
    raw(frameOf(FRAME.HEADERS, 0, 1, blockOf(OK)), frameOf(FRAME.PING, 0, 0, 'xxxxxxxx')),
  ],
  [
    'content inside a block',
    ERROR.PROTOCOL_ERROR,
    raw(frameOf(FRAME.HEADERS, 0, 1, blockOf(OK)), frameOf(FRAME.DATA, 0, 1, 'x')),
  ],
  [
    'the rest of a block that did not begin',
    ERROR.PROTOCOL_ERROR,
    raw(frameOf(FRAME.CONTINUATION, FLAG.END_HEADERS, 1)),
  ],
  [
    'a block without an end',
    ERROR.ENHANCE_YOUR_CALM,
    raw(frameOf(FRAME.HEADERS, 0, 1), ...Array.from({ length: 100 }, () => frameOf(FRAME.CONTINUATION, 0, 1))),
  ],
  [
    'a block without measure',
    ERROR.ENHANCE_YOUR_CALM,
    raw(
      frameOf(FRAME.HEADERS, 0, 1, blockOf(OK)),
      ...Array.from({ length: 12 }, () => frameOf(FRAME.CONTINUATION, 0, 1, blockOf(['x', 'y'.repeat(15_000)]))),
    ),
  ],
  ['pings without end', ERROR.ENHANCE_YOUR_CALM, repeated(12_000, frameOf(FRAME.PING, 0, 0, 'xxxxxxxx'))],
  ['settings without end', ERROR.ENHANCE_YOUR_CALM, repeated(12_000, frameOf(FRAME.SETTINGS, 0, 0))],
  ['priorities without end', ERROR.ENHANCE_YOUR_CALM, repeated(12_000, frameOf(FRAME.PRIORITY, 0, 1, 'xxxxx'))],
  ['unknown frames without end', ERROR.ENHANCE_YOUR_CALM, repeated(12_000, frameOf(0xee, 0, 1, 'xxxxx'))],
  ['windows without end', ERROR.ENHANCE_YOUR_CALM, repeated(12_000, frameOf(FRAME.WINDOW_UPDATE, 0, 0, numberOf(1)))],
  [
    'empty content without end',
    ERROR.ENHANCE_YOUR_CALM,
    (peer) => {
      peer.headers(1, [OK], false);
      return repeated(12_000, frameOf(FRAME.DATA, 0, 1))(peer, 1);
    },
  ],
  [
    TOO_MUCH,
    ERROR.FLOW_CONTROL_ERROR,
    async (peer) => {
      peer.headers(1, [OK], false);
      await repeated(1000, frameOf(FRAME.DATA, 0, 1, 'x'.repeat(16_384)))(peer, 1);
    },
  ],
];

describe('a backend that breaks the rules of a connection', () => {
  it.each(attacks)('gets an error code, and nothing of its response is used: %s', async (name, code, attack) => {
    let told = -1;
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const head = await peer.request();
        await attack(peer, head!.stream);
        told = (await peer.nextOf(FRAME.GOAWAY))?.payload.readUInt32BE(4) ?? -1;
        await peer.peer.untilClosed();
      }),
    );
    const client = await pair.client();
    // content must not pass on to a client that reads; other answers may begin, and a reset would take them unread
    if (name === TOO_MUCH) client.socket.pause();
    client.send(get('/'));
    await pair.backend.until(() => pair.backend.peers[0]?.ended === true);
    client.socket.resume();
    const begun =
      client.text.startsWith('HTTP/1.1 200') ||
      (await client.until((text) => text.includes('\r\n\r\n'))).startsWith('HTTP/1.1 200');
    if (begun) await client.untilClosed();
    else {
      const [answer] = await untilAnswers(client, 1);
      expect(answer!.status).toBe(502);
      expect(refusalOf(answer!)).toBe('backend-malformed');
    }
    expect(told).toBe(code);
  });

  it.each([
    ['speaks HTTP/1.1', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'],
    ['does not begin with settings', frameOf(FRAME.PING, 0, 0, 'xxxxxxxx')],
    ['begins with an acknowledgement', frameOf(FRAME.SETTINGS, FLAG.ACK, 0)],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.0\r\n'],
  ])('is a 502 when it %s', async (_case, bytes) => {
    const pair = await startScriptedHttp2(async (peer: ScriptedPeer) => {
      const speaker = new Http2Peer(peer);
      await speaker.request();
      peer.send(bytes);
    });
    const client = await pair.client();
    client.send(get('/'));
    const [answer] = await untilAnswers(client, 1);
    expect(refusalOf(answer!)).toBe('backend-malformed');
  });
});

describe('an answer that breaks the rules of a message', () => {
  const heads: readonly [string, readonly Field[], string][] = [
    ['no status', [['x-a', 'b']], 'backend-malformed'],
    ['a status that is none', [[':status', '2xx']], 'backend-malformed'],
    ['a status that is too short', [[':status', '20']], 'backend-malformed'],
    ['a status beyond all classes', [[':status', '600']], 'backend-malformed'],
    ['a switch of protocols', [[':status', '101']], 'backend-malformed'],
    ['two statuses', [OK, OK], 'backend-malformed'],
    ['a status behind other fields', [['x-a', 'b'], OK], 'backend-malformed'],
    ['a field of requests', [OK, [':path', '/']], 'backend-malformed'],
    ['upper case', [OK, ['X-A', 'b']], 'backend-malformed'],
    ['a field of one hop', [OK, ['connection', 'close']], 'backend-malformed'],
    ['a transfer coding', [OK, ['transfer-encoding', 'chunked']], 'backend-malformed'],
    ['a line break in a value', [OK, ['x-a', 'b\r\nx-c: d']], 'backend-malformed'],
    ['a zero in a value', [OK, ['x-a', 'b\0']], 'backend-malformed'],
    ['a colon in a name', [OK, ['x:a', 'b']], 'backend-malformed'],
    ['no name', [OK, ['', 'b']], 'backend-malformed'],
    ['space around a value', [OK, ['x-a', ' b']], 'backend-malformed'],
    ['two lengths', [OK, ['content-length', '1'], ['content-length', '1']], 'backend-malformed'],
    ['a length that is none', [OK, ['content-length', '+1']], 'backend-malformed'],
    ['content that is announced and missing', [OK, ['content-length', '1']], 'backend-malformed'],
    ['a head that is too large', [OK, ...many(120, ['x-a', 'y'.repeat(700)])], 'backend-head-too-large'],
  ];

  it.each(heads)('causes 502, and the connection continues: %s', async (_case, fields, refusal) => {
    let reset = -1;
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const head = await peer.request();
        const block = blockOf(...fields);
        peer.send(
          FRAME.HEADERS,
          block.length > 16_384 ? FLAG.END_STREAM : END,
          head!.stream,
          block.subarray(0, 16_384),
        );
        for (let at = 16_384; at < block.length; at += 16_384) {
          const last = at + 16_384 >= block.length;
          peer.send(FRAME.CONTINUATION, last ? FLAG.END_HEADERS : 0, head!.stream, block.subarray(at, at + 16_384));
        }
        reset = (await peer.nextOf(FRAME.RST_STREAM))!.stream;
        const next = await peer.request();
        peer.answer(next!.stream, 'fine');
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toBe(refusal);
    client.send(get('/'));
    expect((await untilAnswers(client, 2))[1]).toMatchObject({ status: 200, body: 'fine' });
    expect(reset).toBe(1);
    expect(pair.backend.connections).toBe(1);
  });

  it('is a 502 when it decompresses to more than a head may have', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const head = await peer.request();
        const bomb = Buffer.concat([blockOf(OK, ['x-bomb', 'y'.repeat(3000)]), Buffer.alloc(12_000, 0xbe)]);
        peer.send(FRAME.HEADERS, END, head!.stream, bomb);
        const next = await peer.request();
        peer.answer(next!.stream, 'fine');
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    expect(refusalOf((await untilAnswers(client, 1))[0]!)).toBe('backend-head-too-large');
    client.send(get('/'));
    expect((await untilAnswers(client, 2))[1]!.body).toBe('fine');
  });

  it('is a 502 with too many answers before it', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const head = await peer.request();
        for (let i = 0; i < 20; i++) peer.headers(head!.stream, [[':status', '103']], false);
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    const answers = await untilAnswers(client, 1);
    expect(refusalOf(answers.at(-1)!)).toBe('backend-malformed');
    expect(answers).toHaveLength(17);
  });

  it.each([
    ['HEAD', '200', get('/').replace('GET', 'HEAD')],
    ['a 204', '204', get('/')],
    ['a 304', '304', get('/')],
  ])('has no content where none is allowed: %s', async (_case, status, request) => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const head = await peer.request();
        peer.headers(head!.stream, [[':status', status]], false);
        peer.data(head!.stream, 'surprise', false);
        await peer.nextOf(FRAME.RST_STREAM);
      }),
    );
    const client = await pair.client();
    client.send(request);
    const text = await client.until((all) => all.includes('\r\n\r\n'));
    expect(text).not.toContain('surprise');
  });
});

function many(count: number, field: Field): Field[] {
  return Array.from({ length: count }, () => field);
}
