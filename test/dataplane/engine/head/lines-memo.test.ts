import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetRanges } from '../../../../dataplane/engine/head/header-ranges.ts';
import type { Headers } from '../../../../dataplane/engine/head/headers.ts';
import { LinesMemo } from '../../../../dataplane/engine/head/lines-memo.ts';
import { scanRequestHead } from '../../../../dataplane/engine/head/request-head.ts';
import { RequestJudge } from '../../../../dataplane/engine/head/request-judge.ts';
import { requestHead } from '../../../../dataplane/engine/head/scanned-request.ts';
import { SLACK } from '../../../../dataplane/engine/wire/bytes.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { requestVectors } from '../../../support/clients/vectors.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

const limits = { targetBytes: 1000, headBytes: 3000, headerBytes: 0, headerLines: 100, underscores: true };

/** What a scan says of a head, with its lines from the start of the head on. */
function scanned(head: Buffer, memo: LinesMemo | null, { dropsIds = false, at = 0, most = limits } = {}) {
  resetRanges();
  const bytes = Buffer.alloc(at + head.length + SLACK);
  head.copy(bytes, at);
  const end = scanRequestHead(bytes, at, at + head.length, most, memo, dropsIds);
  if (end < 0) return { end, refusal: end === -2 ? requestHead.refusal : null };
  const { table, first, recalled, credentials: _known, base, refusal: _none, ...facts } = requestHead;
  const from = (line: number): number => (line < 0 ? -1 : line - first);
  const lines = {
    hostLine: from(facts.hostLine),
    upgradeLine: from(facts.upgradeLine),
    authorizationLine: from(facts.authorizationLine),
  };
  const places = [...table.subarray(first, first + 4 * facts.lines)];
  return { bytes, end: end - base, recalled, facts: { ...facts, ...lines, nominated: facts.nominated, places } };
}

function learned(head: Buffer, dropsIds = false): LinesMemo {
  const memo = new LinesMemo();
  const { end, bytes } = scanned(head, null, { dropsIds });
  memo.miss(bytes!, end, dropsIds);
  return memo;
}

const request = (lines: string, line = 'GET / HTTP/1.1'): Buffer => Buffer.from(`${line}\r\n${lines}\r\n`, 'latin1');

const USUAL = 'Host: h\r\nAuthorization: Bearer abc\r\nX-Request-Id: 1\r\nConnection: keep-alive\r\n';
const LINES = {
  usual: USUAL,
  'no line to keep': 'Connection: close\r\nTE: trailers\r\n',
  'a nominated line': 'Host: h\r\nX-Hop: 1\r\nConnection: close, x-hop\r\n',
  'content of a length': 'Host: h\r\nContent-Length: 12\r\n',
  'content in chunks': 'Host: h\r\nTransfer-Encoding: chunked\r\n',
  'an expectation': 'Host: h\r\nExpect: 100-continue\r\nContent-Length: 1\r\n',
  'an upgrade': 'Host: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n',
  'forwarding headers': 'Host: h\r\nX-Forwarded-For: 192.0.2.1\r\nForwarded: for=x\r\n',
  'unusual names': 'Host: h\r\nx_y: 1\r\nx!z: 2\r\n',
  'two credentials': 'Host: h\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n',
  'space around values': 'Host:  h  \r\nAuthorization: \tBearer a \r\nX: \t \r\n',
};

describe('lines that come again', () => {
  it.each(Object.entries(LINES))('are found as by a scan: %s', (_name, lines) => {
    const memo = learned(request(lines));
    for (const line of ['GET / HTTP/1.1', 'POST /a/longer/target?with=query HTTP/1.1', 'GET /a HTTP/1.1']) {
      for (const at of [0, 3, 701]) {
        const { recalled, facts, end } = scanned(request(lines, line), memo, { at });
        const alone = scanned(request(lines, line), null, { at });
        expect(recalled).toBe(true);
        expect({ facts, end }).toEqual({ facts: alone.facts, end: alone.end });
      }
    }
  });

  it('are found as by a scan in all requests of public suites', () => {
    let count = 0;
    for (const { bytes } of requestVectors()) {
      const alone = scanned(bytes, null);
      if (alone.end < 0 || alone.facts!.lines === 0) continue;
      const { facts, end, recalled } = scanned(bytes, learned(bytes));
      expect({ facts, end, recalled }).toEqual({ facts: alone.facts, end: alone.end, recalled: true });
      count++;
    }
    expect(count).toBeGreaterThan(50);
  });

  it('do not change what was learned when somebody drops one', () => {
    const memo = learned(request(USUAL));
    scanned(request(USUAL), memo);
    requestHead.table[requestHead.hostLine] = ~requestHead.table[requestHead.hostLine]!;
    expect(scanned(request(USUAL), memo).facts).toEqual(scanned(request(USUAL), null).facts);
  });
});

