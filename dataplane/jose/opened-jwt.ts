import type { SecretsProvider } from '../heap/objects/secrets.ts';
import { decodeBase64url } from './base64url.ts';
import { type Claims, readClaims } from './claims.ts';
import { decryptWithSecrets, readJwe } from './compact-jwe.ts';
import { LONGEST_TOKEN, readHeader, readJws } from './compact-jws.ts';
import { verifyWithSecrets } from './verification.ts';

/** A JWT may be signed and encrypted, in either order. */
const MOST_LAYERS = 2;

/** Keys that JWTs must be signed and encrypted with; null where none is required. */
export interface JwtSecrets {
  readonly provider: SecretsProvider | null;
  readonly verificationSecretId: string | null;
  readonly decryptionSecretId: string | null;
}

/** Content of a JWT. */
export interface OpenedJwt {
  /** The header of what holds the claims. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Claims;
}

interface Layer {
  readonly kind: 'signed' | 'encrypted' | 'unsecured';
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Buffer;
}

/**
 * What is in a JWT that is signed and encrypted as it must be, or a text that says why it is not. A signature is looked
 * at only where a key for it is named; then no layer may be without a good one, except for encryption. Rejects when that
 * cannot be said.
 */
export async function openJwt(text: string, secrets: JwtSecrets): Promise<OpenedJwt | string> {
  const seen = new Set<Layer['kind']>();
  for (let rest = text, layers = 0; layers < MOST_LAYERS; layers++) {
    const layer = await openLayer(rest, secrets);
    if (typeof layer === 'string') return layer;
    const { kind, header, payload } = layer;
    seen.add(kind);
    const claims = readClaims(payload);
    if (claims !== null) {
      if (secrets.verificationSecretId !== null && !seen.has('signed')) return 'the JWT is not signed';
      if (secrets.decryptionSecretId !== null && !seen.has('encrypted')) return 'the JWT is not encrypted';
      return { header, claims };
    }
    rest = payload.toString('latin1');
  }
  return 'the JWT holds no claims';
}

async function openLayer(text: string, secrets: JwtSecrets): Promise<Layer | string> {
  const { provider, verificationSecretId, decryptionSecretId } = secrets;
  const jws = readJws(text);
  if (jws !== null) {
    const isGood =
      verificationSecretId === null ||
      (provider !== null && (await verifyWithSecrets(jws, provider, verificationSecretId)));
    return isGood ? { kind: 'signed', header: jws.header, payload: jws.payload } : 'the signature is not valid';
  }
  const jwe = readJwe(text);
  if (jwe !== null) {
    if (decryptionSecretId === null || provider === null) return 'the JWT is encrypted';
    const payload = await decryptWithSecrets(jwe, provider, decryptionSecretId);
    return payload === null ? 'the JWT cannot be decrypted' : { kind: 'encrypted', header: jwe.header, payload };
  }
  const unsecured = readUnsecured(text);
  if (unsecured === null) return 'this is not a JWT';
  return verificationSecretId === null ? unsecured : 'the JWT is not signed';
}

/** A JWT that nobody vouches for (RFC 7519 §6), or null. */
function readUnsecured(text: string): Layer | null {
  const [, encodedHeader, encodedPayload] = /^([\w-]+)\.([\w-]+)\.$/.exec(text) ?? [];
  if (encodedHeader === undefined || encodedPayload === undefined || text.length > LONGEST_TOKEN) return null;
  const header = readHeader(encodedHeader);
  const payload = decodeBase64url(encodedPayload);
  return header?.['alg'] === 'none' && payload !== null ? { kind: 'unsecured', header, payload } : null;
}
