import type { KeyObject } from 'node:crypto';
import type { KeyUsage } from '../heap/objects/secrets.ts';

/** How an algorithm of RFC 7518, section 4, hands over the key that the content is encrypted with. */
export interface KeyManagement {
  /** What the key may be asked for to read a token, the first that one may do. */
  readonly readUsages: readonly ('decrypt' | 'unwrapKey' | 'agreeKey')[];
  /** What the key may be asked for to write one; one of them is enough. */
  readonly writeUsages: readonly KeyUsage[];
  /** Whether only who has the key can have made the token. With a public key anybody can. */
  readonly isShared: boolean;
  /** Whether a token has a part for the encrypted key. */
  readonly hasEncryptedKey: boolean;
  /** Whether a key can do it, by its type, curve and size; `enc` is what the content is encrypted with. */
  fits(key: KeyObject, enc: ContentEncryption): boolean;
}

/** How content is encrypted; RFC 7518, section 5. Lengths are bytes. */
export interface ContentEncryption {
  readonly keyLength: number;
  readonly ivLength: number;
  readonly tagLength: number;
}

const LEAST_RSA_BITS = 2048;
const AGREEING_CURVES: ReadonlySet<string | undefined> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

const CONTENT: ReadonlyMap<string, ContentEncryption> = new Map([
  ['A128CBC-HS256', { keyLength: 32, ivLength: 16, tagLength: 16 }],
  ['A192CBC-HS384', { keyLength: 48, ivLength: 16, tagLength: 24 }],
  ['A256CBC-HS512', { keyLength: 64, ivLength: 16, tagLength: 32 }],
  ['A128GCM', { keyLength: 16, ivLength: 12, tagLength: 16 }],
  ['A192GCM', { keyLength: 24, ivLength: 12, tagLength: 16 }],
  ['A256GCM', { keyLength: 32, ivLength: 12, tagLength: 16 }],
]);

const RSA: KeyManagement = {
  readUsages: ['decrypt', 'unwrapKey'],
  writeUsages: ['encrypt', 'wrapKey'],
  isShared: false,
  hasEncryptedKey: true,
  fits: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS,
};

const AGREEMENT: KeyManagement = {
  readUsages: ['agreeKey'],
  writeUsages: ['agreeKey'],
  isShared: false,
  hasEncryptedKey: true,
  fits: ({ asymmetricKeyType, asymmetricKeyDetails }) =>
    asymmetricKeyType === 'x25519' ||
    (asymmetricKeyType === 'ec' && AGREEING_CURVES.has(asymmetricKeyDetails?.namedCurve)),
};

const DIRECT: KeyManagement = {
  readUsages: ['decrypt'],
  writeUsages: ['encrypt'],
  isShared: true,
  hasEncryptedKey: false,
  fits: ({ type, symmetricKeySize }, { keyLength }) => type === 'secret' && symmetricKeySize === keyLength,
};

/** RSA1_5 is not here for what it tells attackers, PBES2 for the work that a token could ask for. */
const KEY_MANAGEMENT: ReadonlyMap<string, KeyManagement> = new Map([
  ...['RSA-OAEP', 'RSA-OAEP-256', 'RSA-OAEP-384', 'RSA-OAEP-512'].map((name): [string, KeyManagement] => [name, RSA]),
  ['ECDH-ES', { ...AGREEMENT, hasEncryptedKey: false }],
  ...[128, 192, 256].flatMap((bits): [string, KeyManagement][] => [
    [`ECDH-ES+A${bits}KW`, AGREEMENT],
    [`A${bits}KW`, wrapping(bits)],
    [`A${bits}GCMKW`, wrapping(bits)],
  ]),
  ['dir', DIRECT],
]);

/** Supported `alg` values of encrypted tokens. */
export const keyManagementAlgorithms: readonly string[] = [...KEY_MANAGEMENT.keys()];

/** Supported `enc` values of encrypted tokens. */
export const contentEncryptionAlgorithms: readonly string[] = [...CONTENT.keys()];

/** Returns the algorithm for `alg` of an encrypted token; undefined if it is not supported. */
export function keyManagement(alg: string): KeyManagement | undefined {
  return KEY_MANAGEMENT.get(alg);
}

/** Returns the algorithm for `enc` of an encrypted token; undefined if it is not supported. */
export function contentEncryption(enc: string): ContentEncryption | undefined {
  return CONTENT.get(enc);
}

function wrapping(bits: number): KeyManagement {
  return {
    readUsages: ['unwrapKey', 'decrypt'],
    writeUsages: ['wrapKey', 'encrypt'],
    isShared: true,
    hasEncryptedKey: true,
    fits: ({ type, symmetricKeySize }) => type === 'secret' && symmetricKeySize === bits / 8,
  };
}