describe('lines are read anew', () => {
  const alters: Readonly<Record<string, (text: string) => string>> = {
    'one byte of a value': (text) => text.replace('abc', 'abd'),
    'the case of a name': (text) => text.replace('Host', 'host'),
    'one line more': (text) => text.replace('\r\n\r\n', '\r\nX: 1\r\n\r\n'),
    'one line less': (text) => text.replace('X-Request-Id: 1\r\n', ''),
    'the version': (text) => text.replace('HTTP/1.1', 'HTTP/1.0'),
    'the end of the last line': (text) => text.replace('keep-alive\r\n', 'keep-alive \r\n'),
  };

  it.each(Object.entries(alters))('after a change of %s', (_name, alter) => {
    const text = request(USUAL).latin1Slice();
    expect(alter(text)).not.toBe(text);
    const { recalled, facts, end } = scanned(Buffer.from(alter(text), 'latin1'), learned(request(USUAL)));
    const alone = scanned(Buffer.from(alter(text), 'latin1'), null);
    expect({ recalled, facts, end }).toEqual({ recalled: false, facts: alone.facts, end: alone.end });
  });

  it('when ids of the client became believed', () => {
    const { recalled, facts } = scanned(request(USUAL), learned(request(USUAL), true));
    expect({ recalled, facts }).toEqual({ recalled: false, facts: scanned(request(USUAL), null).facts });
  });

  it.each(Array.from({ length: request(USUAL).length }, (_, length) => length))('of the first %i bytes', (length) => {
    const part = request(USUAL).subarray(0, length);
    expect(scanned(part, learned(request(USUAL)))).toEqual(scanned(part, null));
  });

  it('and refused where the request line leaves no room for them', () => {
    const memo = learned(request(USUAL));
    const long = request(USUAL, `GET /${'a'.repeat(100)} HTTP/1.1`);
    for (let headBytes = long.length - 4; headBytes < long.length + 4; headBytes++) {
      const most = { ...limits, headBytes };
      const { end, refusal, facts } = scanned(long, memo, { most });
      const alone = scanned(long, null, { most });
      expect({ end, refusal, facts }).toEqual({ end: alone.end, refusal: alone.refusal, facts: alone.facts });
    }
  });

  it('while there was no line to learn', () => {
    const memo = learned(request(''));
    expect(scanned(request(''), memo).recalled).toBe(false);
    expect(scanned(request(USUAL), memo).facts).toEqual(scanned(request(USUAL), null).facts);
  });
});

