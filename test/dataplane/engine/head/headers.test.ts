import { describe, expect, it } from 'vitest';
import { resetRanges } from '../../../../dataplane/engine/head/header-ranges.ts';
import { Headers } from '../../../../dataplane/engine/head/headers.ts';
import { scanRequestHead } from '../../../../dataplane/engine/head/request-head.ts';
import { requestHead } from '../../../../dataplane/engine/head/scanned-request.ts';
import { SLACK } from '../../../../dataplane/engine/wire/bytes.ts';

const limits = { targetBytes: 1000, headBytes: 10_000, headerBytes: 0, headerLines: 100, underscores: true };

/** The headers of a request with these lines, as the engine makes them. */
function headersOf(lines: string): Headers {
  const text = `GET / HTTP/1.1\r\n${lines}\r\n`;
  const bytes = Buffer.alloc(text.length + SLACK);
  bytes.latin1Write(text, 0);
  const end = scanRequestHead(bytes, 0, text.length, limits, null, false);
  expect(end).toBe(text.length);
  return new Headers(bytes, requestHead.base, end - requestHead.base - 2, requestHead);
}

/** What is sent on. */
function written(headers: Headers, startLine = false): string {
  const out = Buffer.alloc(headers.size + 100);
  return out.latin1Slice(0, headers.write(out, 0, startLine, ''));
}

describe('reading', () => {
  it('finds a name in any case', () => {
    const headers = headersOf('Host: h\r\nX-ONE: 1\r\nx-two: 2\r\n');
    expect([headers.get('x-one'), headers.get('X-Two'), headers.get('HOST')]).toEqual(['1', '2', 'h']);
    expect([headers.has('x-oNe'), headers.has('x-three')]).toEqual([true, false]);
    expect(headers.get('x-three')).toBe(null);
  });

  it('finds received and added names by prefix', () => {
    const headers = headersOf('Host: h\r\nAccess-Control-Max-Age: 1\r\n');
    expect([headers.hasBeginning('access-control-'), headers.hasBeginning('access-x')]).toEqual([true, false]);
    headers.delete('access-control-max-age');
    expect(headers.hasBeginning('access-control-')).toBe(false);
    headers.append('Access-Control-Allow-Origin', '*');
    expect(headers.hasBeginning('access-control-')).toBe(true);
  });

  it('does not match a part of a name or a look-alike character', () => {
    const headers = headersOf('X-One-More: 1\r\nX-On: 2\r\nX^Y: 3\r\n');
    expect(headers.get('x-one')).toBe(null);
    expect(headers.get('x~y')).toBe(null);
    expect(headers.get('x^y')).toBe('3');
  });

  it('returns the lines of one name joined or one by one', () => {
    const headers = headersOf('Accept: a\r\nX: x\r\naccept: b, c\r\nACCEPT:\r\n');
    expect(headers.get('accept')).toBe('a, b, c, ');
    expect(headers.all('Accept')).toEqual(['a', 'b, c', '']);
  });

  it('strips blanks around a value and keeps those inside', () => {
    const headers = headersOf('A: \t x  y \t \r\nB:z\r\nC: \t\r\nD:\ta\r\n');
    expect(headers.entries()).toEqual([
      ['a', 'x  y'],
      ['b', 'z'],
      ['c', ''],
      ['d', 'a'],
    ]);
  });

  it('keeps the order, names in lower case', () => {
    const headers = headersOf('B: 1\r\nA: 2\r\nB: 3\r\n');
    expect(headers.entries()).toEqual([
      ['b', '1'],
      ['a', '2'],
      ['b', '3'],
    ]);
  });

  it('maps each byte beyond ASCII to one character', () => {
    expect(headersOf('X: caf\xe9\r\n').get('x')).toBe('caf\xe9');
  });
});

