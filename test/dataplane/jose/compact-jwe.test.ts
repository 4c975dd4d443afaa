import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { NoSuchSecret, type SecretsProvider, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { secretsInOrder } from '../../../dataplane/heap/objects/secrets-in-order.ts';
import { decryptWithSecrets, encrypt, readJwe } from '../../../dataplane/jose/compact-jwe.ts';
import { contentEncryptionAlgorithms, keyManagementAlgorithms } from '../../../dataplane/jose/encryption-algorithm.ts';
import { VerificationBusy } from '../../../dataplane/jose/verification.ts';
import { type KeyHalves, newKey, secretHalves, storeOf } from '../../support/identity/signing-keys.ts';
import { tokenPart } from '../../support/identity/token-text.ts';

const KEY_LENGTHS: Readonly<Record<string, number>> = {
  'A128CBC-HS256': 32,
  'A192CBC-HS384': 48,
  'A256CBC-HS512': 64,
  A128GCM: 16,
  A192GCM: 24,
  A256GCM: 32,
};
const rsa = newKey('RSA', 'rsa');
const ec = newKey('ES256', 'ec');
const aes = secretHalves(randomBytes(32), 'aes');

function keyFor(alg: string, enc: string): KeyHalves {
  if (alg.startsWith('RSA')) return rsa;
  if (alg.startsWith('ECDH')) return ec;
  return secretHalves(randomBytes(alg === 'dir' ? KEY_LENGTHS[enc]! : Number(alg.slice(1, 4)) / 8), 'aes');
}

async function opened(text: string, provider: SecretsProvider, id = 'keys'): Promise<string | null> {
  const jwe = readJwe(text);
  expect(jwe).not.toBeNull();
  return (await decryptWithSecrets(jwe!, provider, id))?.toString() ?? null;
}

describe('encrypt and decryptWithSecrets', () => {
  const pairs = keyManagementAlgorithms.flatMap((alg) => contentEncryptionAlgorithms.map((enc) => ({ alg, enc })));

  it.each(pairs)('$alg with $enc', async ({ alg, enc }) => {
    const { own, other } = keyFor(alg, enc);
    const text = await encrypt('content', { cty: 'JWT' }, other, alg, enc);
    expect(readJwe(text)).toMatchObject({ alg, enc, kid: null, provesOrigin: !/^(?:RSA|ECDH)/.test(alg) });
    expect(await opened(text, storeOf('keys', [own]))).toBe('content');
    const { plaintext, protectedHeader } = await compactDecrypt(text, own.key);
    expect(Buffer.from(plaintext).toString()).toBe('content');
    expect(protectedHeader.cty).toBe('JWT');
  });

  it('decrypts tokens for X25519', async () => {
    const { own, other } = newKey('X25519');
    expect(await opened(await encrypt('x', {}, other, 'ECDH-ES', 'A128GCM'), storeOf('keys', [own]))).toBe('x');
  });

  it('opens nothing that was changed, in any part', async () => {
    const text = await encrypt('content', {}, aes.other, 'A256KW', 'A128CBC-HS256');
    const provider = storeOf('keys', [aes.own]);
    expect(await opened(text, provider)).toBe('content');
    for (let part = 1; part < 5; part++) {
      const parts = text.split('.');
      const bytes = Buffer.from(parts[part]!, 'base64url');
      bytes[0]! ^= 1;
      parts[part] = bytes.toString('base64url');
      expect(await opened(parts.join('.'), provider), `part ${part}`).toBeNull();
    }
    const renamed = text.replace(/^[^.]+/, tokenPart({ alg: 'A256KW', enc: 'A128CBC-HS256', kid: 'aes' }));
    expect(await opened(renamed, provider)).toBeNull();
  });

  it('selects keys by kid as verification does', async () => {
    const first = secretHalves(randomBytes(32), 'first');
    const second = secretHalves(randomBytes(32), 'second');
    const provider = storeOf('keys', [first.own, second.own]);
    const made = (header: Readonly<Record<string, unknown>>) => encrypt('x', header, second.other, 'dir', 'A256GCM');
    expect(await opened(await made({ kid: 'second' }), provider)).toBe('x');
    expect(await opened(await made({ kid: 'first' }), provider)).toBeNull();
    expect(await opened(await made({ kid: 'third' }), provider)).toBe('x');
    expect(await opened(await made({}), provider)).toBe('x');
  });

  it('uses keys only for their allowed usage', async () => {
    const text = await encrypt('x', { kid: 'rsa' }, rsa.other, 'RSA-OAEP-256', 'A256GCM');
    const as = (changes: object): SecretsProvider => storeOf('keys', [{ ...rsa.own, ...changes }]);
    expect(await opened(text, as({ usages: new Set(['decrypt']) }))).toBe('x');
    expect(await opened(text, as({ usages: new Set(['unwrapKey']) }))).toBe('x');
    expect(await opened(text, as({ algorithm: 'RSA-OAEP-256' }))).toBe('x');
    expect(await opened(text, as({ algorithm: 'RSA-OAEP' }))).toBeNull();
    expect(await opened(text, as({ algorithm: 'RS256' }))).toBeNull();
    await expect(opened(text, as({ usages: new Set(['sign']) }))).rejects.toThrow(NoSuchSecret);
    await expect(opened(text, storeOf('keys', [rsa.other]))).rejects.toThrow(NoSuchSecret);
    const direct = await encrypt('x', {}, aes.other, 'dir', 'A256GCM');
    const secret = (algorithm: string): SecretsProvider => storeOf('keys', [{ ...aes.own, algorithm }]);
    expect(await opened(direct, secret('A256GCM'))).toBe('x');
    expect(await opened(direct, secret('dir'))).toBe('x');
    expect(await opened(direct, secret('A256KW'))).toBeNull();
    expect(await opened(direct, secret('HS256'))).toBeNull();
  });

  it('fails when the keys cannot be read', async () => {
    const unreadable = new UnreadableSecret('keys', 'store', 'gone');
    const broken = { ...secretsInOrder([storeOf('keys', [])]), keys: () => Promise.reject(unreadable) };
    await expect(opened(await encrypt('x', {}, aes.other, 'dir', 'A256GCM'), broken)).rejects.toBe(unreadable);
    const store = secretsInOrder([storeOf('keys', [aes.own])]);
    const half: SecretsProvider = {
      ...store,
      keys: (usage, id) => (usage === 'unwrapKey' ? Promise.reject(unreadable) : store.keys(usage, id)),
    };
    await expect(opened(await encrypt('x', {}, aes.other, 'A256KW', 'A256GCM'), half)).rejects.toBe(unreadable);
  });

  it('opens a bounded number at a time', async () => {
    const text = await encrypt('x', {}, aes.other, 'dir', 'A256GCM');
    const provider = storeOf('keys', [aes.own]);
    const outcomes = await Promise.all(Array.from({ length: 400 }, () => opened(text, provider).catch((e) => e)));
    expect(outcomes.filter((outcome) => outcome === 'x').length).toBeGreaterThanOrEqual(256);
    expect(outcomes.filter((outcome) => outcome instanceof VerificationBusy).length).toBeGreaterThan(0);
    expect(await opened(text, provider)).toBe('x');
  });

  it('does not block the thread pool of files and DNS', async () => {
    const text = await encrypt('x', {}, rsa.other, 'RSA-OAEP', 'A256GCM');
    const provider = storeOf('keys', [rsa.own]);
    let done = 0;
    const flood = Array.from({ length: 200 }, () => opened(text, provider).finally(() => done++));
    await Promise.race(flood);
    await stat('.');
    expect(done).toBeLessThan(100);
    await Promise.all(flood);
  });

  it('refuses to encrypt with a key that does not allow it', async () => {
    await expect(encrypt('x', {}, ec.other, 'RSA-OAEP', 'A256GCM')).rejects.toThrow(
      "the key 'ec' cannot encrypt with RSA-OAEP and A256GCM",
    );
    await expect(encrypt('x', {}, rsa.other, 'RSA1_5', 'A256GCM')).rejects.toThrow('cannot encrypt');
    await expect(encrypt('x', {}, aes.other, 'dir', 'A128GCM')).rejects.toThrow('cannot encrypt');
    await expect(
      encrypt('x', {}, { ...rsa.other, usages: new Set(['verify']) }, 'RSA-OAEP', 'A256GCM'),
    ).rejects.toThrow('cannot encrypt');
  });
});

describe('readJwe', () => {
  const header = { alg: 'dir', enc: 'A256GCM' };
  const [iv, content, tag] = [Buffer.alloc(12), 'content', Buffer.alloc(16)].map(tokenPart);
  const withHeader = (value: unknown): string => `${tokenPart(value)}..${iv}.${content}.${tag}`;

  it('reads the algorithm and the kid of a token', () => {
    expect(readJwe(withHeader({ ...header, kid: 'k', typ: 'JWT' }))).toMatchObject({ alg: 'dir', kid: 'k' });
  });

  it.each<[string, unknown]>([
    ['compression', { ...header, zip: 'DEF' }],
    ['compression of no kind', { ...header, zip: null }],
    ['crit', { ...header, crit: ['exp'] }],
    ['RSA1_5', { ...header, alg: 'RSA1_5' }],
    ['PBES2', { alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 2 ** 31, p2s: 'AAAA' }],
    ['an alg of signatures', { ...header, alg: 'HS256' }],
    ['alg none', { ...header, alg: 'none' }],
    ['an unknown enc', { ...header, enc: 'A512GCM' }],
    ['enc as a list', { ...header, enc: ['A256GCM'] }],
    ['no enc', { alg: 'dir' }],
    ['no alg', { enc: 'A256GCM' }],
    ['an algorithm that needs an encrypted key', { ...header, alg: 'A256KW' }],
    ['an enc with another length of iv', { ...header, enc: 'A128CBC-HS256' }],
    ['alg twice', '{"alg":"dir","alg":"dir","enc":"A256GCM"}'],
    ['kid as a number', { ...header, kid: 1 }],
    ['an array', []],
  ])('refuses a header that is or has %s', (_, value) => {
    expect(readJwe(withHeader(value))).toBeNull();
  });

  it.each([
    ['an encrypted key with dir', `${tokenPart(header)}.AAAA.${iv}.${content}.${tag}`],
    ['a short iv', `${tokenPart(header)}..AAAA.${content}.${tag}`],
    ['no iv', `${tokenPart(header)}...${content}.${tag}`],
    ['a short tag', `${tokenPart(header)}..${iv}.${content}.AAAA`],
    ['four parts', `${tokenPart(header)}..${iv}.${content}`],
    ['six parts', `${withHeader(header)}.AAAA`],
    ['padding', `${withHeader(header)}==`],
    ['bits that are left over', `${tokenPart(header)}..${iv}.AB.${tag}`],
    ['base64', `${tokenPart(header)}..${iv}.++++.${tag}`],
    ['too many characters', `${tokenPart(header)}..${iv}.${'A'.repeat(65_536)}.${tag}`],
  ])('refuses %s', (_, text) => {
    expect(readJwe(text)).toBeNull();
  });

  it('rejects compressed tokens', async () => {
    const encrypted = new CompactEncrypt(Buffer.alloc(1000)).setProtectedHeader({ ...header, zip: 'DEF' });
    expect(readJwe(await encrypted.encrypt(aes.other.key))).toBeNull();
  });
});
