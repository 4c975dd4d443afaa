import { describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { type Connect, connectWire, type Protocol } from '../../../../dataplane/engine/wire/connect.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { plainAnswer, type Script } from '../../../support/backends/scripted-backend.ts';
import {
  eachStream,
  Http2Peer,
  http2Script,
  type StreamHead,
} from '../../../support/backends/scripted-http2-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { get, send } from '../../../support/gateways/proxied-backend.ts';
import { startScriptedHttp2 } from '../../../support/gateways/proxied-http2.ts';

type Fault = (peer: Http2Peer, head: StreamHead) => void;

/** The first connection does with its request what the test says, after a first one that it answers; others answer. */
function faulty(fault: Fault): Script {
  return http2Script(async (peer, index) => {
    for (let head = await peer.request(); head !== null; head = await peer.request()) {
      if (index === 0 && head.fields.get(':path') !== '/warm') {
        if (!head.last) await peer.nextOf(FRAME.DATA, head.stream);
        fault(peer, head);
      } else peer.answer(head.stream, `${head.fields.get(':method')} on ${index}`);
    }
  });
}

/** Sends a request to such a backend, on a new connection or on one that has answered before. */
async function ask(fault: Fault, warm: boolean, request: string): ReturnType<typeof untilAnswers> {
  const pair = await startScriptedHttp2(faulty(fault), { backend: { responseTimeout: 300 } });
  const client = await pair.client();
  if (warm) {
    client.send(get('/warm'));
    await untilAnswers(client, 1);
  }
  client.send(request);
  return untilAnswers(client, warm ? 2 : 1);
}

const KILLS: readonly [string, Fault][] = [
  ['closed', ({ peer }) => peer.close()],
  ['ended', ({ peer }) => peer.end()],
  ['reset', ({ peer }) => peer.reset()],
];

describe.each(KILLS)('a connection that is %s before the answer', (_way, kill) => {
  it('is hidden from the client if the connection was pooled and the request may be retried', async () => {
    const before = counters.block[COUNTER.backendRetries]!;
    for (const [method, body] of [
      ['GET', ''],
      ['PUT', 'small'],
    ] as const) {
      const answers = await ask(kill, true, body === '' ? get('/') : send(method, '/', body));
      expect(answers[1]).toMatchObject({ status: 200, body: `${method} on 1` });
    }
    expect(counters.block[COUNTER.backendRetries]! - before).toBe(2);
  });

  it.each([
    ['the connection is new', false, get('/')],
    ['the request may not be repeated', true, send('POST', '/', 'once')],
  ])('is a 502 when %s', async (_case, warm, request) => {
    const answer = (await ask(kill, warm, request)).at(-1)!;
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-closed');
  });
});

describe('a backend that reports a request as unprocessed', () => {
  const ways: readonly [string, Fault][] = [
    ['by refusing the stream', (peer, { stream }) => peer.reset(stream, ERROR.REFUSED_STREAM)],
    ['by a farewell', (peer, { stream }) => peer.goaway(Math.max(0, stream - 2), ERROR.NO_ERROR)],
    [
      'by a farewell with an error',
      (peer, { stream }) => peer.goaway(Math.max(0, stream - 2), ERROR.ENHANCE_YOUR_CALM),
    ],
  ];

  it.each(ways)('gets it again on another connection, %s', async (_way, fault) => {
    for (const warm of [false, true]) {
      for (const request of [get('/'), send('POST', '/', 'small'), send('PATCH', '/', 'x'.repeat(9000))]) {
        const answer = (await ask(fault, warm, request)).at(-1)!;
        expect(answer).toMatchObject({ status: 200, body: `${request.split(' ')[0]} on 1` });
      }
    }
  });

  it('is not retried forever', async () => {
    let asked = 0;
    const pair = await startScriptedHttp2(
      eachStream(({ stream }, peer) => {
        asked++;
        peer.reset(stream, ERROR.REFUSED_STREAM);
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    const [answer] = await untilAnswers(client, 1);
    expect(refusalOf(answer!)).toBe('backend-reset');
    expect(asked).toBe(4);
  });

  it('gets a body again that is still coming', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer, index) => {
        const head = await peer.request();
        if (head === null) return;
        if (index === 0) {
          await peer.nextOf(FRAME.DATA);
          peer.goaway(0, ERROR.NO_ERROR);
          return;
        }
        let body = '';
        for (let last = false; !last; ) {
          const frame = await peer.nextOf(FRAME.DATA);
          if (frame === null) return;
          body += frame.payload.toString('latin1');
          last = (frame.flags & FLAG.END_STREAM) !== 0;
        }
        peer.answer(head.stream, body);
      }),
    );
    const client = await pair.client();
    client.send('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    await pair.backend.until(() => pair.backend.connections === 2);
    client.send('def');
    expect((await untilAnswers(client, 1))[0]).toMatchObject({ status: 200, body: 'abcdef' });
  });

  it('continues the requests that it has processed', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer, index) => {
        const first = await peer.request();
        if (index === 1) {
          peer.answer(first!.stream, 'second connection');
          return;
        }
        const second = await peer.request();
        peer.goaway(first!.stream, ERROR.NO_ERROR);
        expect(second!.stream).toBe(first!.stream + 2);
        await pair.backend.until(() => pair.backend.connections === 2);
        peer.answer(first!.stream, 'first connection');
        expect(await peer.nextOf(FRAME.GOAWAY)).not.toBeNull();
        expect(await peer.next()).toBeNull();
      }),
    );
    const [one, two] = [await pair.client(), await pair.client()];
    one.send(get('/'));
    two.send(get('/'));
    expect((await untilAnswers(two, 1))[0]!.body).toBe('second connection');
    expect((await untilAnswers(one, 1))[0]!.body).toBe('first connection');
  });
});

