import { describe, expect, it } from 'vitest';
import {
  eachRequest,
  plainAnswer,
  type Script,
  type ScriptedPeer,
} from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { nextTurn } from '../../../support/clients/event-loop.ts';
import type { RawAnswer, RawClient } from '../../../support/clients/raw-client.ts';
import { get, type ProxiedBackend, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

const WHOLE = Number.POSITIVE_INFINITY;
const SEGMENTS = [
  ['at once', WHOLE],
  ['byte by byte', 1],
] as const;

/** Answers a request for /hostile with these bytes in pieces, and every other one as it should. */
function hostile(bytes: string, size: number): Script {
  return eachRequest(async (request, peer) => {
    if (request.target !== '/hostile') return plainAnswer(`for ${request.target}`);
    await peer.sendPieces(bytes, size);
    return undefined;
  });
}

/** The gateway serves on: the same client if it was kept, and a new one, each with its own answer. */
async function expectServingOn(pair: ProxiedBackend, same?: RawClient, heads: boolean[] = []): Promise<void> {
  if (same !== undefined) {
    same.send(get('/same'));
    const answers = (await untilAnswers(same, 2, heads)).filter((answer) => answer.status >= 200);
    expect(answers).toHaveLength(2);
    expect(answers[1]).toMatchObject({ status: 200, body: 'for /same' });
  }
  const other = await pair.client();
  other.send(get('/other'));
  expect(await untilAnswers(other, 1)).toMatchObject([{ status: 200, body: 'for /other' }]);
}

async function answerTo(pair: ProxiedBackend, request = get('/hostile')): Promise<[RawAnswer, RawClient]> {
  const client = await pair.client();
  client.send(request);
  const answers = await untilAnswers(client, 1, [request.startsWith('HEAD')]);
  expect(answers).toHaveLength(1);
  return [answers[0]!, client];
}

function expectRefusal(answer: RawAnswer, status: number, refusal: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(answer.body)).toMatchObject({ code: status });
  expect(refusalOf(answer)).toBe(refusal);
}

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `X-Line-${i}: v\r\n`).join('');

