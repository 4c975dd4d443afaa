import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { errorCode } from './error-code.ts';
import type { IssuedToken } from './exchanged-tokens.ts';
import { namedLifetime } from './named-lifetime.ts';

/** The authorization server refused an exchange, or its answer cannot be used. The message is safe for a log. */
export class ExchangeFailed extends Error {
  /** The error code of the server (RFC 6749, section 5.2), or `server_error`. */
  readonly code: string;
  /** Whether the server decided so: the same exchange would be refused again. */
  readonly isRefused: boolean;

  constructor(reason: string, code: string, isRefused: boolean) {
    super(reason);
    this.name = 'ExchangeFailed';
    this.code = code;
    this.isRefused = isRefused;
  }
}

/** Errors about the tokens or the target of an exchange. All others are about the gateway or the server. */
const REFUSALS: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_grant',
  'invalid_target',
  'invalid_scope',
  'access_denied',
]);

/** Reads the answer to a token exchange (RFC 8693, section 2.2). @throws ExchangeFailed */
export function issuedToken({ status, content }: OwnAnswer, requestedScopes: readonly string[]): IssuedToken {
  const answer = readJsonObject(content);
  if (status !== 200) throw refused(status, answer?.['error']);
  if (answer === null) throw unusable('is not a JSON object');
  const { access_token: token, issued_token_type: type, token_type: kind, expires_in: seconds, scope } = answer;
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw unusable("has no usable 'access_token'");
  if (typeof type !== 'string' || type === '') throw unusable("has no 'issued_token_type'");
  if (typeof kind !== 'string' || kind === '') throw unusable("has no 'token_type'");
  if (scope !== undefined && typeof scope !== 'string') throw unusable("has a 'scope' that is not a text");
  const scopes = scope === undefined ? requestedScopes : scope.split(' ').filter((name) => name !== '');
  return { token, type, scopes, lifetime: namedLifetime(seconds) };
}

/** The error description is left out: it may repeat a token. */
function refused(status: number, error: unknown): ExchangeFailed {
  const code = errorCode(error);
  const hint = status === 401 || code === 'invalid_client' ? ': check the client authentication' : '';
  const reason = `the token endpoint answered ${status}${code === null ? '' : ` (${code})`}${hint}`;
  return new ExchangeFailed(reason, code ?? 'server_error', status === 400 && code !== null && REFUSALS.has(code));
}

function unusable(fault: string): ExchangeFailed {
  return new ExchangeFailed(`the answer of the token endpoint ${fault}`, 'server_error', false);
}