describe('a stream that breaks off', () => {
  it.each([ERROR.NO_ERROR, ERROR.INTERNAL_ERROR, ERROR.CANCEL, 0xffff_ffff])(
    'before its answer is a 502, with code %i',
    async (code) => {
      const [answer] = await ask((peer, { stream }) => peer.reset(stream, code), false, get('/'));
      expect(answer!.status).toBe(502);
      expect(refusalOf(answer!)).toBe('backend-reset');
    },
  );

  const cuts: readonly [string, Fault][] = [
    ['a reset', (peer, { stream }) => peer.reset(stream, ERROR.INTERNAL_ERROR)],
    ['the end of the connection', ({ peer }) => peer.end()],
    ['less content than was announced', (peer, { stream }) => peer.data(stream, '', true)],
    ['more content than was announced', (peer, { stream }) => peer.data(stream, 'x'.repeat(96), true)],
    ['a violation of the protocol', (peer, { stream }) => peer.send(FRAME.PUSH_PROMISE, 0, stream, 'xxxx')],
    ['malformed trailers', (peer, { stream }) => peer.headers(stream, [['content-length', '4']], true)],
    ['trailers that are not the end', (peer, { stream }) => peer.headers(stream, [['x-a', 'b']], false)],
  ];

  it.each(cuts)('in its answer is seen by the client: %s', async (_way, cut) => {
    for (const length of ['100', null]) {
      if (length === null && _way.includes('announced')) continue;
      const pair = await startScriptedHttp2(
        eachStream(async (head, peer) => {
          peer.headers(
            head.stream,
            [[':status', '200'], ...(length === null ? [] : [['content-length', length] as const])],
            false,
          );
          peer.data(head.stream, 'begin', false);
          await client.until((text) => text.includes('begin'));
          cut(peer, head);
        }),
      );
      const client = await pair.client();
      client.send(get('/'));
      const text = await client.untilClosed();
      expect(text).toContain('begin');
      expect(text.endsWith('0\r\n\r\n')).toBe(false);
      expect(client.failed || text.length < 300).toBe(true);
    }
  });

  it('does not affect other streams', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const [one, two] = [await peer.request(), await peer.request()];
        peer.reset(one!.stream, ERROR.INTERNAL_ERROR);
        peer.answer(two!.stream, 'fine');
      }),
    );
    const [one, two] = [await pair.client(), await pair.client()];
    one.send(get('/'));
    await pair.backend.until(() => pair.backend.connections === 1);
    two.send(get('/'));
    expect((await untilAnswers(one, 1))[0]!.status).toBe(502);
    expect((await untilAnswers(two, 1))[0]).toMatchObject({ status: 200, body: 'fine' });
    expect(pair.backend.connections).toBe(1);
  });
});

