import type { Exchange } from '../../engine/message/exchange.ts';
import type { Request } from '../../engine/message/request.ts';
import type { Response } from '../../engine/message/response.ts';
import type { Denials } from '../../heap/objects/denials.ts';
import { isNavigation } from './navigation.ts';
import { explained, hardened } from './redirection.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Whether a request can be repeated after a sign-in on other pages. What a script asks for, and what changes something,
 * would be lost on the way, and clients follow no redirect of a WebSocket.
 * @param redirectsScripts takes requests of scripts for those of pages
 */
export function canBeRedirected({ method, headers, upgrade }: Request, redirectsScripts = false): boolean {
  return SAFE_METHODS.has(method) && upgrade === null && (redirectsScripts || isNavigation(headers));
}

/** Refuses a request that cannot be redirected to a sign-in. @param reason for the log, if another one than usual */
export function signInNeeded(denied: Denials<'sign-in-needed'>, exchange: Exchange, reason?: string): Response {
  const answer = denied.answer(exchange, 'sign-in-needed', undefined, reason);
  answer.headers.append('WWW-Authenticate', 'Cookie realm="sign-in"');
  return hardened(explained(answer, 'Sign in and repeat the request.'));
}
