import { createHash, timingSafeEqual } from 'node:crypto';
import { errorText } from '../../../platform/error-text.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { type Claims, timeClaim, timeFault } from '../../jose/claims.ts';
import { idTokenFaults, TIME_FAULTS } from '../../jose/id-token.ts';
import { type OpenedJwt, openJwt } from '../../jose/opened-jwt.ts';
import type { IssuerMetadata } from '../issuer-metadata.ts';
import { SignInFailed } from './sign-in-failed.ts';

export interface IdTokenTerms {
  /** Null for tokens of a refresh, which need not repeat it. */
  readonly nonce: string | null;
  /** The access token that came with it; null where none did. */
  readonly accessToken: string | null;
  /** Seconds; null where the user may have authenticated at any time. */
  readonly maxAge: number | null;
  /** Milliseconds that clocks may differ. */
  readonly skew: number;
  readonly now: number;
}

/** Returns the claims of an ID token that is sound and of this sign-in. @throws SignInFailed */
export async function checkIdToken(
  token: string,
  registration: Pick<ClientRegistration, 'keys' | 'clientId'>,
  metadata: Pick<IssuerMetadata, 'issuer' | 'members'>,
  terms: IdTokenTerms,
): Promise<Claims> {
  const { keys, clientId } = registration;
  const secrets = {
    provider: keys?.provider ?? null,
    verificationSecretId: keys?.secretId ?? null,
    decryptionSecretId: null,
  };
  const opened = await openJwt(token, secrets).catch((error: unknown) => {
    throw unverified(errorText(error));
  });
  if (typeof opened === 'string') throw unsound(`the ID token is not valid: ${opened}`);
  const { claims } = opened;
  const time = timeFault(claims, terms.now, terms.skew);
  const faults = [
    ...(keys === null ? [] : algorithmFaults(opened, metadata)),
    ...(time === null ? [] : [TIME_FAULTS[time]]),
    ...idTokenFaults(claims, clientId, metadata.issuer),
    ...(claims['azp'] === undefined || claims['azp'] === clientId ? [] : ["'azp' names another client"]),
    ...(typeof claims['sub'] === 'string' && claims['sub'] !== '' ? [] : ["'sub' is missing"]),
    ...(terms.nonce === null || claims['nonce'] === terms.nonce ? [] : ["'nonce' is not that of this sign-in"]),
    ...hashFaults(opened, terms.accessToken),
    ...ageFaults(claims, terms),
  ];
  if (faults.length > 0) throw unsound(`the ID token is not valid: ${[...new Set(faults)].join('; ')}`);
  return claims;
}

/** The provider says what it signs with; a token that is signed otherwise is not from it. */
function algorithmFaults({ header }: OpenedJwt, { members }: Pick<IssuerMetadata, 'members'>): string[] {
  const supported = members['id_token_signing_alg_values_supported'];
  if (!Array.isArray(supported) || supported.includes(header['alg'])) return [];
  return ['the provider does not sign ID tokens with this algorithm'];
}

/** The half of the hash of the access token (OpenID Connect Core, section 3.1.3.6). */
function hashFaults({ header, claims }: OpenedJwt, accessToken: string | null): string[] {
  const given = claims['at_hash'];
  if (given === undefined || accessToken === null) return [];
  const alg = String(header['alg']);
  const size = /\d{3}$/.exec(alg)?.[0] ?? '512'; // EdDSA hashes with SHA-512
  const digest = createHash(`sha${size}`).update(accessToken).digest();
  const expected = Buffer.from(digest.subarray(0, digest.length / 2).toString('base64url'));
  const found = Buffer.from(typeof given === 'string' ? given : '');
  const isSame = found.length === expected.length && timingSafeEqual(found, expected);
  return isSame ? [] : ["'at_hash' is not that of the access token"];
}

function ageFaults(claims: Claims, { maxAge, now, skew }: IdTokenTerms): string[] {
  if (maxAge === null) return [];
  const authenticatedAt = timeClaim(claims, 'auth_time');
  if (typeof authenticatedAt !== 'number') return ["'auth_time' is missing, which 'max_age' asks for"];
  return now - authenticatedAt > maxAge * 1000 + skew ? ['the user authenticated too long ago'] : [];
}

/** The reason may name addresses of key sets, which users are not told. */
function unverified(reason: string): SignInFailed {
  const description = 'the ID token cannot be verified';
  return new SignInFailed('sign-in-failed', 'temporarily_unavailable', `${description}: ${reason}`, description);
}

function unsound(message: string): SignInFailed {
  return new SignInFailed('sign-in-failed', 'server_error', message);
}
