import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  type webcrypto,
  X509Certificate,
} from 'node:crypto';
import type { CryptoKey, KeyUsage } from '../heap/objects/secrets.ts';
import { usagesOf } from '../secrets/key-usages.ts';
import { decodeBase64url } from './base64url.ts';
import { isAlgorithmOf, jwkTerms } from './jwk-usages.ts';
import { isObject } from './strict-json.ts';

type Members = Readonly<Record<string, unknown>>;

/** Which members a type of key has: public ones, then those that only a private key has. */
interface KeyType {
  readonly open: readonly string[];
  readonly hidden: readonly string[];
  /** Members among them that are no numbers or bytes in base64url, but say which variant of the type it is. */
  readonly named: readonly string[];
}

const TYPES: ReadonlyMap<unknown, KeyType> = new Map<unknown, KeyType>([
  ['RSA', { open: ['n', 'e'], hidden: ['d', 'p', 'q', 'dp', 'dq', 'qi'], named: [] }],
  ['EC', { open: ['crv', 'x', 'y'], hidden: ['d'], named: ['crv'] }],
  ['OKP', { open: ['crv', 'x'], hidden: ['d'], named: ['crv'] }],
  ['AKP', { open: ['alg', 'pub'], hidden: ['priv'], named: ['alg'] }],
]);

const LEAST_RSA_BITS = 2048;
const MOST_RSA_BITS = 16_384;
/** A greater one makes every verification expensive, and nobody has one. */
const GREATEST_EXPONENT = 2n ** 32n;
const MOST_CERTIFICATES = 10;

const SECRET_USAGES: readonly KeyUsage[] = ['sign', 'verify', 'encrypt', 'decrypt', 'wrapKey', 'unwrapKey'];

/**
 * The keys of a JWK (RFC 7517): a private key and its public half, or the one key that it is. They may be used as `use`,
 * `key_ops` and `alg` allow. The stable id is the `kid`, or else the fallback, or else the thumbprint (RFC 7638).
 * Nothing that it refers to is fetched. @throws an error that says what is wrong, with nothing of the value.
 */
export function cryptoKeyOf(jwk: unknown, fallbackStableId?: string): { readonly keys: readonly CryptoKey[] } {
  if (!isObject(jwk)) throw new Error('it is not a JSON object');
  const kid = jwk['kid'];
  if (kid !== undefined && (typeof kid !== 'string' || kid === '')) throw new Error("its 'kid' is not a text");
  const own = keyObjectOf(jwk);
  const other = own.type === 'private' ? createPublicKey(own) : null;
  if (own.asymmetricKeyType === 'rsa') checkRsa(own);
  if (own.asymmetricKeyType === 'rsa' && other !== null) checkRsaMembers(jwk);
  const stableId = kid ?? fallbackStableId ?? thumbprintOf(own);
  const terms = jwkTerms(jwk, own);
  const certificates = certificatesOf(jwk, other ?? own);
  const halves = [
    { key: own, half: 'own' as const },
    ...(other === null ? [] : [{ key: other, half: 'other' as const }]),
  ];
  const keys = halves.flatMap(({ key, half }): CryptoKey[] => {
    const usages = new Set([...typeUsages(key)].filter((usage) => terms.allows(usage, half)));
    if (usages.size === 0) return [];
    return [{ kind: 'key', stableId, key, certificates, usages, algorithm: terms.algorithm, revocations: [] }];
  });
  if (keys.length === 0) throw new Error("its 'use', 'key_ops' and 'alg' leave no allowed usage");
  return { keys };
}

/** The thumbprint of a key that is no secret one (RFC 7638), with SHA-256; that of a private key is its public half's. */
export function thumbprintOf(key: KeyObject): string {
  if (key.type === 'secret') throw new Error("it is a symmetric key and has no 'kid'"); // its hash would help to guess it
  const exported: Members = { ...exportedJwk(publicHalf(key)) };
  const names = ['kty', ...(TYPES.get(exported['kty'])?.open ?? [])].sort();
  const canonical = JSON.stringify(Object.fromEntries(names.map((name) => [name, exported[name]])));
  return createHash('sha256').update(canonical).digest('base64url');
}

/** The JWK of a key that everybody may see: of a private key, its public half. @throws for a symmetric key. */
export function publicJwkOf(key: CryptoKey): Record<string, unknown> {
  if (key.key.type === 'secret') throw new Error('a symmetric key has no public half');
  return described(key, publicHalf(key.key));
}

/** The JWK of a key with all of it, for a private or a symmetric key too: whoever takes it answers for where it goes. */
export function privateJwkOf(key: CryptoKey): Record<string, unknown> {
  return described(key, key.key);
}

function described({ stableId, usages, algorithm, certificates }: CryptoKey, key: KeyObject): Record<string, unknown> {
  const { kty, ...members } = exportedJwk(key);
  const use = useOf(usages);
  const x5c = certificates.map(({ raw }) => raw.toString('base64'));
  return {
    kty,
    kid: stableId,
    ...(use === null ? {} : { use }),
    ...(algorithm !== null && isAlgorithmOf(algorithm, key) ? { alg: algorithm } : {}),
    ...members,
    ...(x5c.length === 0 ? {} : { x5c }),
  };
}

