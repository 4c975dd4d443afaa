import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ERROR, FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { type RecordingBackend, startRecordingBackend } from '../../../support/backends/recording-backend.ts';
import { FrameClient, frame, GET, headersFrame, POST } from '../../../support/clients/frame-client.ts';
import type { Field } from '../../../support/clients/hpack-blocks.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let gateway: TestGateway;
let backend: RecordingBackend;
beforeAll(async () => {
  backend = await startRecordingBackend();
  gateway = await startGateway({ backend: { destination: backend.destination } });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});
afterEach(() => backend.forget());

const END = FLAG.END_HEADERS | FLAG.END_STREAM;
const without = (name: string): Field[] => GET.filter(([known]) => known !== name);
const replaced = (name: string, value: string): Field[] =>
  GET.map((field) => (field[0] === name ? [name, value] : field));

async function outcome(...frames: Buffer[]): Promise<string> {
  const client = await FrameClient.connect(gateway.port);
  client.send(...frames);
  const found = await client.outcome(1);
  client.raw.destroy();
  return found;
}

describe('a request that violates HTTP/2 is reset, and is not sent to a backend', () => {
  it.each<[string, Field[]]>([
    ['no fields', []],
    ['no method', without(':method')],
    ['no scheme', without(':scheme')],
    ['no path', without(':path')],
    ['an empty path', replaced(':path', '')],
    ['a path without a slash', replaced(':path', 'x')],
    ['an absolute path', replaced(':path', 'http://other.example/')],
    ['a path with a space', replaced(':path', '/a b')],
    ['a path that ends the line', replaced(':path', '/ HTTP/1.1')],
    ['a path with a line feed', replaced(':path', '/\r\nx: y')],
    ['a path with what is not ASCII', replaced(':path', '/é')],
    ['a method with a space', replaced(':method', 'GET /x')],
    ['an empty method', replaced(':method', '')],
    ['two methods', [...GET, [':method', 'GET']]],
    ['two paths', [...GET, [':path', '/']]],
    ['an unknown pseudo-header', [...GET, [':host', 'x']]],
    ['a status', [...GET, [':status', '200']]],
    ['a pseudo-header behind a header', [['x', 'y'], ...GET]],
    ['another host than the authority', [...GET, ['host', 'other.example']]],
    ['upper case in a name', [...GET, ['X-a', 'b']]],
    ['an empty name', [...GET, ['', 'b']]],
    ['a space in a name', [...GET, ['x a', 'b']]],
    ['a colon in a name', [...GET, ['x:a', 'b']]],
    ['a line feed in a value', [...GET, ['x', 'a\nb']]],
    ['a whole line in a value', [...GET, ['x', 'a\r\ntransfer-encoding: chunked']]],
    ['a NUL in a value', [...GET, ['x', 'a\0']]],
    ['space before a value', [...GET, ['x', ' a']]],
    ['space behind a value', [...GET, ['x', 'a ']]],
    ['connection', [...GET, ['connection', 'x']]],
    ['keep-alive', [...GET, ['keep-alive', '5']]],
    ['proxy-connection', [...GET, ['proxy-connection', 'x']]],
    ['transfer-encoding', [...GET, ['transfer-encoding', 'chunked']]],
    ['upgrade', [...GET, ['upgrade', 'h2c']]],
    ['te that is not trailers', [...GET, ['te', 'gzip']]],
    ['a protocol without CONNECT', [...GET, [':protocol', 'websocket']]],
    ['CONNECT with a path', [[':method', 'CONNECT'], ...GET.slice(1)]],
    ['CONNECT without an authority', [[':method', 'CONNECT']]],
    ['a length without content', [...GET, ['content-length', '5']]],
  ])('%s', async (_what, fields) => {
    expect(await outcome(headersFrame(1, fields, END))).toBe(`reset ${ERROR.PROTOCOL_ERROR}`);
    expect(backend.requests).toEqual([]);
  });
});