describe.each(SEGMENTS)('a malformed answer head becomes a clean 502, sent %s', (_name, size) => {
  it.each([
    ['a status line that is not HTTP', 'ICY 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['no status line', 'Content-Length: 0\r\n\r\n'],
    ['an empty line before the status line', `\r\n${plainAnswer('x')}`],
    ['a request instead of an answer', 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['HTTP/2.0', 'HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['HTTP/0.9', 'HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a version of two digits', 'HTTP/1.10 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a version in lower case', 'http/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['two spaces before the status', 'HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a tab before the status', 'HTTP/1.1\t200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a negative status', 'HTTP/1.1 -20 OK\r\nContent-Length: 0\r\n\r\n'],
    ['status 000', 'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n'],
    ['status 099', 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n'],
    ['status 600', 'HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n'],
    ['status 999', 'HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n'],
    ['a NUL in the reason phrase', 'HTTP/1.1 200 O\0K\r\nContent-Length: 0\r\n\r\n'],
    ['a bare CR in the status line', 'HTTP/1.1 200 O\rK\r\nContent-Length: 0\r\n\r\n'],
    ['a bare LF after the status line', 'HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n'],
    ['a negative length', `${OK}Content-Length: -1\r\n\r\n`],
    ['a length with a sign', `${OK}Content-Length: +1\r\n\r\nx`],
    ['an empty length', `${OK}Content-Length:\r\n\r\n`],
    ['a length with a fraction', `${OK}Content-Length: 1.0\r\n\r\nx`],
    ['a list of equal lengths', `${OK}Content-Length: 1, 1\r\n\r\nx`],
    ['a list of different lengths', `${OK}Content-Length: 1, 2\r\n\r\nxx`],
    ['two different lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`],
    ['two equal lengths', `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`],
    ['a length in hexadecimal', `${OK}Content-Length: 0x1\r\n\r\nx`],
    ['a length with a space in it', `${OK}Content-Length: 1 0\r\n\r\nxxxxxxxxxx`],
    ['a length that no number holds', `${OK}Content-Length: 99999999999999999999\r\n\r\nx`],
    ['a length, then a transfer coding', `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a transfer coding, then a length', `${OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ['gzip as a transfer coding', `${OK}Transfer-Encoding: gzip\r\n\r\nx`],
    ['gzip, chunked', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['chunked, gzip', `${OK}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ['identity', `${OK}Transfer-Encoding: identity\r\n\r\nx`],
    ['an empty transfer coding', `${OK}Transfer-Encoding:\r\n\r\nx`],
    ['a quoted transfer coding', `${OK}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`],
    ['a transfer coding with a parameter', `${OK}Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n`],
    ['chunked twice in a list', `${OK}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['chunked twice in two lines', `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a transfer coding in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a folded line', `${OK}X-Folded: one\r\n two\r\nContent-Length: 0\r\n\r\n`],
    ['a fold after the status line', `${OK} X-Folded: one\r\nContent-Length: 0\r\n\r\n`],
    ['a folded length', `${OK}Content-Length:\r\n 1\r\n\r\nx`],
    ['a bare LF after a line', `${OK}X-Line: v\nContent-Length: 0\r\n\r\n`],
    ['a bare LF as the end of the head', `${OK}Content-Length: 0\r\n\n`],
    ['a bare CR in a value', `${OK}X-Line: v\rContent-Length: 9\r\nContent-Length: 0\r\n\r\n`],
    ['a bare CR as the end of the head', `${OK}Content-Length: 0\r\n\rX`],
    ['a NUL in a value', `${OK}X-Line: a\0b\r\nContent-Length: 0\r\n\r\n`],
    ['a DEL in a value', `${OK}X-Line: a\x7fb\r\nContent-Length: 0\r\n\r\n`],
    ['a NUL in a name', `${OK}X-L\0ine: v\r\nContent-Length: 0\r\n\r\n`],
    ['a space before the colon', `${OK}Content-Length : 0\r\n\r\n`],
    ['a tab before the colon', `${OK}X-Line\t: v\r\nContent-Length: 0\r\n\r\n`],
    ['a space in a name', `${OK}X Line: v\r\nContent-Length: 0\r\n\r\n`],
    ['an empty name', `${OK}: v\r\nContent-Length: 0\r\n\r\n`],
    ['a line without a colon', `${OK}X-Line\r\nContent-Length: 0\r\n\r\n`],
    ['a name in Latin-1', `${OK}X-L\xefne: v\r\nContent-Length: 0\r\n\r\n`],
    ['a name in brackets', `${OK}(X-Line): v\r\nContent-Length: 0\r\n\r\n`],
  ])('%s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, size));
    const [answer, client] = await answerTo(pair);
    expectRefusal(answer, 502, 'backend-malformed');
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair, client);
    expect(pair.backend.connections).toBe(2);
  });

  it('too many header lines', async () => {
    const pair = await startProxiedBackend(hostile(`${OK}${lines(1001)}Content-Length: 0\r\n\r\n`, size));
    const [answer, client] = await answerTo(pair);
    expectRefusal(answer, 502, 'backend-malformed');
    await expectServingOn(pair, client);
  });

  it.each([
    ['complete', `${OK}X-Long: ${'v'.repeat(1000)}\r\nContent-Length: 0\r\n\r\n`],
    ['complete, of many lines', `${OK}${lines(80)}Content-Length: 0\r\n\r\n`],
    ['that ends nowhere', `${OK}X-Long: ${'v'.repeat(3000)}`],
    ['that ends nowhere, of many lines', `${OK}${lines(200)}`],
    ['that ends nowhere within a name', `${OK}${'X'.repeat(3000)}`],
    ['that ends nowhere within the reason', `HTTP/1.1 200 ${'r'.repeat(3000)}`],
  ])('a head that is too large, %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, size), { backend: { headBytes: 900 } });
    const [answer, client] = await answerTo(pair);
    expectRefusal(answer, 502, 'backend-head-too-large');
    await expectServingOn(pair, client);
  });

  it('too many interim responses', async () => {
    const pair = await startProxiedBackend(hostile('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(20), size));
    const client = await pair.client();
    client.send(get('/hostile'));
    const answers = await untilAnswers(client, 1);
    expect(answers.filter((answer) => answer.status === 103).length).toBeLessThanOrEqual(16);
    expectRefusal(answers.at(-1)!, 502, 'backend-malformed');
    await expectServingOn(pair, client);
  });

  it.each([
    ['without a word', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['to websocket', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbytes'],
  ])('a protocol switch that was not requested, %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, size), { backend: { upgrades: ['websocket'] } });
    const [answer, client] = await answerTo(pair);
    expectRefusal(answer, 502, 'backend-upgrade');
    await expectServingOn(pair, client);
  });
});

describe.each(SEGMENTS)('an unusual answer is passed on, sent %s', (_name, size) => {
  it.each([
    ['no reason phrase', 'HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx'],
    ['no reason phrase and no space', 'HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx'],
    ['a reason phrase in Latin-1', 'HTTP/1.1 200 Tr\xe8s bien\r\nContent-Length: 1\r\n\r\nx'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx'],
    ['a length with zeros in front', `${OK}Content-Length: 0001\r\n\r\nx`],
    ['a length with space around it', `${OK}Content-Length: \t1 \t\r\n\r\nx`],
    ['an empty value', `${OK}X-Empty:\r\nContent-Length: 1\r\n\r\nx`],
    ['a value in UTF-8', `${OK}X-Line: \xe2\x82\xac\r\nContent-Length: 1\r\n\r\nx`],
    ['a name with an underscore', `${OK}x_line: v\r\nContent-Length: 1\r\n\r\nx`],
    ['chunked in capitals', `${OK}TRANSFER-ENCODING: Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`],
    ['a chunk extension', `${CHUNKED}1;name=value;other="quo\\"ted"\r\nx\r\n0;last\r\n\r\n`],
    ['a chunk size with zeros in front', `${CHUNKED}0001\r\nx\r\n000\r\n\r\n`],
    ['a long value', `${OK}X-Long: ${'v'.repeat(9000)}\r\nContent-Length: 1\r\n\r\nx`],
    ['a head that nearly fills the limit', `${OK}X-Long: ${'v'.repeat(65_000)}\r\nContent-Length: 1\r\n\r\nx`],
    ['as many header lines as may be', `${OK}${lines(999)}Content-Length: 1\r\n\r\nx`],
  ])('%s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, size));
    const [answer, client] = await answerTo(pair);
    expect(answer).toMatchObject({ status: 200, body: 'x' });
    expect(answer.head).toMatch(/^HTTP\/1\.1 200 /);
    await expectServingOn(pair, client);
  });
});

describe.each(SEGMENTS)('bytes after the end cost the connection and nothing else, sent %s', (_name, size) => {
  const evil = plainAnswer('for somebody else');
  it.each([
    ['rubbish after a length', 'GET', `${plainAnswer('mine')}rubbish`, 'mine'],
    ['one byte after a length', 'GET', `${plainAnswer('mine')}\n`, 'mine'],
    ['an answer after a length', 'GET', plainAnswer('mine') + evil, 'mine'],
    ['an answer after an empty answer', 'GET', plainAnswer('') + evil, ''],
    ['an answer after chunks', 'GET', `${CHUNKED}4\r\nmine\r\n0\r\n\r\n${evil}`, 'mine'],
    ['rubbish after chunks', 'GET', `${CHUNKED}4\r\nmine\r\n0\r\n\r\n0\r\n\r\n`, 'mine'],
    ['content of a 204', 'GET', `HTTP/1.1 204 No Content\r\n\r\n${evil}`, ''],
    ['content of a 204 with a length', 'GET', 'HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil', ''],
    ['content of a 304', 'GET', `HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n${evil}`, ''],
    ['content of an answer to HEAD', 'HEAD', plainAnswer('evil'), ''],
    ['an answer after an answer to HEAD', 'HEAD', `${OK}Content-Length: 4\r\n\r\n${evil}`, ''],
    ['chunks of an answer to HEAD', 'HEAD', `${CHUNKED}4\r\nevil\r\n0\r\n\r\n`, ''],
  ])('%s', async (_case, method, bytes, body) => {
    const pair = await startProxiedBackend(hostile(bytes, size));
    const request = get('/hostile').replace('GET', method);
    const [answer, client] = await answerTo(pair, request);
    expect(answer.status).toBe(Number(bytes.slice(9, 12)));
    expect(answer.body).toBe(body);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair, client, [method === 'HEAD']);
    expect(pair.backend.connections).toBe(2);
  });
});

describe('bytes on an idle connection are never used as a response', () => {
  const evil = plainAnswer('for somebody else');

  it('when they arrive before the next request', async () => {
    const pair = await startProxiedBackend(eachRequest((request) => plainAnswer(`for ${request.target}`)));
    const client = await pair.client();
    client.send(get('/first'));
    await untilAnswers(client, 1);
    pair.backend.peers[0]!.send(evil);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair, client);
    expect(pair.backend.connections).toBe(2);
  });

  it.each([
    ['the request first', false],
    ['the stray bytes first', true],
  ])('when they arrive in the same event-loop turn as the next request, %s', async (_case, strayFirst) => {
    const pair = await startProxiedBackend(
      eachRequest((request, peer) =>
        peer.index === 0 && request.target !== '/first' ? undefined : plainAnswer('mine'),
      ),
    );
    const client = await pair.client();
    client.send(get('/first'));
    await untilAnswers(client, 1);
    await nextTurn();
    if (strayFirst) pair.backend.peers[0]!.send(evil);
    client.send(get('/second'));
    if (!strayFirst) pair.backend.peers[0]!.send(evil);
    const answers = await untilAnswers(client, 2);
    expect(answers[1]).toMatchObject({ status: 200, body: 'mine' });
    expect(pair.backend.connections).toBe(2);
  });
});

describe('a malformed chunked body', () => {
  const cases: [string, string][] = [
    ['a size that is no number', `${CHUNKED}4\r\nmine\r\nxyz\r\n`],
    ['an empty size', `${CHUNKED}4\r\nmine\r\n\r\n`],
    ['a negative size', `${CHUNKED}4\r\nmine\r\n-1\r\n`],
    ['a size in 0x form', `${CHUNKED}4\r\nmine\r\n0x4\r\nmine\r\n0\r\n\r\n`],
    ['a size that no number holds', `${CHUNKED}4\r\nmine\r\nfffffffffffffffff\r\n`],
    ['a space before a size', `${CHUNKED}4\r\nmine\r\n 4\r\nmine\r\n0\r\n\r\n`],
    ['a space after a size', `${CHUNKED}4\r\nmine\r\n4 \r\nmine\r\n0\r\n\r\n`],
    ['a bare LF after a size', `${CHUNKED}4\r\nmine\r\n4\nmine\r\n0\r\n\r\n`],
    ['a chunk longer than its size', `${CHUNKED}4\r\nmine\r\n4\r\nminemine\r\n0\r\n\r\n`],
    ['a bare LF after the data', `${CHUNKED}4\r\nmine\r\n4\r\nmine\n0\r\n\r\n`],
    ['an extension with a bare LF', `${CHUNKED}4\r\nmine\r\n4;a\nb\r\nmine\r\n0\r\n\r\n`],
    ['an extension without end', `${CHUNKED}4\r\nmine\r\n4;${'a'.repeat(2000)}`],
    ['an extension that is no token', `${CHUNKED}4\r\nmine\r\n4;(a)\r\nmine\r\n0\r\n\r\n`],
    ['a NUL in an extension', `${CHUNKED}4\r\nmine\r\n4;a="\0"\r\nmine\r\n0\r\n\r\n`],
    ['a trailer without a colon', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer\r\n\r\n`],
    ['a folded trailer', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer: a\r\n b\r\n\r\n`],
    ['a trailer with a bare LF', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer: a\nX-Other: b\r\n\r\n`],
    ['a trailer with a NUL', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer: a\0\r\n\r\n`],
    ['a space before the colon of a trailer', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer : a\r\n\r\n`],
    ['a length as a trailer', `${CHUNKED}4\r\nmine\r\n0\r\nContent-Length: 4\r\n\r\n`],
    ['a transfer coding as a trailer', `${CHUNKED}4\r\nmine\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['trailers without end', `${CHUNKED}4\r\nmine\r\n0\r\n${'X-Trailer: a\r\n'.repeat(1000)}`],
    ['a bare CR as the end', `${CHUNKED}4\r\nmine\r\n0\r\n\rX`],
  ];

  it.each(cases)('is a clean 502 while nothing was passed on: %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, WHOLE));
    const [answer, client] = await answerTo(pair);
    expectRefusal(answer, 502, 'backend-malformed');
    await expectServingOn(pair, client);
    expect(pair.backend.connections).toBe(2);
  });

  it.each(cases)('aborts a transfer that has started: %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(hostile(bytes, 1));
    const client = await pair.client();
    client.send(get('/hostile'));
    const text = await client.untilClosed();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)+\r\n1\r\nm\r\n/);
    expect(text).not.toMatch(/\r\n0\r\n/);
    await pair.backend.peers[0]!.untilClosed();
    await expectServingOn(pair);
  });
});

describe('an answer that is cut off is never completed', () => {
  const points: [string, string][] = [
    ['within a body of known length', `${OK}Content-Length: 10\r\n\r\nmine`],
    ['before a body of known length', `${OK}Content-Length: 10\r\n\r\n`],
    ['within a chunk', `${CHUNKED}a\r\nmine`],
    ['within a chunk size', `${CHUNKED}4\r\nmine\r\n4`],
    ['before the last chunk', `${CHUNKED}4\r\nmine\r\n`],
    ['within the last chunk', `${CHUNKED}4\r\nmine\r\n0\r\n`],
    ['within the trailers', `${CHUNKED}4\r\nmine\r\n0\r\nX-Trailer: a\r\n`],
  ];
  const early: [string, string][] = [
    ['before the head', ''],
    ['within the status line', 'HTTP/1.1 2'],
    ['within the head', `${OK}Content-Length: 1`],
    ['before the end of the head', `${OK}Content-Length: 1\r\n`],
    ['after an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ];
  const ways: [string, (peer: ScriptedPeer) => void][] = [
    ['ended', (peer) => peer.end()],
    ['closed', (peer) => peer.close()],
    ['reset', (peer) => peer.reset()],
  ];
  const breaking = (bytes: string, size: number, cut: (peer: ScriptedPeer) => void): Script =>
    eachRequest(async (request, peer) => {
      if (request.target !== '/hostile') return plainAnswer(`for ${request.target}`);
      await peer.sendPieces(bytes, size);
      if (size === 1) await nextTurn();
      cut(peer);
      return undefined;
    });

  describe.each(SEGMENTS)('sent %s', (_name, size) => {
    describe.each(ways)('and %s', (_way, cut) => {
      it.each(early)('%s: 502', async (_case, bytes) => {
        const pair = await startProxiedBackend(breaking(bytes, size, cut));
        const client = await pair.client();
        client.send(get('/hostile'));
        const answers = await untilAnswers(client, 1);
        expectRefusal(answers.at(-1)!, 502, 'backend-closed');
        await expectServingOn(pair, client);
        expect(pair.backend.requests.filter((request) => request.target === '/hostile')).toHaveLength(1);
      });

      it.each(points)('%s: cut off', async (_case, bytes) => {
        const pair = await startProxiedBackend(breaking(bytes, size, cut));
        const client = await pair.client();
        client.send(get('/hostile'));
        const text = await client.untilClosed();
        await expect(untilAnswers(client, 1)).rejects.toThrow(/half|not a chunk/);
        expect(text.length === 0 || text.startsWith(OK)).toBe(true);
        await expectServingOn(pair);
      });
    });
  });
});
