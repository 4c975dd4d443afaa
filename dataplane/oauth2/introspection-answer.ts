import type { OwnAnswer } from '../engine/backend/own-call.ts';
import { invalidToken, type Resolution, type TokenRefusal } from '../heap/objects/access-tokens.ts';
import { type Claims, readClaims, timeClaim } from '../jose/claims.ts';
import { scopesOf } from './token-scopes.ts';

/** Verdict on a token, or the problem of the authorization server, for the operator. */
export type Judgement =
  | Resolution
  | { readonly kind: 'trouble'; readonly reason: string; readonly refusal: TokenRefusal };

const UNDECIDED = 'the token could not be verified';
/** `application/json` and what is made of it, such as `application/problem+json`. */
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json[ \t]*(?:;|$)/i;
/** What an error code is made of, so that nothing else of a foreign text reaches the log. */
const ERROR_CODE = /^\w{1,64}$/;
/** Kinds of tokens that do not open a resource, whatever else is said of them. */
const OTHER_TOKENS: ReadonlySet<string> = new Set(['refresh_token', 'id_token']);

/** Reads the answer to an introspection request (RFC 7662, section 2.2) for a token. */
export function judgeAnswer(answer: OwnAnswer, token: string, now: number): Judgement {
  if (answer.status !== 200) return judgeError(answer);
  const said = membersOf(answer);
  if (said === null) return trouble('the response is not a JSON object');
  if (said['active'] !== true) {
    return said['active'] === false ? invalidToken('the token is not active') : trouble("'active' is not a boolean");
  }
  if (isOtherToken(said['token_type'])) return invalidToken('the token is not an access token');
  const scopes = scopesOf(said['scope']);
  const expires = timeClaim(said, 'exp');
  const begins = timeClaim(said, 'nbf');
  if (scopes === null) return trouble("'scope' is neither a text nor a list of texts");
  if (expires === null || begins === null) return trouble("'exp' or 'nbf' is not a date");
  if (begins !== undefined && begins > now) return invalidToken('the token is not yet valid');
  const expiresAt = expires ?? Number.POSITIVE_INFINITY;
  if (expiresAt <= now) return invalidToken('the token has expired');
  return { kind: 'token', token, info: said, scopes, expiresAt };
}

/** Nobody could be asked, or there was no whole answer. */
export function trouble(reason: string, cause: unknown = reason): Judgement {
  return { kind: 'trouble', reason, refusal: { ...invalidToken(UNDECIDED, cause), undecided: true } };
}

function judgeError(answer: OwnAnswer): Judgement {
  const { status } = answer;
  const error = membersOf(answer)?.['error'];
  if (status === 400 && error === 'invalid_request') {
    const cause = 'the authorization server rejected the introspection request as invalid';
    return {
      kind: 'refusal',
      error: 'invalid_request',
      description: 'the authorization server could not validate the token',
      cause,
    };
  }
  const code = typeof error === 'string' && ERROR_CODE.test(error) ? ` and the error ${error}` : '';
  return trouble(`the response status is ${status}${code}${adviceFor(status)}`);
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return ": check the client authentication in 'providerHandler'";
  if (status === 404 || status === 405) return ': check the URL of the endpoint';
  return status >= 300 && status < 400 ? ': redirects are not followed' : '';
}

/** Types of tokens are names in any case (RFC 6749, section 5.1). */
function isOtherToken(type: unknown): boolean {
  return typeof type === 'string' && OTHER_TOKENS.has(type.toLowerCase());
}

function membersOf(answer: OwnAnswer): Claims | null {
  return JSON_TYPE.test(answer.header('content-type') ?? '') ? readClaims(answer.content) : null;
}
