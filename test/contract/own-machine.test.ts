import { describe, expect, it } from 'vitest';
import { isFromOtherPage, isFromThisMachine, isOpenedHere } from '../../contract/own-machine.ts';

const from = (headers: Record<string, string>, remoteAddress = '127.0.0.1') => ({
  socket: { remoteAddress },
  headers: { host: '127.0.0.1:9090', ...headers },
});

describe('a request comes from this machine', () => {
  it.each<[string, Record<string, string>]>([
    ['of a program', {}],
    ['to another name of loopback', { host: 'localhost:9090' }],
    ['to loopback in IPv6', { host: '[::1]:9090' }],
    ['of a page of this server', { origin: 'http://127.0.0.1:9090', 'sec-fetch-site': 'same-origin' }],
    ['that a person types', { 'sec-fetch-site': 'none' }],
  ])('%s', (_, headers) => {
    expect(isFromThisMachine(from(headers))).toBe(true);
    expect(isOpenedHere(from(headers))).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['a page of another port', { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' }],
    ['a page of another port, in a browser without Sec-Fetch-Site', { origin: 'http://127.0.0.1:3000' }],
    ['a page of another site', { origin: 'https://example.com', 'sec-fetch-site': 'cross-site' }],
    ['a page without an origin', { origin: 'null' }],
    ['an image in another page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [
      'a frame in another page',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ],
    ['a page whose name has the address of loopback', { host: 'evil.example:9090' }],
    ['such a page with its own origin', { host: 'evil.example:9090', origin: 'http://evil.example:9090' }],
    [
      'a form of another page',
      { origin: 'https://example.com', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['a page with a value of Sec-Fetch-Site in another case', { 'sec-fetch-site': 'Cross-Site' }],
    ['a page with an unknown value of Sec-Fetch-Site', { 'sec-fetch-site': 'fenced' }],
    ['a page with two values of Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ...[
      ...['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port'],
      ...['x-forwarded-server', 'x-forwarded-prefix', 'x-forwarded', 'x-original-forwarded-for', 'x-original-host'],
      ...['x-real-ip', 'x-client-ip', 'client-ip', 'true-client-ip', 'x-cluster-client-ip', 'fastly-client-ip'],
      ...['cf-connecting-ip', 'cf-ray', 'cdn-loop', 'x-envoy-external-address', 'x-envoy-internal'],
    ].map((name): [string, Record<string, string>] => [`a proxy that sends ${name}`, { [name]: '10.0.0.1' }]),
  ])('not for %s', (_, headers) => {
    expect(isFromThisMachine(from(headers))).toBe(false);
    expect(isOpenedHere(from(headers))).toBe(false);
  });

  it('not for a peer of another machine', () => {
    expect(isFromThisMachine(from({}, '10.0.0.1'))).toBe(false);
    expect(isOpenedHere(from({}, '10.0.0.1'))).toBe(false);
  });

  it('opens a page by a link in another page, and gives it no data', () => {
    const link = from({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' });
    expect(isOpenedHere(link)).toBe(true);
    expect(isFromThisMachine(link)).toBe(false);
  });

  it('is a page of another origin by its Origin alone', () => {
    expect(isFromOtherPage(from({ origin: 'https://127.0.0.1:9091' }))).toBe(true);
    expect(isFromOtherPage(from({ origin: 'http://127.0.0.1:9090' }))).toBe(false);
  });
});
