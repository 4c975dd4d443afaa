import { createPublicKey, createSecretKey, type webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CryptoKey, KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import { readJws } from '../../../dataplane/jose/compact-jws.ts';
import { verifies } from '../../../dataplane/jose/signature.ts';
import { cryptoKey } from '../../support/identity/signing-keys.ts';

interface Jwk extends webcrypto.JsonWebKey {
  alg?: string;
  use?: string;
  key_ops?: KeyUsage[];
}

interface Group {
  readonly comment: string;
  readonly private: Jwk;
  readonly public?: Jwk;
  readonly tests: readonly { tcId: number; comment: string; jws: string; result: 'valid' | 'invalid' }[];
}

const groups = readFileSync(new URL('../../vectors/wycheproof-signatures.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Group);

/** Of the same text as the valid row 357, beside what they are called. */
const VALID_ALL_THE_SAME = new Set([367, 370]);
/** PS384 with a key that says it is for PS256 (346, 350), and a `?` in what should be base64url (372, 373). */
const INVALID_ALL_THE_SAME = new Set([346, 350, 372, 373]);

const rows = groups.flatMap((group) =>
  group.tests.map(({ tcId, comment, jws, result }) => {
    const isValid = VALID_ALL_THE_SAME.has(tcId) || (result === 'valid' && !INVALID_ALL_THE_SAME.has(tcId));
    return { tcId, comment: `${group.comment}: ${comment}`, jws, isValid, key: keyOf(group.public ?? group.private) };
  }),
);

function keyOf(jwk: Jwk): CryptoKey {
  const { alg = null, use, key_ops: operations } = jwk;
  const key =
    jwk.kty === 'oct' ? createSecretKey(jwk.k ?? '', 'base64url') : createPublicKey({ key: jwk, format: 'jwk' });
  const usages = new Set<KeyUsage>(operations ?? (use === 'enc' ? ['encrypt'] : ['verify']));
  return cryptoKey(key, { algorithm: alg, usages });
}

describe('the signatures of Wycheproof', () => {
  it('are all here', () => {
    expect(rows.filter(({ isValid }) => isValid)).toHaveLength(44);
    expect(rows.filter(({ isValid }) => !isValid)).toHaveLength(357);
  });

  it.each(rows)('$tcId $comment', ({ jws: text, isValid, key }) => {
    const jws = readJws(text);
    expect(jws !== null && verifies(jws, key)).toBe(isValid);
  });
});