describe('a backend that is silent', () => {
  it('costs one stream its time, and not the connection, when it answers a ping', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        const silent = await peer.request();
        expect((await peer.nextOf(FRAME.RST_STREAM))!.payload.readUInt32BE(0)).toBe(ERROR.CANCEL);
        const ping = await peer.nextOf(FRAME.PING);
        peer.send(FRAME.PING, FLAG.ACK, 0, ping!.payload);
        const next = await peer.request();
        expect(next!.stream).toBe(silent!.stream + 2);
        peer.answer(next!.stream, 'awake');
      }),
      { backend: { responseTimeout: 200 } },
    );
    const client = await pair.client();
    client.send(get('/'));
    const [late] = await untilAnswers(client, 1);
    expect(refusalOf(late!)).toBe('backend-timeout');
    const other = await pair.client();
    await untilTrue(() => pair.backend.peers[0]!.received === '');
    other.send(get('/'));
    expect((await untilAnswers(other, 1))[0]!.body).toBe('awake');
    expect(pair.backend.connections).toBe(1);
  });

  it('loses its connection when it does not answer a ping', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer, index) => {
        const head = await peer.request();
        if (index > 0) peer.answer(head!.stream, 'another');
      }),
      { backend: { responseTimeout: 200 } },
    );
    const client = await pair.client();
    client.send(get('/'));
    const [late] = await untilAnswers(client, 1);
    expect(refusalOf(late!)).toBe('backend-timeout');
    const other = await pair.client();
    other.send(get('/'));
    expect((await untilAnswers(other, 1))[0]!.body).toBe('another');
    await untilTrue(() => pair.backend.peers[0]!.ended);
  });

  it('that stops in its answer is cut off', async () => {
    const pair = await startScriptedHttp2(
      eachStream(({ stream }, peer) => {
        peer.headers(stream, [[':status', '200']], false);
        peer.data(stream, 'begin', false);
      }),
      { backend: { responseTimeout: 200 } },
    );
    const client = await pair.client();
    client.send(get('/'));
    expect(await client.untilClosed()).toMatch(/begin\r\n$/);
  });

  it('that gives no window causes 502', async () => {
    const pair = await startScriptedHttp2(
      http2Script(async (peer) => {
        await peer.request();
        await peer.nextOf(FRAME.RST_STREAM);
      }),
      { backend: { responseTimeout: 200 } },
    );
    const client = await pair.client();
    client.send(send('POST', '/', 'x'.repeat(200_000)));
    expect(refusalOf((await untilAnswers(client, 1))[0]!)).toBe('backend-timeout');
  });
});

describe('a client', () => {
  it('that does not send announced content is reported as the cause of the timeout', async () => {
    const pair = await startScriptedHttp2(
      eachStream((head, peer) => {
        if (head.last) peer.answer(head.stream, 'fine');
      }),
      { backend: { responseTimeout: 200 } },
    );
    const client = await pair.client();
    client.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf');
    const [late] = await untilAnswers(client, 1);
    expect([late!.status, refusalOf(late!)]).toEqual([408, 'body-timeout']);
    const other = await pair.client();
    other.send(get('/'));
    expect((await untilAnswers(other, 1))[0]!.body).toBe('fine');
    expect(pair.backend.connections).toBe(1);
  });
});

