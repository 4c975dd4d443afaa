/** How an algorithm of RFC 7518, 8037, 8812, 9864 or 9964 signs. */
export interface SignatureAlgorithm {
  readonly method: 'hmac' | 'pkcs1' | 'pss' | 'ecdsa' | 'pure';
  /** Null where the method has its own. */
  readonly digest: string | null;
  /** Bytes of the digest; 0 where the method has its own. */
  readonly digestLength: number;
  /** What `KeyObject.asymmetricKeyType` may be; none for a secret key. */
  readonly keyTypes: readonly string[];
  /** The curve of the key as OpenSSL calls it, or null. */
  readonly curve: string | null;
  /** Bytes of a signature, or 0 when the key decides. */
  readonly signatureLength: number;
}

const HASHES = [256, 384, 512];

const BY_NAME: ReadonlyMap<string, SignatureAlgorithm> = new Map<string, SignatureAlgorithm>([
  ...HASHES.map((bits) => [`HS${bits}`, { ...hashed('hmac', bits, []), signatureLength: bits / 8 }] as const),
  ...HASHES.map((bits) => [`RS${bits}`, hashed('pkcs1', bits, ['rsa'])] as const),
  ...HASHES.map((bits) => [`PS${bits}`, hashed('pss', bits, ['rsa', 'rsa-pss'])] as const),
  ['ES256', onCurve(256, 'prime256v1', 64)],
  ['ES256K', onCurve(256, 'secp256k1', 64)],
  ['ES384', onCurve(384, 'secp384r1', 96)],
  ['ES512', onCurve(512, 'secp521r1', 132)],
  ['EdDSA', pure('ed25519', 'ed448')],
  ['Ed25519', pure('ed25519')],
  ['Ed448', pure('ed448')],
  ['ML-DSA-44', pure('ml-dsa-44')],
  ['ML-DSA-65', pure('ml-dsa-65')],
  ['ML-DSA-87', pure('ml-dsa-87')],
]);

/** Supported `alg` values of signed tokens. `none` is not among them. */
export const signatureAlgorithms: readonly string[] = [...BY_NAME.keys()];

/** How a name in exactly this spelling signs; undefined for every other name. */
export function signatureAlgorithm(name: string): SignatureAlgorithm | undefined {
  return BY_NAME.get(name);
}

/** Names of the same thing, for keys that say what they are for. ES521 is what some call ES512, after its curve. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['Ed25519', 'EdDSA'],
  ['Ed448', 'EdDSA'],
  ['ES521', 'ES512'],
]);

/** Whether a key that is for the one may be used with the other, if its type allows both. */
export function isSameAlgorithm(name: string, other: string): boolean {
  return name === other || (SAME.get(name) ?? name) === (SAME.get(other) ?? other);
}

function hashed(method: SignatureAlgorithm['method'], bits: number, keyTypes: readonly string[]): SignatureAlgorithm {
  return { method, digest: `sha${bits}`, digestLength: bits / 8, keyTypes, curve: null, signatureLength: 0 };
}

function onCurve(bits: number, curve: string, signatureLength: number): SignatureAlgorithm {
  return { ...hashed('ecdsa', bits, ['ec']), curve, signatureLength };
}

function pure(...keyTypes: readonly string[]): SignatureAlgorithm {
  return { method: 'pure', digest: null, digestLength: 0, keyTypes, curve: null, signatureLength: 0 };
}