describe('credentials', () => {
  /** What the last of these requests is known by, after a memo has learned the first. */
  function knownBy(...requests: readonly string[]): unknown {
    const memo = learned(request(requests[0]!));
    for (const lines of requests) scanned(request(lines), memo);
    return requestHead.credentials;
  }

  it('are known while their line comes again', () => {
    const memo = learned(request(USUAL));
    const known = memo.credentials;
    expect(known?.bytes.latin1Slice()).toBe('Bearer abc\r\n');
    const others = [USUAL, `${USUAL}X: 1\r\n`, 'Authorization: Bearer abc\r\n', 'authorization:Bearer abc\r\n'];
    for (const lines of others) {
      scanned(request(lines), memo);
      expect(requestHead.credentials).toBe(known);
    }
  });

  const unknown: Readonly<Record<string, string>> = {
    'there are none': USUAL.replace(/Authorization.*\r\n/, ''),
    'one byte differs': USUAL.replace('abc', 'abd'),
    'there is more of them': USUAL.replace('abc', 'abcd'),
    'there is less of them': USUAL.replace('abc', 'ab'),
    'others follow': `${USUAL}Authorization: Bearer b\r\n`,
    'others come before': `Authorization: Bearer b\r\n${USUAL}`,
    'they come twice': `${USUAL}Authorization: Bearer abc\r\n`,
    'they stand in another line': USUAL.replace('Authorization', 'X-Authorization'),
  };

  it.each(Object.entries(unknown))('are not known where %s', (_name, lines) => {
    expect(knownBy(USUAL, lines)).toBeNull();
  });

  const neverKnown = ['others follow', 'others come before', 'they come twice'];
  it.each(neverKnown)('are not known by lines that come again where %s', (name) => {
    const lines = unknown[name]!;
    expect(knownBy(lines, lines)).toBeNull();
    expect(requestHead.recalled).toBe(true);
  });

  it('are not known once somebody has edited their line', () => {
    const edits: Readonly<Record<string, (headers: Headers) => void>> = {
      delete: (headers) => headers.delete('Authorization'),
      set: (headers) => headers.set('authorization', 'Bearer abc'),
      append: (headers) => headers.append('AUTHORIZATION', 'Bearer abc'),
      remove: (headers) => headers.remove('authorization'),
      fixed: (headers) => headers.appendFixed({ name: 'Authorization', plain: 'authorization', value: 'Bearer abc' }),
    };
    for (const [name, edit] of Object.entries(edits)) {
      const headers = judged();
      edit(headers);
      expect([name, headers.credentials]).toEqual([name, null]);
    }
    const headers = judged();
    headers.set('X-Request-Id', '2');
    headers.delete('Host');
    expect(headers.credentials).not.toBeNull();
  });

  /** The headers of a request with credentials that are known. */
  function judged(): Headers {
    const { bytes, end } = scanned(request(USUAL), learned(request(USUAL)));
    const judge = new RequestJudge();
    expect(judge.judge(bytes!, end, 'http', { queries: 'refuse', missingHost: false })).toBe(true);
    const { headers } = judge.request(bytes!, 'http', 'HTTP/1.1', null, false);
    expect(headers.credentials?.bytes.latin1Slice()).toBe('Bearer abc\r\n');
    return headers;
  }
});