describe('an unused connection', () => {
  const ways: (readonly [string, (peer: Http2Peer) => void])[] = [
    ...KILLS.map(([way, kill]) => [way, (peer: Http2Peer) => kill(peer, NO_HEAD)] as const),
    ['ended by a farewell', (peer) => peer.goaway(1, ERROR.NO_ERROR)],
  ];

  it.each(ways)('and that is %s costs the next request nothing', async (_way, kill) => {
    const speakers: Http2Peer[] = [];
    const pair = await startScriptedHttp2(
      http2Script(async (peer, index) => {
        speakers.push(peer);
        for (let head = await peer.request(); head !== null; head = await peer.request()) {
          peer.answer(head.stream, `on ${index}`);
        }
      }),
    );
    const client = await pair.client();
    client.send(get('/'));
    await untilAnswers(client, 1);
    kill(speakers[0]!);
    await untilTrue(() => counters.block[COUNTER.backendConnectionsOpen] === 0);
    client.send(get('/'));
    expect((await untilAnswers(client, 2))[1]).toMatchObject({ status: 200, body: 'on 1' });
  });
});

describe('a backend that changes the protocol it speaks', () => {
  /** Connections speak as the test says, one after the other. */
  function speaking(...protocols: Protocol[]): Connect {
    let next = 0;
    return (to, owner, done) =>
      connectWire(to, owner, (result) => done(typeof result === 'string' ? protocols[next++]! : result));
  }

  it.each([
    ['GET', ''],
    ['PUT', 'small'],
  ])('gets a request again in HTTP/2 that was lost in HTTP/1.1: %s', async (method, body) => {
    let head: StreamHead | null = null;
    let got = '';
    const pair = await startScriptedHttp2(
      async (peer) => {
        if (peer.index === 0) {
          await peer.request();
          peer.send(plainAnswer('warm'));
          await peer.request();
          peer.close();
          return;
        }
        const speaker = new Http2Peer(peer);
        speaker.greet();
        head = await speaker.request();
        if (head?.last === false) got = (await speaker.nextOf(FRAME.DATA))!.payload.toString();
        speaker.answer(head!.stream, 'in HTTP/2');
      },
      { backend: { connect: speaking('http/1.1', 'h2') } },
    );
    const client = await pair.client();
    client.send(get('/warm'));
    await untilAnswers(client, 1);
    client.send(body === '' ? get('/again?x', 'X-A: b\r\n') : send(method, '/again?x', body, 'X-A: b\r\n'));
    expect((await untilAnswers(client, 2))[1]).toMatchObject({ status: 200, body: 'in HTTP/2' });
    expect(Object.fromEntries(head!.fields)).toEqual({
      ':method': method,
      ':scheme': 'http',
      ':authority': 'gateway.test',
      ':path': '/again?x',
      'x-a': 'b',
      ...(body === '' ? {} : { 'content-length': String(body.length) }),
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': expect.any(String),
      'x-forwarded-host': 'gateway.test',
      via: '1.1 gatewarden',
    });
    expect(got).toBe(body);
  });

  it('gets a request again in HTTP/1.1 that it refused in HTTP/2', async () => {
    const pair = await startScriptedHttp2(
      async (peer) => {
        if (peer.index > 0) {
          const request = await peer.request();
          peer.send(plainAnswer(`${request!.method} ${request!.body}`));
          return;
        }
        const speaker = new Http2Peer(peer);
        speaker.greet();
        const head = await speaker.request();
        await speaker.nextOf(FRAME.DATA);
        speaker.reset(head!.stream, ERROR.REFUSED_STREAM);
      },
      { backend: { connect: speaking('h2', 'http/1.1') } },
    );
    const client = await pair.client();
    client.send(send('POST', '/', 'content'));
    expect((await untilAnswers(client, 1))[0]).toMatchObject({ status: 200, body: 'POST content' });
  });
});

const NO_HEAD: StreamHead = { stream: 0, fields: new Map(), last: true };
