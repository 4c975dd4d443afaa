import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

async function cookiesAfter(cookies: object, lines: readonly string[], request: readonly string[] = []) {
  const { ask, logged } = await startFiltered([
    JSON.parse(JSON.stringify({ type: 'SetCookieUpdateFilter', config: { cookies } })),
  ]);
  const query = lines.map((line) => `h.set-cookie=${encodeURIComponent(line)}`).join('&');
  const answer = await ask(`/?${query}`, { headers: request });
  return { status: answer.status, lines: answer.values('set-cookie'), logged };
}

describe('SetCookieUpdateFilter', () => {
  it.each([
    ['adds', { '.*': { secure: true, httpOnly: true } }, ['a=1; Path=/'], ['a=1; Path=/; Secure; HttpOnly']],
    ['replaces in place', { a: { path: '/x' } }, ['a=1; path=/; Custom=z'], ['a=1; Path=/x; Custom=z']],
    ['removes flags', { a: { Secure: false } }, ['a=1; secure; Path=/'], ['a=1; Path=/']],
    ['removes what is null', { a: { domain: null } }, ['a=1; Domain=app.test'], ['a=1']],
    ['spells SameSite', { a: { 'same-site': 'LAX' } }, ['a=1; SameSite=none'], ['a=1; SameSite=Lax']],
    [
      'sets a number',
      { a: { max_age: 60 }, b: { 'Max-Age': '0' } },
      ['a=1', 'b=2'],
      ['a=1; Max-Age=60', 'b=2; Max-Age=0'],
    ],
    ['sets the value', { a: { value: 'x=y' } }, ['a=1; Path=/'], ['a=x=y; Path=/']],
    ['leaves other cookies', { a: { secure: true } }, ['b=1', 'A=2', 'aa=3'], ['b=1', 'A=2', 'aa=3']],
    ['leaves what sets no cookie', { '.*': { secure: true } }, ['novalue; Path=/'], ['novalue; Path=/']],
    ['keeps the order of rules', { a: { path: '/1' }, '.*': { path: '/2' } }, ['a=1'], ['a=1; Path=/2']],
    ['takes the last rule', { '.*': { path: '/2' }, a: { path: '/1' } }, ['a=1'], ['a=1; Path=/1']],
    ['makes one of two', { a: { path: '/x' } }, ['a=1; Path=/1; HttpOnly; Path=/2'], ['a=1; Path=/x; HttpOnly']],
    ['takes an expression', { a: { domain: '${request.method}.test' } }, ['a=1'], ['a=1; Domain=GET.test']],
    ['takes a true expression', { a: { secure: '${true}' } }, ['a=1'], ['a=1; Secure']],
    ['skips a null expression', { a: { domain: '${nosuch}' } }, ['a=1; Domain=b'], ['a=1; Domain=b']],
  ])('%s: %j', async (_, cookies, lines, expected) => {
    const answer = await cookiesAfter(cookies, lines);
    expect(answer.status).toBe(200);
    expect(answer.lines).toEqual(expected);
  });

  it('answers 500 instead of writing a value that adds another attribute', async () => {
    const domain = "${request.headers['X-Domain'][0]}";
    const answer = await cookiesAfter({ a: { domain } }, ['a=1'], ['X-Domain: b; HttpOnly']);
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.logged)).toContain('is not a value that Domain can have');
  });

  it.each([
    [{}, ['missing cookies: is required']],
    [{ cookies: { '[': {} } }, [expect.stringMatching(/^pattern cookies\["\["\]: /)]],
    [
      { cookies: { a: { color: 'red' } } },
      [
        'value cookies.a.color: is not a part of a cookie: use one of value, Domain, Expires, HttpOnly, Max-Age, ' +
          'Path, SameSite, Secure',
      ],
    ],
    [{ cookies: { a: { secure: 1 } } }, ['value cookies.a.secure: must be true or false for Secure, not 1']],
    [
      { cookies: { a: { 'max-age': '1 hour' } } },
      ["value cookies.a.max-age: is not a value that Max-Age can have: '1 hour'"],
    ],
    [
      { cookies: { a: { sameSite: 'maybe' } } },
      ["value cookies.a.sameSite: is not a value that SameSite can have: 'maybe'"],
    ],
    [
      { cookies: { a: { path: '/; Secure' } } },
      ["value cookies.a.path: is not a value that Path can have: '/; Secure'"],
    ],
    [
      { cookies: { a: { value: '${previous}@ig' } } },
      ["unavailable-field cookies.a.value: 'previous' is known, but not available in this version"],
    ],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('SetCookieUpdateFilter', config)).toEqual(problems);
  });
});
