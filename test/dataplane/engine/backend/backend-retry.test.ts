import { describe, expect, it } from 'vitest';
import { type Connect, connectWire } from '../../../../dataplane/engine/wire/connect.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import {
  eachRequest,
  plainAnswer,
  type Script,
  type ScriptedPeer,
} from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import type { RawAnswer, RawClient } from '../../../support/clients/raw-client.ts';
import { get, type ProxiedBackend, send, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

/** A kept connection goes when its second request comes, in the way the test says; others answer what they saw. */
function dyingOnReuse(die: (peer: ScriptedPeer) => void): Script {
  return eachRequest((request, peer) => {
    if (peer.index === 0 && request.target !== '/warm') {
      die(peer);
      return undefined;
    }
    return plainAnswer(`${request.method} ${request.target} ${request.body}`);
  });
}

/** Gives the gateway a kept connection, then sends a request on it. */
async function onKept(pair: ProxiedBackend, request: string): Promise<[RawAnswer, RawClient]> {
  const client = await pair.client();
  client.send(get('/warm'));
  await untilAnswers(client, 1);
  client.send(request);
  const answers = await untilAnswers(client, 2, [false, request.startsWith('HEAD')]);
  expect(answers).toHaveLength(2);
  return [answers[1]!, client];
}

const retries = (): number => counters.block[COUNTER.backendRetries]!;
const ways: [string, (peer: ScriptedPeer) => void][] = [
  ['ended', (peer) => peer.end()],
  ['closed', (peer) => peer.close()],
  ['reset', (peer) => peer.reset()],
];

describe.each(ways)('a pooled connection that is %s when a request arrives', (_way, die) => {
  it.each([
    ['GET', 'no body', ''],
    ['OPTIONS', 'no body', ''],
    ['DELETE', 'no body', ''],
    ['PUT', 'a small body', 'small'],
    ['PUT', 'a body of 9000 bytes', 'p'.repeat(9000)],
    ['GET', 'a body', 'small'],
  ])('costs the client nothing: %s with %s', async (method, _case, body) => {
    const pair = await startProxiedBackend(dyingOnReuse(die));
    const before = retries();
    const [answer] = await onKept(pair, send(method, '/again', body));
    expect(answer).toMatchObject({ status: 200, body: `${method} /again ${body}` });
    expect(pair.backend.connections).toBe(2);
    expect(retries() - before).toBe(1);
    const [, first, second] = pair.backend.requests;
    expect(second).toEqual(first);
  });

  it('costs the client nothing: HEAD', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request, peer) => {
        if (peer.index === 0 && request.method === 'HEAD') die(peer);
        else return request.method === 'HEAD' ? 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n' : plainAnswer('warm');
        return undefined;
      }),
    );
    const [answer] = await onKept(pair, get('/again').replace('GET', 'HEAD'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('9');
  });

  it.each([
    ['POST', 'a small body', 'small'],
    ['POST', 'no body', ''],
    ['PATCH', 'a small body', 'small'],
    ['PUT', 'a body that is too long to be kept', 'p'.repeat(20_000)],
  ])('is a 502 where the request may not be repeated: %s with %s', async (method, _case, body) => {
    const pair = await startProxiedBackend(dyingOnReuse(die));
    const [answer, client] = await onKept(pair, send(method, '/once', body));
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-closed');
    expect(pair.backend.requests).toHaveLength(2);
    client.send(get('/after'));
    expect((await untilAnswers(client, 3))[2]).toMatchObject({ status: 200, body: 'GET /after ' });
  });

  it('gives 502 after a chunked request, which is not buffered', async () => {
    const pair = await startProxiedBackend(dyingOnReuse(die));
    const head = 'PUT /once HTTP/1.1\r\nHost: gateway.test\r\nTransfer-Encoding: chunked\r\n\r\n';
    const [answer] = await onKept(pair, `${head}1\r\nx\r\n0\r\n\r\n`);
    expect(answer.status).toBe(502);
    expect(pair.backend.requests).toHaveLength(2);
  });

  it.each([
    ['one byte of the answer', 'H'],
    ['half of the answer', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('is a 502 after %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      dyingOnReuse(async (peer) => {
        await peer.sendPieces(bytes, 1);
        die(peer);
      }),
    );
    const client = await pair.client();
    client.send(get('/warm'));
    await untilAnswers(client, 1);
    client.send(get('/once'));
    const answers = (await untilAnswers(client, 2)).filter((answer) => answer.status >= 200);
    expect(answers[1]!.status).toBe(502);
    expect(pair.backend.requests).toHaveLength(2);
  });

  it('is repeated once and no more', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request, peer) => {
        if (request.target === '/warm') return plainAnswer('warm');
        die(peer);
        return undefined;
      }),
    );
    const [answer] = await onKept(pair, get('/again'));
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-closed');
    expect(pair.backend.requests).toHaveLength(3);
    expect(pair.backend.connections).toBe(2);
  });

  it('gives 502 on a new connection without a retry', async () => {
    const pair = await startProxiedBackend(dyingOnReuse(die));
    const client = await pair.client();
    client.send(get('/first'));
    expect((await untilAnswers(client, 1))[0]!.status).toBe(502);
    expect(pair.backend.requests).toHaveLength(1);
  });
});

