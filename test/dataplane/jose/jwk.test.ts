import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CryptoKey, KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import { cryptoKeyOf, privateJwkOf, publicJwkOf, thumbprintOf } from '../../../dataplane/jose/jwk.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

type Jwk = Record<string, unknown>;

const pairs = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  k256: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ed25519: generateKeyPairSync('ed25519'),
  ed448: generateKeyPairSync('ed448'),
  x25519: generateKeyPairSync('x25519'),
  x448: generateKeyPairSync('x448'),
  ml: generateKeyPairSync('ml-dsa-44'),
};
type Pair = keyof typeof pairs;

function jwkOf(key: KeyObject): Jwk {
  return { ...key.export({ format: 'jwk' }) };
}
const open = (pair: Pair): Jwk => jwkOf(pairs[pair].publicKey);
const whole = (pair: Pair): Jwk => jwkOf(pairs[pair].privateKey);
const secret = (bytes: number): Jwk => ({ kty: 'oct', k: randomBytes(bytes).toString('base64url') });

function usages({ keys }: { readonly keys: readonly CryptoKey[] }): (readonly [string, readonly KeyUsage[]])[] {
  return keys.map(({ key, usages: all }) => [key.type, [...all].sort()]);
}

describe('cryptoKeyOf', () => {
  it.each<readonly [Pair, readonly KeyUsage[], readonly KeyUsage[]]>([
    ['rsa', ['decrypt', 'sign', 'unwrapKey'], ['encrypt', 'verify', 'wrapKey']],
    ['p256', ['agreeKey', 'sign'], ['agreeKey', 'verify']],
    ['p384', ['agreeKey', 'sign'], ['agreeKey', 'verify']],
    ['p521', ['agreeKey', 'sign'], ['agreeKey', 'verify']],
    ['k256', ['sign'], ['verify']],
    ['ed25519', ['sign'], ['verify']],
    ['ed448', ['sign'], ['verify']],
    ['x25519', ['agreeKey'], ['agreeKey']],
    ['x448', ['agreeKey'], ['agreeKey']],
    ['ml', ['sign'], ['verify']],
  ])('reads both halves of %s', (pair, ofPrivate, ofPublic) => {
    expect(usages(cryptoKeyOf(whole(pair)))).toEqual([
      ['private', ofPrivate],
      ['public', ofPublic],
    ]);
    const [only, ...others] = cryptoKeyOf(open(pair)).keys;
    expect(others).toEqual([]);
    expect(only?.key.equals(pairs[pair].publicKey)).toBe(true);
    expect(only?.usages).toEqual(new Set(ofPublic));
  });

  it.each<readonly [string, Jwk, ReturnType<typeof usages>]>([
    ['use sig', { ...open('rsa'), use: 'sig' }, [['public', ['verify']]]],
    ['use enc', { ...open('rsa'), use: 'enc' }, [['public', ['encrypt', 'wrapKey']]]],
    ['key_ops of a public key', { ...open('rsa'), key_ops: ['wrapKey'] }, [['public', ['wrapKey']]]],
    ['alg', { ...open('rsa'), alg: 'PS256' }, [['public', ['verify']]]],
    ['alg that encrypts', { ...open('rsa'), alg: 'RSA-OAEP-256' }, [['public', ['encrypt', 'wrapKey']]]],
    ['alg that agrees', { ...open('p256'), alg: 'ECDH-ES+A128KW' }, [['public', ['agreeKey']]]],
    ['deriveBits', { ...open('x25519'), key_ops: ['deriveBits'] }, [['public', ['agreeKey']]]],
    ['unknown operations', { ...open('ed25519'), key_ops: ['verify', 'juggle'] }, [['public', ['verify']]]],
    [
      'key_ops of a private key, and what its other half does then',
      { ...whole('rsa'), key_ops: ['sign'] },
      [
        ['private', ['sign']],
        ['public', ['verify']],
      ],
    ],
    ['oct for HS256', { ...secret(32), kid: 'a', alg: 'HS256' }, [['secret', ['sign', 'verify']]]],
    ['oct with key_ops', { ...secret(32), kid: 'a', key_ops: ['verify'] }, [['secret', ['verify']]]],
    [
      'oct for A256KW',
      { ...secret(32), kid: 'a', alg: 'A256KW' },
      [['secret', ['decrypt', 'encrypt', 'unwrapKey', 'wrapKey']]],
    ],
  ])('limits usages by %s', (_, jwk, expected) => {
    expect(usages(cryptoKeyOf(jwk))).toEqual(expected);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['no object', ['a'], /not a JSON object/],
    ['null', null, /not a JSON object/],
    ['an unknown type', { kty: 'XYZ' }, /'kty' is not supported/],
    ['no type', { n: 'AQAB' }, /'kty' is not supported/],
    ['a type that is a property of objects', { kty: 'constructor' }, /'kty' is not supported/],
    ['a missing member', { kty: 'RSA', e: 'AQAB' }, /'n' is missing/],
    ['padding', { kty: 'oct', kid: 'a', k: 'AAAA==' }, /'k' is not base64url/],
    ['the other alphabet', { kty: 'oct', kid: 'a', k: 'ab+/' }, /'k' is not base64url/],
    ['bits left over', { kty: 'oct', kid: 'a', k: 'AB' }, /'k' is not base64url/],
    ['a break', { kty: 'oct', kid: 'a', k: 'AA\nAA' }, /'k' is not base64url/],
    ['an empty key', { kty: 'oct', kid: 'a', k: '' }, /'k' is missing/],
    ['a symmetric key without a name', secret(32), /symmetric key and has no 'kid'/],
    ['a kid that is a number', { ...open('rsa'), kid: 1 }, /'kid' is not a text/],
    ['an empty kid', { ...open('rsa'), kid: '' }, /'kid' is not a text/],
    ['a point that is not on the curve', { ...open('p256'), y: open('p256')['x'] }, /do not form a key/],
    ['coordinates of another length', { ...open('p256'), x: 'AAAA' }, /do not form a key/],
    ['an unknown curve', { ...open('p256'), crv: 'P-224' }, /do not form a key/],
    ['the curve of another type', { ...open('p256'), crv: 'Ed25519' }, /do not form a key/],
    ['halves of two keys', { ...whole('p256'), x: open('k256')['x'], y: open('k256')['y'] }, /do not form a key/],
    ['a private RSA key without primes', { ...open('rsa'), d: whole('rsa')['d'] }, /'p' is missing/],
    ['three primes', { ...whole('rsa'), oth: [] }, /more than two primes/],
    ['use of another purpose', { ...open('rsa'), use: 'tls' }, /'use' is neither/],
    ['key_ops that are no array', { ...open('rsa'), key_ops: 'sign' }, /'key_ops' is not an array/],
    ['key_ops twice', { ...open('rsa'), key_ops: ['verify', 'verify'] }, /contain a duplicate/],
    ['key_ops against use', { ...open('rsa'), use: 'sig', key_ops: ['encrypt'] }, /'key_ops' contradict/],
    ['alg against use', { ...open('rsa'), use: 'enc', alg: 'RS256' }, /'use' contradicts its 'alg'/],
    ['alg of another type', { ...open('rsa'), alg: 'ES256' }, /does not fit its type/],
    ['alg of another curve', { ...open('p256'), alg: 'ES384' }, /does not fit its type/],
    ['HMAC with a public key', { ...open('rsa'), alg: 'HS256' }, /does not fit its type/],
    ['a short key for its alg', { ...secret(31), kid: 'a', alg: 'HS256' }, /does not fit its type/],
    ['alg none', { ...open('rsa'), alg: 'none' }, /'alg' is not supported/],
    ['RSA1_5', { ...open('rsa'), alg: 'RSA1_5' }, /'alg' is not supported/],
    ['alg that is no text', { ...open('rsa'), alg: 256 }, /'alg' is not a text/],
    ['operations that the half cannot do', { ...open('rsa'), key_ops: ['sign'] }, /leave no allowed usage/],
    ['a short RSA key', jwkOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey), /fewer than 2048 bits/],
    ['an RSA exponent of one', { ...open('rsa'), e: 'AQ' }, /exponent|do not form a key/],
    ['an even RSA exponent', { ...open('rsa'), e: 'Ag' }, /exponent|do not form a key/],
    ['a huge RSA exponent', { ...open('rsa'), e: open('rsa')['n'] }, /exponent|do not form a key/],
    ['ML-DSA of another size', { ...open('ml'), alg: 'ML-DSA-87' }, /do not form a key/],
  ])('refuses %s', (_, jwk, message) => {
    expect(() => cryptoKeyOf(jwk)).toThrow(message);
  });

  it.each(['n', 'd', 'p', 'q', 'dp', 'dq', 'qi'])('refuses a private RSA key with another %s', (name) => {
    const others = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
    expect(() => cryptoKeyOf({ ...whole('rsa'), [name]: others[name] })).toThrow('do not form a key of its type');
  });

  it('reveals nothing of the value', () => {
    const hidden = 'c2VjcmV0LW9mLXRoZS1rZXk';
    for (const jwk of [
      { kty: hidden },
      { kty: 'oct', k: `${hidden}=`, kid: 'a' },
      { ...whole('rsa'), d: hidden },
      { ...whole('p256'), d: hidden },
      { kty: 'oct', k: hidden, kid: 'a', alg: hidden },
    ]) {
      expect(() => cryptoKeyOf(jwk)).toThrow(expect.not.objectContaining({ message: expect.stringContaining(hidden) }));
    }
  });

  it('names a key by its kid, then the fallback, then its thumbprint', () => {
    const stableIds = (jwk: Jwk, fallback?: string): string[] => cryptoKeyOf(jwk, fallback).keys.map((k) => k.stableId);
    expect(stableIds({ ...whole('rsa'), kid: 'k1' }, 'other')).toEqual(['k1', 'k1']);
    expect(stableIds(open('rsa'), 'other')).toEqual(['other']);
    expect(stableIds(open('rsa'))).toEqual([thumbprintOf(pairs.rsa.publicKey)]);
    expect(thumbprintOf(pairs.rsa.privateKey)).toBe(thumbprintOf(pairs.rsa.publicKey));
  });

  it('has the thumbprint of the example of RFC 7638 and of RFC 8037', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj' +
      'hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ' +
      'vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK' +
      'nqDKgw';
    const [rsa] = cryptoKeyOf({ kty: 'RSA', n, e: 'AQAB', alg: 'RS256' }).keys;
    expect(rsa?.stableId).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs');
    const [ed] = cryptoKeyOf({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }).keys;
    expect(ed?.stableId).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('accepts a leading zero of a modulus as the same key', () => {
    const n = Buffer.concat([Buffer.of(0), Buffer.from(String(open('rsa')['n']), 'base64url')]).toString('base64url');
    const [key] = cryptoKeyOf({ ...open('rsa'), n }).keys;
    expect(key?.stableId).toBe(thumbprintOf(pairs.rsa.publicKey));
  });

  describe('x5c', () => {
    const root = certificateAuthority('Root');
    const leaf = root.issue({ names: ['localhost'] });
    const der = (pem: string): string => pem.replace(/-----[^-]+-----|\s/g, '');
    const own = jwkOf(createPublicKey(leaf.key));

    it('returns the certificates of the key', () => {
      const [key] = cryptoKeyOf({ ...own, x5c: [der(leaf.certificate), der(root.certificate)] }).keys;
      expect(key?.certificates.map(({ subject }) => subject.includes('Root'))).toEqual([false, true]);
    });

    it('does not mind a print of it in hexadecimal digits, as some write it', () => {
      const x5t = Buffer.from('A'.repeat(40)).toString('base64url');
      expect(cryptoKeyOf({ ...own, x5c: [der(leaf.certificate)], x5t }).keys.length).toBe(1);
    });

    it.each<readonly [string, Jwk, RegExp]>([
      ['of another key', { x5c: [der(root.certificate)] }, /another key/],
      ['that is empty', { x5c: [] }, /not an array of one to/],
      ['that is no array', { x5c: der(leaf.certificate) }, /not an array of one to/],
      ['with breaks', { x5c: [`${der(leaf.certificate)}\n`] }, /not base64/],
      ['that is not a certificate', { x5c: ['AAAA'] }, /not a certificate/],
      ['in PEM', { x5c: [Buffer.from(leaf.certificate).toString('base64')] }, /not a certificate/],
    ])('refuses one %s', (_, members, message) => {
      expect(() => cryptoKeyOf({ ...own, ...members })).toThrow(message);
    });
  });
});

