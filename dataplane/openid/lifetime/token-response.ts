import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { errorCode } from '../../oauth2/client/error-code.ts';
import { namedSeconds } from '../../oauth2/client/named-lifetime.ts';

/** Tokens that a provider issued for a refresh token. */
export interface RefreshedTokens {
  readonly kind: 'tokens';
  readonly accessToken: string;
  readonly tokenType: string;
  /** In milliseconds; null where the provider named no lifetime. */
  readonly lifetime: number | null;
  /** Null where it is as before. */
  readonly scope: string | null;
  /** Null where the former one stays valid. */
  readonly refreshToken: string | null;
  readonly idToken: string | null;
}

/** The provider does not accept the refresh token: the user has to sign in again. */
export interface RefusedRefresh {
  readonly kind: 'refused';
  /** Safe for a log. */
  readonly reason: string;
}

/** The provider gave no answer that says anything of the refresh token. */
export interface FailedRefresh {
  readonly kind: 'failed';
  /** Safe for a log. */
  readonly reason: string;
}

export type TokenResponse = RefreshedTokens | RefusedRefresh | FailedRefresh;

/** Errors that say something of the gateway or the provider, and nothing of the refresh token (RFC 6749, section 5.2). */
const NOT_OF_THE_TOKEN: ReadonlySet<string> = new Set([
  'invalid_client',
  'server_error',
  'temporarily_unavailable',
  'use_dpop_nonce',
  'invalid_dpop_proof',
]);

/** Reads the answer of a token endpoint to a refresh token. */
export function tokenResponse({ status, content }: OwnAnswer): TokenResponse {
  const answer = readJsonObject(content);
  if (status !== 200) return rejection(status, answer);
  if (answer === null) return failed('the response of the token endpoint is not a JSON object');
  const { access_token: accessToken, token_type: tokenType } = answer;
  if (!isToken(accessToken)) return failed("the response of the token endpoint has no 'access_token' that can be sent");
  if (typeof tokenType !== 'string' || !/^(?:bearer|dpop)$/i.test(tokenType)) {
    return failed("the token endpoint returned a token type other than 'Bearer' and 'DPoP'");
  }
  const { refresh_token: refreshToken, id_token: idToken, scope, expires_in: lifetime } = answer;
  return {
    kind: 'tokens',
    accessToken,
    tokenType,
    lifetime: milliseconds(lifetime),
    scope: typeof scope === 'string' ? scope : null,
    refreshToken: isToken(refreshToken) ? refreshToken : null,
    idToken: typeof idToken === 'string' ? idToken : null,
  };
}

function rejection(status: number, answer: Readonly<Record<string, unknown>> | null): TokenResponse {
  const code = errorCode(answer?.['error']);
  const reason = `the token endpoint answered ${status}${code === null ? '' : ` (${code})`}`;
  const isOfToken = [400, 401, 403].includes(status) && code !== null && !NOT_OF_THE_TOKEN.has(code);
  return isOfToken ? { kind: 'refused', reason } : failed(reason);
}

function failed(reason: string): FailedRefresh {
  return { kind: 'failed', reason };
}

/** Whether a value is a token as RFC 6749 writes them (appendix A.12). */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function milliseconds(value: unknown): number | null {
  const seconds = namedSeconds(value);
  return seconds !== null && seconds < 1e12 ? Math.max(0, seconds * 1000) : null;
}
