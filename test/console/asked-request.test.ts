import { describe, expect, it } from 'vitest';
import { askedRequest, formIn, parametersOf } from '../../console/pages/explain/asked-request.ts';

const form = { method: 'GET', uri: '/orders', headers: '', entity: '' };

describe('a request to explain', () => {
  it('gets its headers from lines, and a host if it is a path', () => {
    expect(askedRequest({ ...form, headers: 'Accept: a\n\n accept : b \nX: ' })).toEqual({
      method: 'GET',
      uri: '/orders',
      headers: { Host: ['localhost'], Accept: ['a'], accept: ['b'], X: [''] },
    });
    expect(askedRequest({ ...form, headers: 'host: shop.example' })).toMatchObject({
      headers: { host: ['shop.example'] },
    });
    expect(askedRequest({ ...form, uri: 'https://a.example/', entity: '{}' })).toMatchObject({
      headers: {},
      entity: '{}',
    });
  });

  it.each([
    ['', 'Give a URL'],
    ['orders', 'Give a URL'],
    ['javascript:alert(1)', 'Give a URL'],
  ])('is refused with the URL ‘%s’', (uri, message) => {
    expect(askedRequest({ ...form, uri })).toContain(message);
  });

  it('has no header whose value is not known', () => {
    const request = askedRequest({ method: 'GET', uri: '/orders', headers: 'accept: …\nX-Mine: 1', entity: '' });
    expect(request).toMatchObject({ headers: { Host: ['localhost'], 'X-Mine': ['1'] } });
    expect(request).not.toHaveProperty('headers.accept');
  });

  it('has the names of headers from an address', () => {
    expect(formIn(new URLSearchParams('uri=/a&headers=accept,x y,user-agent')).headers).toBe(
      'accept: …\nuser-agent: …',
    );
  });

  it('is refused with a line that is no header', () => {
    expect(askedRequest({ ...form, headers: 'secret' })).toBe('‘secret’ is no header: write Name: value.');
  });

  it.each([
    ['/orders?open=1&access_token=abc', '/orders?open=1'],
    ['/callback?code=abc&state=d', '/callback'],
    ['https://ada:secret@shop.example/a?b', 'https://shop.example/a?b'],
    ['/a?apiKey=x', '/a'],
  ])('leaves credentials out of the address: %s', (uri, kept) => {
    expect(parametersOf({ ...form, uri, headers: 'Authorization: Bearer x', entity: 'secret' })).toEqual({
      method: '',
      uri: kept,
    });
  });

  it('comes back from its address', () => {
    expect(formIn(new URLSearchParams('method=POST&uri=%2Fa%3Fb%3D1'))).toEqual({
      ...{ method: 'POST', uri: '/a?b=1', headers: '', entity: '' },
    });
  });
});
