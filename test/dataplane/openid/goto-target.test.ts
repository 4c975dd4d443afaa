import { describe, expect, it } from 'vitest';
import { gotoTarget } from '../../../dataplane/openid/goto-target.ts';

const BASE = 'https://app.example.com/shop/openid/login';

describe('the target of a redirect', () => {
  it.each([
    ['/', 'https://app.example.com/'],
    ['/orders?id=1&x=%2F#top', 'https://app.example.com/orders?id=1&x=%2F#top'],
    ['orders', 'https://app.example.com/shop/openid/orders'],
    ['../../orders', 'https://app.example.com/orders'],
    ['?a=b', 'https://app.example.com/shop/openid/login?a=b'],
    ['https://app.example.com/orders', 'https://app.example.com/orders'],
    ['HTTPS://APP.example.com:443/orders', 'https://app.example.com/orders'],
    ['//app.example.com/orders', 'https://app.example.com/orders'],
  ])('may be %s, of the same origin', (target, expected) => {
    expect(gotoTarget(target, BASE)).toBe(expected);
  });

  it.each([
    'https://evil.example/',
    'http://app.example.com/',
    'https://app.example.com:8443/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'https://user@app.example.com/',
    'https://user:pass@app.example.com/',
    '//evil.example/',
    '///evil.example/',
    '////evil.example/',
    '/\\evil.example/',
    '\\\\evil.example/',
    '\\/evil.example/',
    'https:\\\\evil.example/',
    'https:evil.example/../..//evil.example',
    'https:/evil.example/',
    'https:///evil.example/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://app.example.com/x',
    'file:///etc/passwd',
    ' //evil.example/',
    '\t//evil.example/',
    '/\t/evil.example/',
    '/\n/evil.example/',
    'https://evil.example\u3002com/',
    'https://\u0435vil.example/',
    '/orders\r\nSet-Cookie: a=b',
    '/orders\u0000',
    '',
    `/${'a'.repeat(4096)}`,
  ])('is never %j', (target) => {
    expect(gotoTarget(target, BASE)).toBeNull();
  });

  it.each(['/%2f/evil.example', '/%5cevil.example', '%2f%2fevil.example', '/.//evil.example', '/..//evil.example'])(
    'is absolute, so that %s stays a path of the same host',
    (target) => {
      const allowed = gotoTarget(target, BASE)!;
      expect(allowed.startsWith('https://app.example.com/')).toBe(true);
      expect(new URL(allowed).origin).toBe('https://app.example.com');
    },
  );
});
