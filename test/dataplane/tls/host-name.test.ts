import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { certifiedNames, isFor } from '../../../dataplane/tls/host-name.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const ca = certificateAuthority('names');

function matches(host: string, names: readonly string[], commonName = 'nobody'): boolean {
  return isFor(certifiedNames(new X509Certificate(ca.issue({ names, commonName }).certificate)), host);
}

describe('the host that a certificate is for', () => {
  it.each([
    ['api.example.com', ['api.example.com'], true],
    ['API.Example.COM', ['api.example.com'], true],
    ['api.example.com', ['API.EXAMPLE.com'], true],
    ['api.example.com.', ['api.example.com'], true],
    ['api.example.com', ['www.example.com', 'api.example.com'], true],
    ['api.example.com', ['www.example.com'], false],
    ['api.example.com', [], false],
    ['example.com', ['api.example.com'], false],
    ['a.example.com', ['*.example.com'], true],
    ['example.com', ['*.example.com'], false],
    ['a.b.example.com', ['*.example.com'], false],
    ['a.b.example.com', ['*.b.example.com'], true],
    ['a.b.example.com', ['a.*.example.com'], false],
    ['a.b.example.com', ['*.*.example.com'], false],
    ['abc.example.com', ['a*.example.com'], false],
    ['abc.example.com', ['*c.example.com'], false],
    ['.example.com', ['*.example.com'], false],
    ['a.test', ['*.test'], true],
    ['anything', ['*'], false],
    ['a.example.com', ['*'], false],
    ['xn--bcher-kva.example', ['xn--bcher-kva.example'], true],
    ['127.0.0.1', ['127.0.0.1'], true],
    ['127.0.0.2', ['127.0.0.1'], false],
    ['::1', ['::1'], true],
    ['0:0:0:0:0:0:0:1', ['::1'], true],
    ['::2', ['::1'], false],
    ['1.2.3.4', ['*.2.3.4'], false],
  ])('%s by the alternative names %j: %s', (host, names, expected) => {
    expect(matches(host, names)).toBe(expected);
  });

  it.each([
    ['api.example.com', 'api.example.com', true],
    ['a.example.com', '*.example.com', true],
    ['a.b.example.com', '*.example.com', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['www.example.com', 'api.example.com', false],
    ['a', 'a, DNS:b', false],
    ['b', 'a, DNS:b', false],
  ])('%s by the common name %s: %s', (host, commonName, expected) => {
    expect(matches(host, [], commonName)).toBe(expected);
    expect(matches(host, ['other.example.com'], commonName)).toBe(expected);
  });

  it('uses only the first of several common names', () => {
    const names = { commonName: 'first.test', hosts: [], addresses: [] };
    expect(isFor(names, 'first.test')).toBe(true);
    expect(isFor(names, 'second.test')).toBe(false);
  });

  it('does not treat other parts of a name as a host name', () => {
    const names = certifiedNames(
      new X509Certificate(ca.issue({ names: ['a.test, DNS:b.test', 'c.test'], commonName: 'x' }).certificate),
    );
    expect(isFor(names, 'b.test')).toBe(false);
    expect(isFor(names, 'a.test')).toBe(false);
    expect(isFor(names, 'c.test')).toBe(true);
  });
});
