import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import { CredentialMask } from '../../../dataplane/decorators/credential-mask.ts';

const mask = new CredentialMask({ headers: [], names: [], mask: '#' });
const jwt = 'eyJh.eyJz.sig-_';
/** As access managers make the tokens of sessions, in any cookie or header. */
const amToken = 'AQIC5wM2LY4Sfcy-l_YEeaAYwQk1dyRV7PfFL0Y8.*AAJTSQACMDEAAlNLABQtNTQ*';

describe('headers', () => {
  it.each([
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'x-amz-security-token',
    'x-auth',
    'x-user-pass',
    'iPlanetDirectoryPro',
    'X-OpenAM-Password',
  ])('%s is a credential', (name) => expect(mask.header(name, 'abc')).toBe('#'));

  it.each(['host', 'accept', 'content-type', 'x-author', 'www-authenticate', 'x-monkeys', 'keep-alive'])(
    '%s is not',
    (name) => expect(mask.header(name, 'abc')).toBe('abc'),
  );
});

describe('texts', () => {
  it.each([
    ['http://a/?x=1', 'http://a/?x=1'],
    ['http://a/?token=1&x=2', 'http://a/?token=#&x=2'],
    ['http://a/?x=2&TOKEN=1#frag', 'http://a/?x=2&TOKEN=##frag'],
    ['http://a/#id_token=1&y=2', 'http://a/#id_token=#&y=2'],
    ['http://a/?access%5ftoken=1', 'http://a/?access%5ftoken=#'],
    ['http://a/?%token=1', 'http://a/?%token=#'],
    ['http://a/?token=', 'http://a/?token=#'],
    ['http://a/?code=5&status_code=7', 'http://a/?code=#&status_code=7'],
    ['http://bob:pw@a/', 'http://bob:#@a/'],
    [`/${jwt}/x`, '/#/x'],
    [`/json/sessions/${amToken}?_action=validate`, '/json/sessions/#?_action=validate'],
    [amToken.replace('.*', '=@').replace(/\*$/, '#'), '#'],
    [`"${encodeURIComponent(amToken).replaceAll('*', '%2A')}"`, '"#"'],
    ['2*AAJ', '2*AAJ'],
    [`Bearer ${jwt}`, 'Bearer #'],
    ['Bearer opaque-123', 'Bearer #'],
    ['x Basic dXNlcjpwYXNz= y', 'x Basic # y'],
    ['Bearer realm="a", scope="b"', 'Bearer realm="a", scope="b"'],
    ['http://a/?ticket=ST-1&pass=x&passenger=y', 'http://a/?ticket=#&pass=#&passenger=y'],
    ['eyJust a word', 'eyJust a word'],
    ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ])('lose their credentials: %s', (text, shown) => expect(mask.text(text)).toBe(shown));
});

describe('entities', () => {
  it.each([
    ['application/json', '{"a":"b","password":"x"}', '{"a":"b","password":"#"}'],
    ['application/json', '{"e":"token=x&client_secret=y&z=1"}', '{"e":"token=#&client_secret=#&z=1"}'],
    ['text/plain', 'you sent token=x', 'you sent token=#'],
    ['application/json', '{"token" : 5, "code": 400}', '{"token" : "#", "code": 400}'],
    ['application/json', '{"token":null,"b":[1,2]}', '{"token":"#","b":[1,2]}'],
    ['application/json', '{"secrets":["x",{"a":"y"}],"b":"c"}', '{"secrets":["#",{"#":"#"}],"b":"c"}'],
    ['application/json', '{"a":["token","b"],"c":"d"}', '{"a":["token","b"],"c":"d"}'],
    ['application/json', '{"pass\\u0077ord":"x"}', '{"pass\\u0077ord":"#"}'],
    ['application/json', '{"password":"a\\"b","c":"d"}', '{"password":"#","c":"d"}'],
    ['application/json', '{"password":"cut of', '{"password":"#"'],
    ['application/json', '{"password":"cut of\\', '{"password":"#"'],
    ['application/problem+json', '{"apiKey":"x"}', '{"apiKey":"#"}'],
    ['text/plain', ' {"password":"x"}', ' {"password":"#"}'],
    ['text/plain', '<a><password>x</password></a>', '<a><password>#</password></a>'],
    ['application/x-www-form-urlencoded', 'password=x&b=c', 'password=#&b=c'],
    [
      'text/xml',
      '<a><w:Password Type="t">x</w:Password><b>c</b></a>',
      '<a><w:Password Type="t">#</w:Password><b>c</b></a>',
    ],
    [
      'text/html',
      '<input type="hidden" name="SAMLResponse" value="x">',
      '<input type="hidden" name="SAMLResponse" value="#">',
    ],
    ['text/html', "<input value='x' type=password>", '<input value="#" type=password>'],
    ['text/html', '<input name="q" value="x">', '<input name="q" value="x">'],
    ['text/plain', `see ${jwt}.`, 'see #'],
  ])('lose their credentials: %s %s', (type, text, shown) => expect(mask.entity(type, text)).toBe(shown));

  it.each([
    ['application/json', '"\\'.repeat(200_000)],
    ['application/json', '"token":['.repeat(60_000)],
    ['text/html', '<input '.repeat(60_000)],
    ['text/html', '<input name='.repeat(60_000)],
    ['text/plain', 'eyJ-'.repeat(130_000)],
    ['text/plain', '://a:'.repeat(100_000)],
    ['text/plain', '?a'.repeat(250_000)],
  ])('of half a megabyte are masked quickly: %s', (type, text) => {
    const start = performance.now();
    mask.entity(type, text);
    expect(performance.now() - start).toBeLessThan(30_000); // what is quadratic takes minutes
  });
});

describe('further names', () => {
  it('are whole names in any case', () => {
    const more = new CredentialMask({
      headers: [compilePattern('(?i)X-Me.*', 'bounded')],
      names: [compilePattern('(?i)nick', 'bounded')],
      mask: '#',
    });
    expect(['x-me', 'x-me-too', 'ax-me'].map((name) => more.header(name, 'v'))).toEqual(['#', '#', 'v']);
    expect(more.text('?NICK=a&nickname=b&x-me=c')).toBe('?NICK=#&nickname=b&x-me=c');
  });
});