describe('changing', () => {
  it('deletes every line of a name and keeps the order of the others', () => {
    const headers = headersOf('A: 1\r\nB: 2\r\na: 3\r\nC: 4\r\nA: 5\r\n');
    headers.delete('a');
    expect(headers.has('A')).toBe(false);
    expect(written(headers)).toBe('B: 2\r\nC: 4\r\n\r\n');
    expect(written(headers, true)).toBe('GET / HTTP/1.1\r\nB: 2\r\nC: 4\r\n\r\n');
  });

  it.each([
    ['the first', 'a', 'B: 2\r\nC: 3\r\n\r\n'],
    ['the middle', 'b', 'A: 1\r\nC: 3\r\n\r\n'],
    ['the last', 'c', 'A: 1\r\nB: 2\r\n\r\n'],
  ])('deletes %s line', (_name, name, left) => {
    const headers = headersOf('A: 1\r\nB: 2\r\nC: 3\r\n');
    headers.delete(name);
    headers.delete(name);
    expect(written(headers)).toBe(left);
  });

  it('deletes all lines', () => {
    const headers = headersOf('A: 1\r\nB: 2\r\n');
    headers.delete('a');
    headers.delete('b');
    expect(written(headers)).toBe('\r\n');
    expect(written(headers, true)).toBe('GET / HTTP/1.1\r\n\r\n');
  });

  it('sets, appends, and sees its own changes', () => {
    const headers = headersOf('A: 1\r\nB: 2\r\n');
    headers.set('a', 'new');
    headers.append('B', 'more');
    headers.append('X-New', '');
    expect(headers.get('A')).toBe('new');
    expect(headers.all('b')).toEqual(['2', 'more']);
    expect(headers.get('x-new')).toBe('');
    expect(headers.has('X-NEW')).toBe(true);
    headers.set('X-New', 'again');
    headers.delete('b');
    expect(written(headers)).toBe('a: new\r\nX-New: again\r\n\r\n');
  });

  it('starts from nothing', () => {
    const headers = Headers.empty();
    headers.append('A', '1');
    headers.append('A', '2');
    expect(headers.get('a')).toBe('1, 2');
    expect(written(headers)).toBe('A: 1\r\nA: 2\r\n\r\n');
    expect(Headers.empty().entries()).toEqual([]);
  });

  it('leaves framing and hop-by-hop headers to the engine', () => {
    const headers = headersOf('Host: h\r\nContent-Length: 5\r\n');
    headers.delete('Content-Length');
    headers.set('content-length', '6');
    for (const name of [
      'Transfer-Encoding',
      'Connection',
      'Keep-Alive',
      'TE',
      'Trailer',
      'Upgrade',
      'Proxy-Connection',
      'Content_Length',
      'transfer_encoding',
    ]) {
      headers.append(name, 'x');
      headers.set(name, 'x');
    }
    expect(written(headers)).toBe('Host: h\r\nContent-Length: 5\r\n\r\n');
  });

  it('has one Host, and a valid one', () => {
    const headers = headersOf('Host: h\r\nA: 1\r\n');
    headers.append('host', 'other:80');
    expect(written(headers)).toBe('A: 1\r\nhost: other:80\r\n\r\n');
    for (const host of ['a b', 'a/b', 'a@b', '[::1', 'a,b c'])
      expect(() => headers.set('Host', host)).toThrow(TypeError);
  });

  it.each(['', ' ', 'a b', 'a:', 'a\r\nb', 'a\n', '\x00', 'ä', 'a\x7f', '(a)', 'a,b', '"a"'])(
    'refuses the name %j',
    (name) => {
      const headers = headersOf('A: 1\r\n');
      expect(() => headers.append(name, 'v')).toThrow(TypeError);
      expect(written(headers)).toBe('A: 1\r\n\r\n');
    },
  );

  it.each(['a\r\nX-Evil: 1', 'a\rb', 'a\nb', '\n', 'a\x00b', 'a\x7fb', '\x1b[2J', 'Ā', '€', '\u{1f600}'])(
    'refuses the value %j',
    (value) => {
      const headers = headersOf('A: 1\r\n');
      expect(() => headers.append('X', value)).toThrow(TypeError);
      expect(() => headers.set('X', value)).toThrow(TypeError);
      expect(written(headers)).toBe('A: 1\r\n\r\n');
    },
  );
});

describe('keeping', () => {
  it('keeps its values after the input buffer is reused', () => {
    const text = 'GET / HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nConnection: X-Two\r\nX-Two: 2\r\n\r\n';
    const bytes = Buffer.alloc(text.length + SLACK);
    bytes.latin1Write(text, 0);
    const end = scanRequestHead(bytes, 0, text.length, limits, null, false);
    const headers = new Headers(bytes, 0, end - 2, requestHead);
    headers.delete('host');
    headers.append('X-Three', '3');
    headers.retain();
    headers.retain();
    bytes.fill(0x78);
    resetRanges();
    headersOf('A: b\r\nC: d\r\nE: f\r\n');
    expect(headers.entries()).toEqual([
      ['x-one', '1'],
      ['x-three', '3'],
    ]);
    headers.delete('x-one');
    expect(written(headers, true)).toBe('GET / HTTP/1.1\r\nX-Three: 3\r\n\r\n');
  });

  it('keeps heads of any size', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `X-${i}: ${'v'.repeat(80)}\r\n`).join('');
    const headers = headersOf(lines);
    headers.retain();
    expect(headers.get('x-99')).toBe('v'.repeat(80));
    expect(headers.entries()).toHaveLength(100);
    headers.release();
  });

  it('cannot be read or changed once it is over', () => {
    for (const headers of [headersOf('A: 1\r\n'), headersOf(''), headersOf('B: 2\r\n')]) {
      headers.retain();
      expect(headers.readable).toBe(true);
      headers.release();
      headers.release();
      expect(headers.readable).toBe(false);
      for (const use of [
        () => headers.get('a'),
        () => headers.has('a'),
        () => headers.all('a'),
        () => headers.entries(),
        () => headers.set('a', 'b'),
        () => headers.append('a', 'b'),
        () => headers.delete('a'),
      ]) {
        expect(use).toThrow('the exchange is over');
      }
    }
  });

  it('does not leak values between requests when blocks are reused', () => {
    const first = headersOf('Authorization: Bearer one\r\n');
    first.retain();
    first.release();
    const second = headersOf('X: 2\r\n');
    second.retain();
    expect(second.entries()).toEqual([['x', '2']]);
    expect(second.get('authorization')).toBe(null);
    expect(() => first.get('authorization')).toThrow('the exchange is over');
  });
});
