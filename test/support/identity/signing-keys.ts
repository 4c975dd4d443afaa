import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { CryptoKey, KeyUsage, SecretStore } from '../../../dataplane/heap/objects/secrets.ts';
import { usagesOf } from '../../../dataplane/secrets/key-usages.ts';
import { LeasedStore } from '../../../dataplane/secrets/leased-store.ts';

const EVERYTHING: readonly KeyUsage[] = ['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];

/** A key as stores give them, for everything that its type can do unless said otherwise. */
export function cryptoKey(key: KeyObject, changes: Partial<CryptoKey> = {}): CryptoKey {
  const usages = key.type === 'secret' ? new Set(EVERYTHING) : usagesOf(key);
  return { kind: 'key', stableId: 'one', key, certificates: [], usages, algorithm: null, revocations: [], ...changes };
}

export interface KeyHalves {
  /** Signs, decrypts. */
  readonly own: CryptoKey;
  /** Verifies, encrypts. */
  readonly other: CryptoKey;
}

/** A new key that an algorithm can be used with; both halves are the same for a secret key. */
export function newKey(alg: string, stableId = 'one'): KeyHalves {
  if (/^HS/.test(alg)) return secretHalves(randomBytes(Number(alg.slice(2)) / 8), stableId);
  const { privateKey, publicKey } = newPair(alg);
  return { own: cryptoKey(privateKey, { stableId }), other: cryptoKey(publicKey, { stableId }) };
}

/** A secret key of these bytes, which both sides have. */
export function secretHalves(bytes: Buffer, stableId = 'one'): KeyHalves {
  const key = cryptoKey(createSecretKey(bytes), { stableId });
  return { own: key, other: key };
}

function newPair(alg: string): { privateKey: KeyObject; publicKey: KeyObject } {
  switch (alg) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ES256K':
      return generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    case 'ES384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'ES512':
      return generateKeyPairSync('ec', { namedCurve: 'P-521' });
    case 'EdDSA':
    case 'Ed25519':
      return generateKeyPairSync('ed25519');
    case 'Ed448':
      return generateKeyPairSync('ed448');
    case 'X25519':
      return generateKeyPairSync('x25519');
    case 'ML-DSA-44':
      return generateKeyPairSync('ml-dsa-44');
    case 'ML-DSA-65':
      return generateKeyPairSync('ml-dsa-65');
    case 'ML-DSA-87':
      return generateKeyPairSync('ml-dsa-87');
    default:
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

/** A store that has these keys under one id. */
export function storeOf(id: string, keys: readonly CryptoKey[]): SecretStore {
  const source = { read: async (asked: string) => (asked === id ? keys : []) };
  const log = pino({ level: 'silent' });
  return new LeasedStore({ name: 'keys', source, lease: Number.POSITIVE_INFINITY, log });
}
