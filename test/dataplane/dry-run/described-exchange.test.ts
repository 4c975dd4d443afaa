import { describe, expect, it } from 'vitest';
import { describedExchange, readRequestDescription } from '../../../dataplane/dry-run/described-exchange.ts';

describe('a description', () => {
  it.each([
    ['a list', '[]', 'a request is a JSON object'],
    ['null', 'null', 'a request is a JSON object'],
    ['of other fields', '{"methd":"GET"}', "a request has no 'methd': did you mean 'method'?"],
    ['of unknown fields', '{"constructor":1}', "a request has no 'constructor'"],
  ])('that is %s is refused', (_, text, message) => {
    expect(() => readRequestDescription(text)).toThrow(message);
  });

  it.each([
    [{ headers: ['X'] }, "'X' is not a header line such as 'Name: value'"],
    [{ headers: { 'a b': 'x' } }, 'not a header name'],
    [{ uri: 'shop' }, 'not an absolute URI'],
    [{ uri: '/a/../b' }, 'not a path'],
  ])('%j makes no exchange', (description, message) => {
    expect(() => describedExchange(description)).toThrow(message);
  });

  it('may be empty', () => {
    const { request, client, router } = describedExchange({});
    expect(`${request.method} ${request.uri} ${request.headers.get('host')} ${request.entity.length}`).toBe(
      'GET http://gw.test/ gw.test 0',
    );
    expect([client.remoteAddress, client.localPort, String(router.originalUri)]).toEqual([
      '127.0.0.1',
      80,
      'http://gw.test/',
    ]);
  });

  it('keeps header lines separate and the original URI unchanged', () => {
    const { request, router } = describedExchange({ uri: '/p?q', headers: ['X-A: 1', 'X-A:2', 'Host: other'] });
    request.uri.path = '/changed';
    expect([request.headers.all('x-a'), request.headers.get('host'), String(router.originalUri)]).toEqual([
      ['1', '2'],
      'other',
      'http://gw.test/p?q',
    ]);
  });
});
