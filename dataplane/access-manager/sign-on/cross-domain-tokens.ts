import type { AmService } from '../../heap/objects/am-service.ts';
import type { VerificationKeys } from '../../heap/objects/openid-client.ts';
import { type Claims, timeClaim } from '../../jose/claims.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { checkIdToken } from '../../openid/client/id-token-check.ts';
import { SignInFailed } from '../../openid/client/sign-in-failed.ts';
import type { IssuerMetadata } from '../../openid/issuer-metadata.ts';

/** Characters of verified tokens that are kept. */
const MOST_CHARACTERS = 4 << 20;
/** Milliseconds that the clocks of the gateway and the access manager may differ. */
const SKEW = 60_000;
const ANY_ISSUER: Pick<IssuerMetadata, 'issuer' | 'members'> = { issuer: null, members: {} };

export interface CrossDomainTokensOptions {
  readonly service: Pick<AmService, 'url' | 'realm' | 'oauth2Endpoint'>;
  /** Name of the agent, for which tokens are issued. */
  readonly audience: string;
  readonly keys: VerificationKeys;
  /** Maximum age in milliseconds. */
  readonly lifetime: number;
}

/** A token whose signature and claims are sound. */
export interface CrossDomainToken {
  readonly claims: Claims;
  /** The session of the user at the access manager. */
  readonly session: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Verifies the tokens of cross-domain single sign-on, and remembers those that are sound: cookies bring them again. */
export class CrossDomainTokens {
  private readonly options: CrossDomainTokensOptions;
  private readonly issuers: ReadonlySet<unknown>;
  private readonly verified = new Map<string, CrossDomainToken>();
  private characters = 0;

  constructor(options: CrossDomainTokensOptions) {
    this.options = options;
    const { url, realm, oauth2Endpoint } = options.service;
    const spelled = oauth2Endpoint('').replace(/\/$/, '');
    this.issuers = new Set([`${url}/oauth2`, `${url}/oauth2${realm === '/' ? '' : realm}`, spelled]);
  }

  /** A token that was verified before; null for others and for those that have expired. */
  known(token: string): CrossDomainToken | null {
    const found = this.verified.get(token);
    return found !== undefined && Date.now() < found.expiresAt ? found : null;
  }

  /** Verifies a token. @param nonce of the sign-on that it ends; null for one of a cookie. Rejects with SignInFailed. */
  async verify(token: string, nonce: string | null): Promise<CrossDomainToken> {
    const { audience, keys, lifetime } = this.options;
    const now = Date.now();
    const terms = { nonce, accessToken: null, maxAge: null, skew: SKEW, now };
    const claims = await checkIdToken(token, { keys, clientId: audience }, ANY_ISSUER, terms);
    if (!this.issuers.has(claims['iss'])) {
      throw new SignInFailed('sign-in-failed', 'server_error', "the token is not valid: 'iss' is another issuer");
    }
    const issuedAt = timeClaim(claims, 'iat') as number;
    const expiresAt = Math.min(timeClaim(claims, 'exp') as number, issuedAt + lifetime);
    if (now >= expiresAt + (nonce === null ? 0 : SKEW)) {
      throw new SignInFailed('sign-in-failed', 'server_error', 'the token is not valid: it has expired');
    }
    const sound = { claims, session: claims['sub'] as string, expiresAt };
    this.keep(token, sound);
    return sound;
  }

  private keep(token: string, sound: CrossDomainToken): void {
    if (this.verified.has(token)) return;
    this.verified.set(token, sound);
    this.characters += token.length;
    for (const oldest of this.verified.keys()) {
      if (this.characters <= MOST_CHARACTERS) break;
      this.verified.delete(oldest);
      this.characters -= oldest.length;
    }
  }
}

/** Returns the session that a token names, without verifying anything; null where it names none. */
export function namedSession(token: string): string | null {
  const [, payload = '', ...rest] = token.split('.');
  const session = rest.length === 1 ? readJsonObject(Buffer.from(payload, 'base64url'))?.['sub'] : null;
  return typeof session === 'string' && session !== '' ? session : null;
}
