import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { errorCode } from './error-code.ts';
import { namedLifetime } from './named-lifetime.ts';

/** An access token that an authorization server gave to the gateway. */
export interface GrantedToken {
  readonly token: string;
  /** How long it lasts, in milliseconds; null when the server did not say. */
  readonly lifetime: number | null;
}

/** An authorization server gave no token, or none that can be used. Its words are safe for a log. */
export class NoToken extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NoToken';
  }
}

/** Reads what a token endpoint answered (RFC 6749 §5). @throws NoToken */
export function grantedToken({ status, content }: OwnAnswer): GrantedToken {
  const answer = objectIn(content);
  if (status !== 200) {
    // the description is left out, because nobody knows what a server puts in there
    const code = errorCode(answer?.['error']);
    const hint = status === 401 || code === 'invalid_client' ? ': check the client authentication' : '';
    throw new NoToken(`the token endpoint answered ${status}${code === null ? '' : ` (${code})`}${hint}`);
  }
  if (answer === null) throw new NoToken('the response of the token endpoint is not a JSON object');
  const { access_token: token, token_type: type, expires_in: lifetime } = answer;
  if (typeof token !== 'string' || !/^[\w.~+/-]+=*$/.test(token)) {
    throw new NoToken("the response of the token endpoint has no 'access_token' that can be sent");
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new NoToken("the token endpoint returned a token type other than 'Bearer'");
  }
  return { token, lifetime: namedLifetime(lifetime) };
}

function objectIn(content: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(content.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
