import { constants, createHmac, type KeyObject, sign as signBytes, timingSafeEqual, verify } from 'node:crypto';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import type { CompactJws } from './compact-jws.ts';
import {
  isSameAlgorithm,
  type SignatureAlgorithm,
  signatureAlgorithm,
  signatureAlgorithms,
} from './signature-algorithm.ts';

/** RFC 7518, sections 3.3 and 3.5. */
const LEAST_RSA_BITS = 2048;

/** The algorithms that a key can do by its type, curve and size. */
const fitting = new WeakMap<KeyObject, ReadonlySet<string>>();

/**
 * Whether a key may verify signatures of an algorithm. What the token says never decides alone: the type, curve and size
 * of the key must fit, so that no public key is taken for a secret, and so must what the key says it is for.
 */
export function mayVerify(alg: string, { key, usages, algorithm }: CryptoKey): boolean {
  return key.type !== 'private' && usages.has('verify') && isFor(alg, key, algorithm);
}

/** Whether a key may sign with an algorithm. */
export function maySign(alg: string, { key, usages, algorithm }: CryptoKey): boolean {
  return key.type !== 'public' && usages.has('sign') && isFor(alg, key, algorithm);
}

/** Whether the signature of a token was made with the other half of this key, or with this secret. */
export function verifies(jws: CompactJws, key: CryptoKey): boolean {
  const algorithm = signatureAlgorithm(jws.alg);
  if (algorithm === undefined || !mayVerify(jws.alg, key)) return false;
  const { signingInput, signature } = jws;
  if (algorithm.signatureLength !== 0 && signature.length !== algorithm.signatureLength) return false;
  if (algorithm.method === 'hmac') return timingSafeEqual(hmac(algorithm, signingInput, key.key), signature);
  try {
    return verify(algorithm.digest, signingInput, keyInput(algorithm, key.key), signature);
  } catch {
    return false; // such as an RSA-PSS key that is for another digest
  }
}

/**
 * A token in compact serialisation, signed. `alg` is put into the header.
 * @throws an error when the key may not sign with the algorithm.
 */
export function sign(
  header: Readonly<Record<string, unknown>>,
  payload: string | Uint8Array,
  key: CryptoKey,
  alg: string,
): string {
  const algorithm = signatureAlgorithm(alg);
  if (algorithm === undefined) throw new Error(`${alg} is not a signature algorithm for tokens`);
  if (!maySign(alg, key)) {
    const others = signatureAlgorithms.filter((name) => maySign(name, key));
    const hint = others.length === 0 ? '' : `, but with ${others.join(', ')}`;
    throw new Error(`the key '${key.stableId}' cannot sign with ${alg}${hint}`);
  }
  const encodedHeader = Buffer.from(JSON.stringify({ ...header, alg })).toString('base64url');
  const signingInput = `${encodedHeader}.${Buffer.from(payload).toString('base64url')}`;
  return `${signingInput}.${signature(algorithm, Buffer.from(signingInput, 'latin1'), key.key).toString('base64url')}`;
}

function signature(algorithm: SignatureAlgorithm, data: Buffer, key: KeyObject): Buffer {
  if (algorithm.method === 'hmac') return hmac(algorithm, data, key);
  return signBytes(algorithm.digest, data, keyInput(algorithm, key));
}

function hmac({ digest }: SignatureAlgorithm, data: Buffer, key: KeyObject): Buffer {
  return createHmac(digest ?? '', key)
    .update(data)
    .digest();
}

type KeyInput = Parameters<typeof verify>[2] & Parameters<typeof signBytes>[2];

function keyInput({ method, digestLength }: SignatureAlgorithm, key: KeyObject): KeyInput {
  if (method === 'pss') return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: digestLength };
  return method === 'ecdsa' ? { key, dsaEncoding: 'ieee-p1363' } : key;
}

function isFor(alg: string, key: KeyObject, algorithm: string | null): boolean {
  if (algorithm !== null && !isSameAlgorithm(algorithm, alg)) return false;
  let names = fitting.get(key);
  if (names === undefined) {
    names = new Set(signatureAlgorithms.filter((name) => fits(signatureAlgorithm(name)!, key)));
    fitting.set(key, names);
  }
  return names.has(alg);
}

function fits({ method, digestLength, keyTypes, curve }: SignatureAlgorithm, key: KeyObject): boolean {
  if (key.type === 'secret') return method === 'hmac' && (key.symmetricKeySize ?? 0) >= digestLength;
  if (!keyTypes.includes(key.asymmetricKeyType ?? '')) return false;
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (method === 'pkcs1' || method === 'pss') return modulusLength >= LEAST_RSA_BITS && publicExponent > 1n;
  return curve === null || namedCurve === curve;
}