function useOf(usages: ReadonlySet<KeyUsage>): 'sig' | 'enc' | null {
  const signs = [...usages].filter((usage) => usage === 'sign' || usage === 'verify').length;
  if (signs === usages.size) return 'sig';
  return signs === 0 ? 'enc' : null;
}

function keyObjectOf(jwk: Members): KeyObject {
  const kty = jwk['kty'];
  if (kty === 'oct') return createSecretKey(bytesOf(jwk, 'k'));
  const type = TYPES.get(kty);
  if (type === undefined) throw new Error("its 'kty' is not supported");
  if ('oth' in jwk) throw new Error('it has more than two primes');
  const isPrivate = type.hidden.some((name) => name in jwk);
  const names = isPrivate ? [...type.open, ...type.hidden] : type.open;
  const members = Object.fromEntries(names.map((name) => [name, memberOf(jwk, name, type)]));
  const given = { key: { ...members, kty } as webcrypto.JsonWebKey, format: 'jwk' as const };
  try {
    return isPrivate ? createPrivateKey(given) : createPublicKey(given);
  } catch {
    throw new Error('its members do not form a key of its type: one of them is damaged, or the curve is not supported');
  }
}

function memberOf(jwk: Members, name: string, { named }: KeyType): string {
  const value = jwk[name];
  if (!named.includes(name)) return bytesOf(jwk, name).toString('base64url');
  if (typeof value !== 'string') throw new Error(`its '${name}' is missing or not a text`);
  return value;
}

function bytesOf(jwk: Members, name: string): Buffer {
  const value = jwk[name];
  if (typeof value !== 'string' || value === '') throw new Error(`its '${name}' is missing or not a text`);
  const bytes = decodeBase64url(value);
  if (bytes === null) throw new Error(`its '${name}' is not base64url`);
  return bytes;
}

function checkRsa({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): void {
  if (modulusLength < LEAST_RSA_BITS) throw new Error(`it is an RSA key of fewer than ${LEAST_RSA_BITS} bits`);
  if (modulusLength > MOST_RSA_BITS) throw new Error(`it is an RSA key of more than ${MOST_RSA_BITS} bits`);
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent > GREATEST_EXPONENT) {
    throw new Error("its 'e' is not a safe exponent");
  }
}

/** OpenSSL looks at some of the numbers of a private RSA key; one that is wrong can give the key away when it signs. */
function checkRsaMembers(jwk: Members): void {
  const [n, e, d, p, q, dp, dq, qi] = ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'].map((name) =>
    BigInt(`0x${bytesOf(jwk, name).toString('hex')}`),
  ) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];
  const isSound =
    p > 1n &&
    q > 1n &&
    p * q === n &&
    (d * e) % (p - 1n) === 1n &&
    (d * e) % (q - 1n) === 1n &&
    d % (p - 1n) === dp &&
    d % (q - 1n) === dq &&
    (qi * q) % p === 1n;
  if (!isSound) throw new Error('its members do not form a key of its type: they contradict each other');
}

function typeUsages(key: KeyObject): Iterable<KeyUsage> {
  if (key.type === 'secret') return SECRET_USAGES;
  const usages = usagesOf(key);
  const isOnlyForSignatures = key.asymmetricKeyDetails?.namedCurve === 'secp256k1'; // RFC 8812
  return isOnlyForSignatures ? [...usages].filter((usage) => usage !== 'agreeKey') : usages;
}

/**
 * The certificates of `x5c`, the first of which has to be that of the key. Their prints (`x5t`) are not looked at: they
 * prove nothing more, and some authorization servers write them wrongly.
 */
function certificatesOf(jwk: Members, key: KeyObject): readonly X509Certificate[] {
  const x5c = jwk['x5c'];
  if (x5c === undefined) return [];
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > MOST_CERTIFICATES) {
    throw new Error(`its 'x5c' is not an array of one to ${MOST_CERTIFICATES} certificates`);
  }
  const certificates = x5c.map(certificateOf);
  const [first] = certificates;
  if (first === undefined || !isOfKey(first, key)) throw new Error("its 'x5c' is the certificate of another key");
  return certificates;
}

function certificateOf(encoded: unknown): X509Certificate {
  const bytes = typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : Buffer.alloc(0);
  if (bytes.length === 0 || bytes.toString('base64') !== encoded) throw new Error("its 'x5c' is not base64");
  const certificate = readable(bytes);
  if (certificate?.raw.equals(bytes) !== true) throw new Error("its 'x5c' contains an item that is not a certificate");
  return certificate;
}

function readable(bytes: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(bytes);
  } catch {
    return null;
  }
}

/** A certificate with a key of an unknown algorithm throws when it is asked for it. */
function isOfKey(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.publicKey.equals(key);
  } catch {
    return false;
  }
}

function publicHalf(key: KeyObject): KeyObject {
  return key.type === 'private' ? createPublicKey(key) : key;
}

function exportedJwk(key: KeyObject): webcrypto.JsonWebKey {
  try {
    return key.export({ format: 'jwk' });
  } catch {
    throw new Error(`a key of the type ${key.asymmetricKeyType ?? key.type} cannot be written as a JWK`);
  }
}
