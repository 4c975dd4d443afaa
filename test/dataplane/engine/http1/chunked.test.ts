import { describe, expect, it } from 'vitest';
import { BAD_CHUNK, ChunkDecoder, ENDING, MORE } from '../../../../dataplane/engine/http1/chunked.ts';

/** Feeds a text in pieces of a size. @returns how it ended and the data that came out. */
function decode(text: string, size: number) {
  const decoder = new ChunkDecoder();
  const bytes = Buffer.from(text, 'latin1');
  let data = '';
  const receiver = {
    chunkData(from: Buffer, start: number, end: number): void {
      data += from.latin1Slice(start, end);
    },
  };
  let outcome: number = MORE;
  for (let at = 0; at < bytes.length; at += size) {
    outcome = decoder.feed(bytes, at, Math.min(at + size, bytes.length), receiver);
    if (outcome >= 0 || outcome === BAD_CHUNK) break;
  }
  return { outcome, data, trailers: decoder.trailers };
}

const sizes = [1 << 20, 1, 2, 3, 7];

describe.each(sizes)('in pieces of %i', (size) => {
  it.each([
    ['0\r\n\r\n', '', ''],
    ['000\r\n\r\n', '', ''],
    ['5\r\nhello\r\n0\r\n\r\n', 'hello', ''],
    ['A\r\n0123456789\r\na\r\nabcdefghij\r\n0\r\n\r\n', '0123456789abcdefghij', ''],
    ['2;ext\r\nab\r\n0;last\r\n\r\n', 'ab', ''],
    ['2;ext=1;other="a;\\"b"\r\nab\r\n0\r\n\r\n', 'ab', ''],
    ['2; ext=1\r\nab\r\n0\r\n\r\n', 'ab', ''],
    ['4\r\n\r\n0\r\r\n0\r\n\r\n', '\r\n0\r', ''],
    ['1\r\nx\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n', 'x', 'X-Sum: 1\r\nX-More: 2\r\n'],
    ['0\r\nAuthorization: x\r\nX-A: 1\r\nCookie: y\r\nX-Forwarded-For: z\r\n\r\n', '', 'X-A: 1\r\n'],
  ])('decodes %j', (text, data, trailers) => {
    expect(decode(text, size)).toEqual({ outcome: text.length, data, trailers });
  });

  it.each([
    '\r\n',
    'g\r\n',
    ' 5\r\nhello\r\n0\r\n\r\n',
    '5 \r\nhello\r\n0\r\n\r\n',
    '0x5\r\nhello\r\n0\r\n\r\n',
    '+5\r\nhello\r\n',
    '-5\r\nhello\r\n',
    '5\nhello\r\n0\r\n\r\n',
    '5\r\nhello0\r\n\r\n',
    '5\r\nhello\n0\r\n\r\n',
    '5\r\nhelloX\r\n0\r\n\r\n',
    '5\rhello\r\n0\r\n\r\n',
    '5,5\r\nhello\r\n',
    '5_0\r\n',
    `${'0'.repeat(12)}5\r\nhello\r\n0\r\n\r\n`,
    'fffffffffffff\r\n',
    '5;\r\nhello\r\n',
    '5;=1\r\nhello\r\n',
    '5;a=\r\nhello\r\n',
    '5;a="b\r\n"\r\nhello\r\n',
    '5;a="b"c\r\nhello\r\n',
    '5;a\nhello\r\n',
    `5;${'a'.repeat(2000)}\r\nhello\r\n`,
    '0\r\nTransfer-Encoding: chunked\r\n\r\n',
    '0\r\nContent-Length: 5\r\n\r\n',
    '0\r\nContent_Length: 5\r\n\r\n',
    '0\r\nHost: evil\r\n\r\n',
    '0\r\nConnection: close\r\n\r\n',
    '0\r\n X: folded\r\n\r\n',
    '0\r\nX : 1\r\n\r\n',
    '0\r\n: 1\r\n\r\n',
    '0\r\nX\r\n\r\n',
    '0\r\nX: 1\n\r\n',
    '0\r\nX: \x00\r\n\r\n',
    '0\r\nX: 1\r\r\n',
    `0\r\nX: ${'v'.repeat(9000)}\r\n\r\n`,
    '0\r\n\rX',
    '0\r\n\n',
  ])('refuses %j', (text) => {
    expect(decode(text, size).outcome).toBe(BAD_CHUNK);
  });

  it('passes on all data before a malformed chunk, and nothing after it', () => {
    expect(decode('3\r\nabc\r\nzz\r\n', size)).toMatchObject({ outcome: BAD_CHUNK, data: 'abc' });
  });
});

it('stops at the end of the body', () => {
  const body = '3\r\nabc\r\n0\r\n\r\n';
  expect(decode(`${body}GET / HTTP/1.1\r\n`, 1 << 20)).toMatchObject({ outcome: body.length, data: 'abc' });
});

it('distinguishes a body that can only end from one that can continue', () => {
  const feed = (text: string): number => new ChunkDecoder().feed(Buffer.from(text), 0, text.length, null);
  expect(feed('3\r\nabc\r\n')).toBe(MORE);
  expect(feed('3\r\nabc\r\n0')).toBe(MORE);
  expect(feed('3\r\nabc\r\n0\r\n')).toBe(ENDING);
  expect(feed('3\r\nabc\r\n0\r\nX: 1\r')).toBe(ENDING);
  expect(feed('0\r\n\r')).toBe(ENDING);
});
