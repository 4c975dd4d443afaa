import { createHmac, createPublicKey, createSecretKey, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { CompactSign, compactVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { CryptoKey } from '../../../dataplane/heap/objects/secrets.ts';
import { readJws } from '../../../dataplane/jose/compact-jws.ts';
import { mayVerify, sign, verifies } from '../../../dataplane/jose/signature.ts';
import { signatureAlgorithms } from '../../../dataplane/jose/signature-algorithm.ts';
import { cryptoKey, type KeyHalves, newKey, secretHalves } from '../../support/identity/signing-keys.ts';
import { tokenPart, tokenText } from '../../support/identity/token-text.ts';

const PAYLOAD = '{"sub":"someone"}';
const keys = new Map(signatureAlgorithms.map((alg): [string, KeyHalves] => [alg, newKey(alg)]));
const rsa = keys.get('RS256')!;
const ec = keys.get('ES256')!;
const ed = keys.get('Ed25519')!;

function isVerified(token: string, key: CryptoKey): boolean {
  const jws = readJws(token);
  expect(jws).not.toBeNull();
  return verifies(jws!, key);
}

/** A token with the header, signed by whatever makes a signature of its first two parts. */
function signedBy(header: unknown, make: (data: Buffer) => Uint8Array): string {
  const data = `${tokenPart(header)}.${tokenPart(PAYLOAD)}`;
  return `${data}.${tokenPart(make(Buffer.from(data)))}`;
}

describe('sign and verifies', () => {
  it.each([...keys])('%s verifies only its own signatures', (alg, { own, other }) => {
    const token = sign({ kid: 'a', typ: 'JWT' }, PAYLOAD, own, alg);
    expect(readJws(token)).toMatchObject({ header: { kid: 'a', typ: 'JWT', alg }, payload: Buffer.from(PAYLOAD) });
    expect(isVerified(token, other)).toBe(true);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    expect(isVerified(`${header}.${tokenPart('{"sub":"other"}')}.${signature}`, other)).toBe(false);
    expect(isVerified(`${tokenPart({ alg, kid: 'b' })}.${payload}.${signature}`, other)).toBe(false);
    const bytes = Buffer.from(signature, 'base64url');
    bytes[bytes.length - 1]! ^= 1;
    expect(isVerified(`${header}.${payload}.${tokenPart(bytes)}`, other)).toBe(false);
    expect(isVerified(`${header}.${payload}.${tokenPart(bytes.subarray(1))}`, other)).toBe(false);
    expect(isVerified(`${header}.${payload}.AA`, other)).toBe(false);
    expect(isVerified(token, newKey(alg).other)).toBe(false);
  });

  const common = signatureAlgorithms.filter((alg) => !/ES256K|Ed448|ML-DSA/.test(alg));
  it.each(common)('%s agrees with another library', async (alg) => {
    const { own, other } = keys.get(alg)!;
    const made = await new CompactSign(Buffer.from(PAYLOAD)).setProtectedHeader({ alg }).sign(own.key);
    expect(isVerified(made, other)).toBe(true);
    const { payload } = await compactVerify(sign({}, PAYLOAD, own, alg), other.key);
    expect(Buffer.from(payload).toString()).toBe(PAYLOAD);
  });

  it('overrides the alg of the given header', () => {
    expect(readJws(sign({ alg: 'none' }, PAYLOAD, ec.own, 'ES256'))?.alg).toBe('ES256');
  });

  it('signs bytes and texts beyond ASCII', () => {
    const token = sign({ name: 'ä' }, Buffer.from([0, 255]), ed.own, 'EdDSA');
    expect(readJws(token)).toMatchObject({ header: { name: 'ä' }, payload: Buffer.from([0, 255]) });
    expect(isVerified(token, ed.other)).toBe(true);
  });

  it('refuses to sign with a key that does not allow it', () => {
    expect(() => sign({}, PAYLOAD, rsa.other, 'RS256')).toThrow("the key 'one' cannot sign with RS256");
    expect(() => sign({}, PAYLOAD, rsa.own, 'ES256')).toThrow("the key 'one' cannot sign with ES256, but with RS256,");
    expect(() => sign({}, PAYLOAD, rsa.own, 'none')).toThrow('none is not a signature algorithm for tokens');
    expect(() => sign({}, PAYLOAD, { ...rsa.own, usages: new Set(['decrypt']) }, 'RS256')).toThrow('cannot sign');
    expect(() => sign({}, PAYLOAD, { ...rsa.own, algorithm: 'PS256' }, 'RS256')).toThrow('cannot sign');
  });
});

describe('mayVerify', () => {
  const expected: readonly [string, CryptoKey, readonly string[]][] = [
    ['an RSA key', rsa.other, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    ['a key of P-256', ec.other, ['ES256']],
    ['a key of P-384', keys.get('ES384')!.other, ['ES384']],
    ['a key of P-521', keys.get('ES512')!.other, ['ES512']],
    ['a key of secp256k1', keys.get('ES256K')!.other, ['ES256K']],
    ['a key of Ed25519', ed.other, ['EdDSA', 'Ed25519']],
    ['a key of Ed448', keys.get('Ed448')!.other, ['EdDSA', 'Ed448']],
    ['a key of ML-DSA-65', keys.get('ML-DSA-65')!.other, ['ML-DSA-65']],
    ['a key of X25519', newKey('X25519').other, []],
    ['a secret of 64 bytes', secretHalves(Buffer.alloc(64, 1)).other, ['HS256', 'HS384', 'HS512']],
    ['a secret of 48 bytes', secretHalves(Buffer.alloc(48, 1)).other, ['HS256', 'HS384']],
    ['a secret of 32 bytes', secretHalves(Buffer.alloc(32, 1)).other, ['HS256']],
    ['a secret of 31 bytes', secretHalves(Buffer.alloc(31, 1)).other, []],
    ['an RSA key of 1024 bits', cryptoKey(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey), []],
    ['an RSA-PSS key', cryptoKey(pssKey()), ['PS256', 'PS384', 'PS512']],
    ['an RSA key that leaves everything as it is', cryptoKey(identityKey()), []],
    ['a key of brainpool', cryptoKey(generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }).publicKey), []],
    ['a private key', { ...rsa.own, usages: new Set(['sign', 'verify']) }, []],
    ['a key that may not verify', { ...rsa.other, usages: new Set(['encrypt']) }, []],
    ['a key for RS256', { ...rsa.other, algorithm: 'RS256' }, ['RS256']],
    ['a key for PS256', { ...rsa.other, algorithm: 'PS256' }, ['PS256']],
    ['a key for RSA-OAEP', { ...rsa.other, algorithm: 'RSA-OAEP' }, []],
    ['a key for EdDSA', { ...ed.other, algorithm: 'EdDSA' }, ['EdDSA', 'Ed25519']],
    ['a key for Ed25519', { ...ed.other, algorithm: 'Ed25519' }, ['EdDSA', 'Ed25519']],
    ['a key for ES521', { ...keys.get('ES512')!.other, algorithm: 'ES521' }, ['ES512']],
    ['a key for HS512', { ...secretHalves(Buffer.alloc(64)).other, algorithm: 'HS512' }, ['HS512']],
  ];

  it.each(expected)('%s', (_, key, algorithms) => {
    expect(signatureAlgorithms.filter((alg) => mayVerify(alg, key))).toEqual(algorithms);
    expect(mayVerify('none', key)).toBe(false);
  });

  function identityKey() {
    const { n } = rsa.other.key.export({ format: 'jwk' });
    return createPublicKey({ key: { kty: 'RSA', n: n!, e: 'AQ' }, format: 'jwk' });
  }

  function pssKey() {
    return generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey;
  }
});

describe('attacks', () => {
  const publicForms: readonly [string, Buffer | string][] = [
    ['PEM', rsa.other.key.export({ type: 'spki', format: 'pem' })],
    ['PEM without a line feed', String(rsa.other.key.export({ type: 'spki', format: 'pem' })).trim()],
    ['PKCS#1', rsa.other.key.export({ type: 'pkcs1', format: 'pem' })],
    ['DER', rsa.other.key.export({ type: 'spki', format: 'der' })],
    ['JWK', JSON.stringify(rsa.other.key.export({ format: 'jwk' }))],
  ];

  it.each(publicForms)('a public key as HMAC secret, in %s', (_, secret) => {
    const token = signedBy({ alg: 'HS256' }, (data) => createHmac('sha256', secret).update(data).digest());
    expect(isVerified(token, rsa.other)).toBe(false);
  });

  it('an empty secret', () => {
    const token = signedBy({ alg: 'HS256' }, (data) => createHmac('sha256', '').update(data).digest());
    expect(isVerified(token, cryptoKey(createSecretKey(Buffer.alloc(0))))).toBe(false);
  });

  it('RS256 and PS256 exchanged', () => {
    const [header, payload, signature] = sign({}, PAYLOAD, rsa.own, 'PS256').split('.');
    expect(isVerified(`${tokenPart({ alg: 'RS256' })}.${payload}.${signature}`, rsa.other)).toBe(false);
    expect(isVerified(`${header}.${payload}.${signature}`, { ...rsa.other, algorithm: 'RS256' })).toBe(false);
  });

  it('a salt of another length', () => {
    const { key } = rsa.own;
    const token = signedBy({ alg: 'PS256' }, (data) => signBytes('sha256', data, { key, padding: 6, saltLength: 20 }));
    expect(isVerified(token, rsa.other)).toBe(false);
  });

  it('an ECDSA signature in DER', () => {
    const token = signedBy({ alg: 'ES256' }, (data) => signBytes('sha256', data, ec.own.key));
    expect(isVerified(token, ec.other)).toBe(false);
  });

  const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
  const zero = Buffer.alloc(32);
  const one = Buffer.concat([Buffer.alloc(31), Buffer.from([1])]);
  it.each([
    ['zero, zero', Buffer.concat([zero, zero])],
    ['zero, one', Buffer.concat([zero, one])],
    ['one, zero', Buffer.concat([one, zero])],
    ['the order, the order', Buffer.concat([order, order])],
    ['nothing but one byte', Buffer.alloc(1)],
    ['a great many zeros', Buffer.alloc(4096)],
  ])('ECDSA signatures of %s', (_, signature) => {
    expect(isVerified(tokenText({ alg: 'ES256' }, PAYLOAD, signature), ec.other)).toBe(false);
  });

  it('a signature on another curve', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const token = sign({}, PAYLOAD, cryptoKey(privateKey), 'ES256K');
    expect(isVerified(token, ec.other)).toBe(false);
    expect(isVerified(token.replace(/^[^.]+/, tokenPart({ alg: 'ES256' })), ec.other)).toBe(false);
  });

  it('an Ed25519 signature whose scalar is not reduced', () => {
    const [header, payload, signature] = sign({}, PAYLOAD, ed.own, 'EdDSA').split('.') as [string, string, string];
    const bytes = Buffer.from(signature, 'base64url');
    const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + groupOrder;
    Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32);
    expect(isVerified(`${header}.${payload}.${tokenPart(bytes)}`, ed.other)).toBe(false);
  });

  it('an RSA-PSS key with another digest', () => {
    const { publicKey } = generateKeyPairSync('rsa-pss', { modulusLength: 2048, hashAlgorithm: 'sha256' });
    expect(isVerified(tokenText({ alg: 'PS512' }, PAYLOAD, Buffer.alloc(256)), cryptoKey(publicKey))).toBe(false);
  });
});