describe('lines with another value each time', () => {
  /** Scans one head after the other with the memo. @returns how many were recalled */
  function recalledOf(heads: readonly Buffer[], dropsIds = false): number {
    const memo = new LinesMemo();
    let count = 0;
    for (const [i, head] of heads.entries()) {
      const alone = scanned(head, null, { dropsIds, at: i % 5 });
      const { recalled, facts, end, bytes, refusal } = scanned(head, memo, { dropsIds, at: i % 5 });
      expect({ facts, end, refusal }).toEqual({ facts: alone.facts, end: alone.end, refusal: alone.refusal });
      if (recalled === true) count++;
      else if (end > 0) memo.miss(bytes!, (i % 5) + end, dropsIds);
    }
    return count;
  }
  const many = (lines: (i: number) => string, count = 40): Buffer[] =>
    Array.from({ length: count }, (_, i) => request(lines(i), `GET /${'a'.repeat(i % 7)} HTTP/1.1`));

  it.each([
    ['in the middle', (i: number) => `Host: h\r\nX-Request-Id: ${i}\r\nAccept: */*\r\n`],
    ['at the beginning', (i: number) => `X-Request-Id: ${i ** 3}\r\nHost: h\r\n`],
    ['at the end', (i: number) => `Host: h\r\nX-Request-Id: ${i ** 3}\r\n`],
    ['between lines that are not passed on', (i: number) => `TE: x\r\nX: ${i}\r\nHost: h\r\nConnection: close\r\n`],
    ['that is sometimes empty', (i: number) => `Host: h\r\nX: ${'y'.repeat(i % 3)}\r\nY: 1\r\n`],
    ['of two, next to each other', (i: number) => `Host: h\r\nX: ${i}\r\nY: ${i * 7}\r\n`],
    ['of three', (i: number) => `X: ${i}\r\nHost: h\r\nY: ${i * 7}\r\nZ: 1\r\nCookie: ${i * 9}\r\n`],
    ['behind long lines', (i: number) => `Host: h\r\nL: ${'l'.repeat(600)}\r\nX: ${i}\r\nM: ${'m'.repeat(600)}\r\n`],
  ])('are passed over: %s', (_name, lines) => {
    expect(recalledOf(many(lines))).toBeGreaterThan(30);
    expect(recalledOf(many(lines), true)).toBeGreaterThan(30);
  });

  it.each([
    ['Content-Length', (i: number) => `Host: h\r\nContent-Length: ${i}\r\n`],
    ['Host', (i: number) => `Host: h${i}\r\nX: 1\r\n`],
    ['Authorization', (i: number) => `Host: h\r\nAuthorization: Bearer ${i}\r\n`],
    ['Connection', (i: number) => `Host: h\r\nConnection: x${i}, close\r\nX1: 1\r\n`],
    ['Expect', (i: number) => `Host: h\r\nExpect: ${i % 2 === 0 ? '100-continue' : '100-Continue'}\r\n`],
    ['Transfer-Encoding', (i: number) => `Host: h\r\nTransfer-Encoding: ${i % 2 === 0 ? 'chunked' : 'Chunked'}\r\n`],
    ['four lines', (i: number) => `Host: h\r\nA: ${i}\r\nB: ${i}\r\nC: ${i}\r\nD: ${i}\r\n`],
  ])('are read: %s', (_name, lines) => {
    expect(recalledOf(many(lines))).toBeLessThan(20); // every other one may be as it was learned
  });

  it.each([
    ['space before the value', 'X:  7'],
    ['space behind the value', 'X: 7 '],
    ['no space', 'X:7'],
    ['a control character', 'X: 7\u0001'],
    ['a bare line end', 'X: 7\nY: 8'],
    ['a line more', 'X: 7\r\nContent-Length: 5'],
    ['a second framing', 'X: 7\r\nTransfer-Encoding: chunked'],
    ['another name', 'Y: 7'],
  ])('are read when one comes with %s', (_name, line) => {
    const usual = many((i) => `Host: h\r\nX: ${i}\r\nContent-Length: 3\r\n`, 9);
    const odd = request(`Host: h\r\n${line}\r\nContent-Length: 3\r\n`);
    expect(recalledOf([...usual, odd])).toBe(recalledOf(usual));
  });
});

it('is asked again, but rarely, while every request has other lines', () => {
  const memo = learned(request(USUAL));
  let recalls = 0;
  for (let i = 0; i < 1000; i++) {
    const head = request(`Host: h\r\nX-Number${i >> 1}: 1\r\n`); // each comes twice
    const { recalled, end, bytes } = scanned(head, memo);
    if (recalled) recalls++;
    else memo.miss(bytes!, end, false);
  }
  expect(recalls).toBeGreaterThan(0);
});

describe('on a connection', () => {
  let backend: StrictBackend;
  let gateway: TestGateway;
  beforeAll(async () => {
    backend = await StrictBackend.start();
    gateway = await startGateway({ backend: { destination: { host: '127.0.0.1', port: backend.port } } });
  });
  afterAll(async () => {
    await gateway.close();
    await backend.close();
  });

  it.each([
    ['usual lines', 'Host: h\r\nAuthorization: Bearer abc\r\nConnection: keep-alive\r\n'],
    ['a host that is spelled otherwise', 'Accept: */*\r\nHost: SHOP.example:80\r\nX: 1\r\n'],
    [
      'lines that are not passed on',
      'Host: h\r\nX-Hop: 1\r\nConnection: x-hop\r\nX-Forwarded-For: 192.0.2.1\r\nX: 1\r\n',
    ],
  ])('sends what the first request sent: %s', async (_name, lines) => {
    const client = await RawClient.connect(gateway.port);
    backend.requests.length = 0;
    for (let i = 0; i < 12; i++) {
      client.send(`GET /${'a'.repeat(i % 3)} HTTP/1.1\r\n${lines}\r\n`);
      const answers = await untilAnswers(client, i + 1);
      expect(answers[i]!.status).toBe(200);
    }
    client.destroy();
    const [first, ...others] = backend.requests;
    expect(others).toHaveLength(11);
    for (const { headers } of others) expect(headers).toEqual(first!.headers);
    expect(backend.violations).toEqual([]);
  });
});
