import { generateKeyPairSync } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { NOBODY, withContextOptions } from '../../../../dataplane/tls/context-options.ts';
import { readHostCertificate } from '../../../../dataplane/tls/hosts/host-certificate.ts';
import { tlsRules } from '../../../../dataplane/tls/options/tls-rules.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';

const ca = certificateAuthority('reading');
const one = ca.issue({ names: ['shop.test', '*.shop.test', '10.0.0.1'], commonName: 'common.test' });
const other = ca.issue({ names: ['shop.test'] });
const pem = { type: 'pkcs8', format: 'pem' } as const;

describe('a certificate of a host', () => {
  it.each([
    ['shop.test', true],
    ['a.shop.test', true],
    ['*.shop.test', true],
    ['a.b.shop.test', false],
    ['*.a.shop.test', false],
    ['*.test', false],
    ['test', false],
    // the common name and addresses do not count
    ['common.test', false],
    ['10.0.0.1', false],
  ])('covers %s: %s', (host, isCovered) => {
    expect(readHostCertificate(one.chain, one.key).covers(host)).toBe(isCovered);
  });

  it.each(['ec', 'rsa', 'ed25519'] as const)('is read with a key of the type %s and its intermediate', (keyType) => {
    const { chain, key } = ca.intermediate('between').issue({ names: ['shop.test'], keyType });
    const read = readHostCertificate(chain, key);
    withContextOptions({ rules: tlsRules({}), keys: read.keys, trust: NOBODY }, createSecureContext);
    expect(read.keys[0].certificates).toHaveLength(2);
    expect(read.notAfter).toBeGreaterThan(Date.now());
  });

  it('is found in a chain that begins with its issuer', () => {
    const { certificate, key } = ca.issue({ names: ['shop.test'] });
    expect(readHostCertificate(ca.certificate + certificate, key).covers('shop.test')).toBe(true);
  });

  const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    ...pem,
    cipher: 'aes-256-cbc',
    passphrase: 'sesame',
  });
  const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export(pem);
  const agreement = generateKeyPairSync('x25519').privateKey.export(pem);

  it.each<[what: string, chain: string, key: string, message: string]>([
    ['no certificate', '', one.key, 'there is no certificate in PEM'],
    ['text', 'no PEM at all', one.key, 'there is no certificate in PEM'],
    ['a cut certificate', one.chain.slice(0, 200), one.key, 'the certificate: block 1 (CERTIFICATE) has no end'],
    ['bytes that are no certificate', damaged(one.certificate), one.key, 'block 1 (CERTIFICATE) cannot be read'],
    [
      'a key among the certificates',
      one.pem,
      one.key,
      'block 2 (PRIVATE KEY) of the certificate chain is a private key',
    ],
    ['a list among them', one.chain + ca.crl(), one.key, 'block 2 (X509 CRL) is not a certificate'],
    [
      'a chain that is too long',
      one.chain.padEnd(70_000, ' '),
      one.key,
      'the certificate chain is longer than 65536 bytes',
    ],
    ['no key', one.chain, '', 'there is no private key in PEM'],
    ['a certificate for a key', one.chain, one.chain, 'there is no private key in PEM'],
    ['two keys', one.chain, one.key + other.key, 'there is more than one private key'],
    ['bytes that are no key', one.chain, damaged(one.key), 'the private key cannot be read'],
    ['an encrypted key', one.chain, String(encrypted), 'the private key is encrypted'],
    ['the key of another one', one.chain, other.key, 'the private key does not belong to the certificate'],
    ['another curve', one.chain, String(curve), 'the curve of the key is none of P-256, P-384 and P-521'],
    [
      'a key that cannot sign',
      one.chain,
      String(agreement),
      'the private key is of the type x25519, not RSA, EC or Ed25519',
    ],
  ])('is refused with %s', (_, chain, key, message) => {
    expect(() => readHostCertificate(chain, key)).toThrow(message);
  });

  it('is refused with an RSA key that costs other connections their time', () => {
    const { chain, key } = ca.issue({ names: ['shop.test'], keyType: 'rsa', modulusLength: 4104 });
    expect(() => readHostCertificate(chain, key)).toThrow('the RSA key has more than 4096 bits');
  });

  it('is refused with a key that OpenSSL finds too short', () => {
    const { chain, key } = ca.issue({ names: ['shop.test'], keyType: 'rsa', modulusLength: 1024 });
    expect(() => readHostCertificate(chain, key)).toThrow('the RSA key has fewer than 2048 bits');
    expect(() => createSecureContext({ cert: chain, key })).toThrow('ee key too small');
  });
});

/** The same form with other bytes. */
function damaged(text: string): string {
  return text.replace(/\n(.+)\n/, '\nAAAA\n');
}