describe('publicJwkOf and privateJwkOf', () => {
  it.each(Object.keys(pairs) as Pair[])('write %s so that it is read again', (pair) => {
    const [privateKey] = cryptoKeyOf({ ...whole(pair), kid: 'k1' }).keys;
    const shown = publicJwkOf(privateKey!);
    expect(shown).toMatchObject({ ...open(pair), kid: 'k1' });
    for (const hidden of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'priv', 'k']) expect(shown).not.toHaveProperty(hidden);
    const again = cryptoKeyOf(privateJwkOf(privateKey!)).keys;
    expect(again[0]?.key.equals(pairs[pair].privateKey)).toBe(true);
  });

  it('determine the usages of a key', () => {
    const [key] = cryptoKeyOf({ ...whole('rsa'), kid: 'k1', alg: 'RS256' }).keys;
    expect(publicJwkOf(key!)).toMatchObject({ kid: 'k1', use: 'sig', alg: 'RS256' });
    const [both] = cryptoKeyOf({ ...whole('rsa'), kid: 'k1' }).keys;
    expect(publicJwkOf(both!)).not.toHaveProperty('use');
  });

  it('show a symmetric key only as a private one', () => {
    const jwk = { ...secret(32), kid: 'a', alg: 'HS256' };
    const [key] = cryptoKeyOf(jwk).keys;
    expect(() => publicJwkOf(key!)).toThrow('no public half');
    expect(privateJwkOf(key!)).toEqual({ ...jwk, use: 'sig' });
  });

  it('return matching keys', () => {
    const [privateKey, publicKey] = cryptoKeyOf(whole('ed25519')).keys;
    const signature = sign(null, Buffer.from('text'), privateKey!.key);
    expect(verify(null, Buffer.from('text'), publicKey!.key, signature)).toBe(true);
  });
});