describe('a repeated request', () => {
  it('is sent once more when the next pooled connection is closed too', async () => {
    const gate = Promise.withResolvers<void>();
    const free = Promise.withResolvers<void>();
    let dials = 0;
    const connect: Connect = (to, owner, done) =>
      // the third connection is there only when the second one has been tried
      connectWire(to, owner, ++dials < 3 ? done : (result) => void gate.promise.then(() => done(result)));
    const pair = await startProxiedBackend(
      eachRequest(async (request, peer) => {
        if (request.target === '/warm') return plainAnswer('warm');
        if (request.target === '/hold') {
          await free.promise;
          return plainAnswer('held');
        }
        if (peer.index > 1) return plainAnswer(`answer to ${request.target}`);
        if (peer.index === 1) free.resolve();
        else gate.resolve();
        peer.close();
        return undefined;
      }),
      { backend: { connect, connections: 2 } },
    );
    const [client, other] = [await pair.client(), await pair.client()];
    client.send(get('/warm'));
    await untilAnswers(client, 1);
    client.send(get('/hold'));
    await pair.backend.until(() => pair.backend.requests.length === 2);
    other.send(get('/warm'));
    await untilAnswers(other, 1);
    other.send(get('/again'));
    expect((await untilAnswers(other, 2))[1]).toMatchObject({ status: 200, body: 'answer to /again' });
    expect((await untilAnswers(client, 2))[1]!.body).toBe('held');
  });

  it('is refused when no new connection can be made', async () => {
    const pair = await startProxiedBackend(
      dyingOnReuse((peer) => {
        void pair.backend.close();
        peer.close();
      }),
    );
    const [answer] = await onKept(pair, get('/again'));
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-connect');
  });

  it('goes before waiting requests, even if the queue is full', async () => {
    let die = (): void => {};
    const dying = new Promise<void>((resolve) => {
      die = resolve;
    });
    const pair = await startProxiedBackend(
      eachRequest(async (request, peer) => {
        if (peer.index > 0 || request.target === '/warm') return plainAnswer(`for ${request.target}`);
        await dying;
        peer.close();
        return undefined;
      }),
      { backend: { connections: 1, waiting: 1 } },
    );
    const client = await pair.client();
    client.send(get('/warm'));
    await untilAnswers(client, 1);
    client.send(get('/again'));
    await pair.backend.until(() => pair.backend.requests.length === 2);
    const other = await pair.client();
    other.send(get('/waiting'));
    await untilTrue(() => counters.block[COUNTER.backendWaiting] === 1);
    die();
    expect((await untilAnswers(client, 2))[1]!.body).toBe('for /again');
    expect((await untilAnswers(other, 1))[0]!.body).toBe('for /waiting');
    expect(pair.backend.requests.map((request) => request.target)).toEqual(['/warm', '/again', '/again', '/waiting']);
  });

  it('is not sent when its client has disconnected', async () => {
    const pair = await startProxiedBackend(
      dyingOnReuse((peer) => {
        client.socket.resetAndDestroy();
        peer.socket.once('close', () => {});
      }),
    );
    const client = await pair.client();
    client.send(get('/warm'));
    await untilAnswers(client, 1);
    client.send(get('/again'));
    await pair.backend.peers[0]!.untilClosed();
    await untilTrue(() => pair.gateway.finished.length === 2);
    expect(pair.gateway.finished[1]!.status).toBe(499);
    expect(pair.backend.connections).toBe(1);
  });
});
