import { hash } from 'node:crypto';
import { Uri } from '../engine/message/uri.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { type Claims, readClaims, timeClaim, timeFault } from '../jose/claims.ts';
import { readJws } from '../jose/compact-jws.ts';
import { cryptoKeyOf, thumbprintOf } from '../jose/jwk.ts';
import { verifies } from '../jose/signature.ts';
import { signatureAlgorithms } from '../jose/signature-algorithm.ts';

/** Algorithms of proofs: all asymmetric ones, whose public key can be published. */
export const proofAlgorithms: readonly string[] = signatureAlgorithms.filter((name) => !name.startsWith('HS'));

/** A request that a proof has to be for. */
export interface ProvenRequest {
  readonly method: string;
  /** As the client sent it. */
  readonly uri: Uri;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly thumbprint: string;
}

/** Text of `judgeProof` for a proof that is sound and made by another client than the token's. */
export const OTHER_KEY = 'the DPoP proof is signed with another key than the one the token is bound to';

/** How old proofs may be; all are milliseconds. */
export interface ProofTimes {
  readonly now: number;
  readonly maxAge: number;
  readonly skew: number;
}

/** A proof that is good if nobody has used it before. */
export interface DpopProof {
  /** No two proofs have the same. */
  readonly id: string;
  /** When it is too old to be used, in milliseconds since 1970. */
  readonly usableUntil: number;
  /** Its claim `nonce`, not yet judged. */
  readonly nonce: unknown;
}

/** The claims of a proof, not yet judged. */
interface ProofClaims extends Claims {
  readonly jti?: unknown;
  readonly htm?: unknown;
  readonly htu?: unknown;
  readonly ath?: unknown;
  readonly nonce?: unknown;
}

/** Judges a DPoP proof (RFC 9449, section 4.3) by all but its use before. A text says what is wrong with it. */
export function judgeProof(text: string, request: ProvenRequest, times: ProofTimes): DpopProof | string {
  const jws = readJws(text);
  if (jws === null) return 'the DPoP proof is not a signed JWT';
  if (jws.header['typ'] !== 'dpop+jwt') return 'the DPoP proof has another type';
  if (!proofAlgorithms.includes(jws.alg)) return 'the DPoP proof is signed with a shared secret';
  const claims = readClaims(jws.payload);
  if (claims === null) return 'the DPoP proof holds no claims';
  const { jti, htm, htu, ath, nonce }: ProofClaims = claims;
  if (typeof jti !== 'string' || jti === '') return 'the DPoP proof has no id';
  if (htm !== request.method) return 'the DPoP proof is for another method';
  if (!isPlace(htu, request.uri)) return 'the DPoP proof is for another URI';
  if (ath !== hash('sha256', request.token, 'base64url')) return 'the DPoP proof is for another token';
  const { now, maxAge, skew } = times;
  const issued = timeClaim(claims, 'iat');
  if (typeof issued !== 'number' || timeFault(claims, now, skew) !== null || now > issued + maxAge + skew) {
    return 'the DPoP proof has expired or is not valid yet';
  }
  const key = publicKeyOf(jws.header['jwk']);
  if (key === null) return 'the DPoP proof shows no public key';
  if (thumbprintOf(key.key) !== request.thumbprint) return OTHER_KEY;
  if (!verifies(jws, key)) return 'the signature of the DPoP proof is wrong';
  return { id: `${request.thumbprint} ${jti}`, usableUntil: issued + maxAge + skew, nonce };
}

/** Whether a text is this URI, whatever its query and its fragment. */
function isPlace(text: unknown, { scheme, host, port, rawPath }: Uri): boolean {
  if (typeof text !== 'string') return false;
  try {
    const place = Uri.parse(text);
    return (
      place.scheme === scheme &&
      place.host.toLowerCase() === host.toLowerCase() &&
      host !== '' &&
      place.port === port &&
      place.rawPath === rawPath
    );
  } catch {
    return false; // no URI that a request could be sent to
  }
}

function publicKeyOf(jwk: unknown): CryptoKey | null {
  try {
    const [key] = cryptoKeyOf(jwk).keys;
    return key?.key.type === 'public' ? key : null;
  } catch {
    return null;
  }
}
