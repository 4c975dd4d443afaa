import { describe, expect, it } from 'vitest';
import { parseCookies } from '../../../../dataplane/engine/head/cookies.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';

const made = (): Uri => new Uri('http', 'shop.example:8080', '/a%20b/c', 'q=1&r=%20');

describe('reading', () => {
  it('has the parts of a URI, raw and decoded', () => {
    const uri = made();
    expect(uri).toMatchObject({
      scheme: 'http',
      host: 'shop.example',
      port: 8080,
      authority: 'shop.example:8080',
      rawPath: '/a%20b/c',
      path: '/a b/c',
      rawQuery: 'q=1&r=%20',
      query: 'q=1&r= ',
      target: '/a%20b/c?q=1&r=%20',
    });
    expect(String(uri)).toBe('http://shop.example:8080/a%20b/c?q=1&r=%20');
  });

  it.each([
    ['http', 'h', 80],
    ['https', 'h', 443],
    ['ws', 'h', 80],
    ['wss', 'h', 443],
    ['ftp', 'h', -1],
    ['http', 'h:', 80],
    ['http', '[::1]', 80],
    ['http', '[::1]:81', 81],
    ['http', '', 80],
  ])('%s on %j has the port %i', (scheme, authority, port) => {
    expect(new Uri(scheme, authority, '/', null).port).toBe(port);
  });

  it('shows an IPv6 host without brackets, and writes it with them', () => {
    const uri = new Uri('http', '[2001:db8::1]:8080', '/', null);
    expect(uri.host).toBe('2001:db8::1');
    expect(String(uri)).toBe('http://[2001:db8::1]:8080/');
  });

  it('distinguishes an empty query from a missing one', () => {
    expect(new Uri('http', 'h', '/', '').target).toBe('/?');
    expect(new Uri('http', 'h', '/', null).target).toBe('/');
    expect(new Uri('http', 'h', '/', null).query).toBe(null);
  });

  it('returns an undecodable query unchanged', () => {
    expect(new Uri('http', 'h', '/', 'a=%zz').query).toBe('a=%zz');
  });
});

describe('parsing', () => {
  it.each([
    ['http://h', 'http://h/'],
    ['HTTPS://h:444/a?b#c', 'https://h:444/a?b'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
    ['http://APP.Example.:8080/x', 'http://app.example:8080/x'],
    ['https://[0:0:0:0:0:0:0:1]:443/x', 'https://[::1]/x'],
    ['http://h?q', 'http://h/?q'],
    ['http://h/%6f%2d', 'http://h/o-'],
  ])('%s is %s', (text, uri) => {
    expect(String(Uri.parse(text))).toBe(uri);
  });

  it.each([
    '',
    '/a',
    'h',
    '//h/a',
    'http:/h',
    'http://a b/',
    'http://u@h/',
    'http://h/../a',
    'http://h/a b',
    'http://h/a\nb',
    'http://h:x/',
  ])('refuses %j', (text) => {
    expect(() => Uri.parse(text)).toThrow(TypeError);
  });
});

describe('changing', () => {
  it('changes each part', () => {
    const uri = made();
    uri.scheme = 'HTTPS';
    uri.host = 'other.example';
    uri.port = -1;
    uri.path = '/x y?z#ü';
    uri.query = 'a=b c#d';
    expect(String(uri)).toBe('https://other.example/x%20y%3Fz%23%C3%BC?a=b%20c%23d');
    uri.rawPath = '/%6frders';
    uri.rawQuery = null;
    uri.host = '[::1]';
    expect(String(uri)).toBe('https://[::1]/orders');
  });

  it('is an asterisk only if it was received as one', () => {
    const uri = made();
    expect(() => {
      uri.rawPath = '*';
    }).toThrow(TypeError);
    const server = new Uri('http', 'h', '*', null);
    server.rawPath = '*';
    expect([server.rawPath, server.retargeted]).toEqual(['*', false]);
  });

  it('keeps its original form', () => {
    const uri = made();
    const before = uri.original;
    expect(uri.retargeted).toBe(false);
    uri.rawPath = '/x';
    expect(uri.retargeted).toBe(true);
    uri.host = 'other';
    expect(String(before)).toBe(String(made()));
    expect(String(uri.original)).toBe(String(made()));
    uri.rawPath = '/a%20b/c';
    expect(uri.retargeted).toBe(false);
  });

  it('copies all parts of another URI and is independent of it', () => {
    const uri = made();
    const other = Uri.parse('https://other/x');
    uri.become(other);
    expect(String(uri)).toBe('https://other/x');
    other.rawPath = '/y';
    expect(uri.rawPath).toBe('/x');
    expect(String(uri.original)).toBe(String(made()));
  });

  const evil = [
    '/a\r\nX: 1',
    '/a b',
    '/a\n',
    '/../a',
    '/a/./b',
    '/a/%2e%2e/b',
    '/a%2fb',
    '/a\\b',
    '/%00',
    '/%zz',
    'a',
    '',
    '/a?b',
    '/é',
  ];
  it.each(evil)('refuses the raw path %j', (path) => {
    const uri = made();
    expect(() => {
      uri.rawPath = path;
    }).toThrow(TypeError);
    expect(uri.target).toBe(made().target);
  });

  it.each(['/../a', '/a/../b', 'a', '/a\\b', '/\0', '/a\r\nb'])('refuses the path %j', (path) => {
    const uri = made();
    expect(() => {
      uri.path = path;
    }).toThrow(TypeError);
    expect(uri.target).toBe(made().target);
  });

  it.each(['a b', 'a\r\nb', 'a#b', 'é', 'a\x7f'])('refuses the raw query %j', (query) => {
    const uri = made();
    expect(() => {
      uri.rawQuery = query;
    }).toThrow(TypeError);
    expect(uri.target).toBe(made().target);
  });

  it.each(['a b', 'a/b', 'a@b', 'a:80', 'a\r\nb', '[::1', 'a?b', 'ä'])('refuses the host %j', (host) => {
    expect(() => {
      made().host = host;
    }).toThrow(TypeError);
  });

  it.each([65_536, -2, 1.5, Number.NaN])('refuses the port %d', (port) => {
    expect(() => {
      made().port = port;
    }).toThrow(RangeError);
  });

  it.each(['', '1a', 'a b', 'http://', 'a:'])('refuses the scheme %j', (scheme) => {
    expect(() => {
      made().scheme = scheme;
    }).toThrow(TypeError);
  });
});

describe('cookies', () => {
  it.each<[string[], [string, string[]][]]>([
    [
      ['a=1; b=2'],
      [
        ['a', ['1']],
        ['b', ['2']],
      ],
    ],
    [
      ['a=1;b="two";  c = x=y '],
      [
        ['a', ['1']],
        ['b', ['two']],
        ['c', ['x=y']],
      ],
    ],
    [
      ['a=1', 'a=2; b=3'],
      [
        ['a', ['1', '2']],
        ['b', ['3']],
      ],
    ],
    [['a=1,b=2'], [['a', ['1,b=2']]]],
    [['; ;=x; flag; a='], [['a', ['']]]],
    [['__proto__=1'], [['__proto__', ['1']]]],
    [[], []],
  ])('are parsed from %j', (lines, cookies) => {
    expect([...parseCookies(lines)]).toEqual(cookies);
  });
});