describe('a request that no client of HTTP/1 may send either gets the same answer', () => {
  it.each<[string, Field[], string]>([
    ['a lower-case method', replaced(':method', 'get'), '400'],
    ['a method that is none', replaced(':method', 'G*T'), '400'],
    ['*, for GET', replaced(':path', '*'), '400'],
    ['an ambiguous path', replaced(':path', '/a/../b'), '400'],
    ['an encoded slash', replaced(':path', '/a%2fb'), '400'],
    ['a path that is too long', replaced(':path', `/${'x'.repeat(9000)}`), '414'],
    ['an authority with a user', replaced(':authority', 'me@gateway.example'), '400'],
    ['an authority that is none', replaced(':authority', 'a b'), '400'],
    ['two hosts beside the authority', [...GET, ['host', 'gateway.example'], ['host', 'gateway.example']], '400'],
    ['two hosts', [...without(':authority'), ['host', 'a.example'], ['host', 'a.example']], '400'],
    ['a name with an underscore', [...GET, ['x_a', 'b']], '400'],
    ['two lengths', [...GET, ['content-length', '0'], ['content-length', '0']], '400'],
    ['a length that is no number', [...GET, ['content-length', '+5']], '400'],
    ['an expectation that nobody knows', [...GET, ['expect', 'miracles']], '417'],
    [
      'CONNECT',
      [
        [':method', 'CONNECT'],
        [':authority', 'gateway.example:443'],
      ],
      '405',
    ],
    ['a scheme that is not that of the connection', replaced(':scheme', 'https'), '421'],
    ['a scheme that nobody speaks', replaced(':scheme', 'gopher'), '421'],
    ['too many fields', [...GET, ...Array.from({ length: 101 }, (): Field => ['x', 'y'])], '431'],
    ['too large a head', [...GET, ...Array.from({ length: 9 }, (): Field => ['x', 'y'.repeat(4000)])], '431'],
  ])('%s', async (_what, fields, status) => {
    const client = await FrameClient.connect(gateway.port);
    const block = headersFrame(1, fields, END);
    if (block.length < 16_000) client.send(block);
    else {
      const parts = Array.from({ length: Math.ceil((block.length - 9) / 16_000) }, (_, i) =>
        block.subarray(9 + i * 16_000, 9 + (i + 1) * 16_000),
      );
      parts.forEach((part, i) => {
        const last = i === parts.length - 1 ? FLAG.END_HEADERS : 0;
        client.send(
          frame(i === 0 ? FRAME.HEADERS : FRAME.CONTINUATION, last | (i === 0 ? FLAG.END_STREAM : 0), 1, part),
        );
      });
    }
    expect(await client.outcome(1)).toBe(status);
    expect(await client.whole(1)).toContain('"refusal"');
    expect(backend.requests).toEqual([]);
    client.send(headersFrame(3, GET, END));
    expect(await client.outcome(3)).toBe('200');
    client.raw.destroy();
  });
});

describe('content that does not have its announced length', () => {
  const declared = (length: number): Buffer => headersFrame(1, [...POST, ['content-length', String(length)]]);

  it.each<[string, Buffer[]]>([
    ['is shorter', [declared(5), frame(FRAME.DATA, FLAG.END_STREAM, 1, 'four')]],
    ['never comes', [declared(5), frame(FRAME.DATA, FLAG.END_STREAM, 1)]],
    ['is longer', [declared(5), frame(FRAME.DATA, FLAG.END_STREAM, 1, 'sixsix')]],
    ['is longer, in two frames', [declared(5), frame(FRAME.DATA, 0, 1, 'five5'), frame(FRAME.DATA, 0, 1, '6')]],
    ['is shorter, with trailers', [declared(5), frame(FRAME.DATA, 0, 1, 'four'), headersFrame(1, [['x', 'y']], END)]],
  ])('%s: no backend gets a complete request', async (_what, frames) => {
    expect(await outcome(...frames)).toBe(`reset ${ERROR.PROTOCOL_ERROR}`);
    expect(backend.requests.filter(({ complete, content }) => complete && content.length !== 5)).toEqual([]);
  });
});

describe('trailers', () => {
  it.each<[string, Field[], number]>([
    ['with a pseudo-header', [[':path', '/x']], END],
    ['with a length', [['content-length', '4']], END],
    ['with a host', [['host', 'x']], END],
    ['with upper case', [['X', 'y']], END],
    ['that do not end the request', [['x', 'y']], FLAG.END_HEADERS],
  ])('%s are refused', async (_what, fields, flags) => {
    const frames = [headersFrame(1, POST), frame(FRAME.DATA, 0, 1, 'four'), headersFrame(1, fields, flags)];
    expect(await outcome(...frames)).toBe(`reset ${ERROR.PROTOCOL_ERROR}`);
    expect(backend.requests.filter(({ complete }) => complete)).toEqual([]);
  });
});
