import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { namedSeconds } from '../../oauth2/client/named-lifetime.ts';
import { providerError, SignInFailed } from './sign-in-failed.ts';

/** Tokens that a token endpoint gave for a code or for a refresh token. */
export interface GrantedTokens {
  readonly accessToken: string;
  readonly tokenType: string;
  /** The scopes that were granted; null where they are those that were asked for. */
  readonly scope: string | null;
  /** Milliseconds; null where the provider named no lifetime. */
  readonly lifetime: number | null;
  readonly refreshToken: string | null;
  readonly idToken: string | null;
}

/** Reads what a token endpoint answered (RFC 6749, section 5). @throws SignInFailed */
export function grantedTokens({ status, content }: OwnAnswer): GrantedTokens {
  const answer = readJsonObject(content);
  if (status !== 200) {
    if (answer !== null && status >= 400 && status < 500) {
      throw providerError('the token endpoint', answer['error'], answer['error_description']);
    }
    throw unusable(`the token endpoint answered ${status}`);
  }
  if (answer === null) throw unusable('the response of the token endpoint is not a JSON object');
  const accessToken = answer['access_token'];
  const tokenType = answer['token_type'];
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw unusable("the response of the token endpoint has no 'access_token' that can be sent");
  }
  if (typeof tokenType !== 'string' || !/^(?:bearer|dpop)$/i.test(tokenType)) {
    throw unusable("the token endpoint returned a token type other than 'Bearer' and 'DPoP'");
  }
  return {
    accessToken,
    tokenType,
    scope: textIn(answer, 'scope'),
    lifetime: milliseconds(answer['expires_in']),
    refreshToken: textIn(answer, 'refresh_token'),
    idToken: textIn(answer, 'id_token'),
  };
}

function unusable(message: string): SignInFailed {
  return new SignInFailed('sign-in-failed', 'server_error', message);
}

function textIn(answer: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = answer[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw unusable(`'${name}' in the response of the token endpoint is not a text`);
  return value;
}

function milliseconds(value: unknown): number | null {
  const seconds = namedSeconds(value);
  return seconds !== null && seconds >= 0 && seconds < 1e12 ? seconds * 1000 : null;
}
