import type { Headers } from '../engine/head/headers.ts';

/** Directives that allow caches of several users to keep a response. */
const SHARED = /^(?:public|s-maxage\s*=.*)$/i;
const UNSHARED = /^(?:private|no-store)$/i;

/** Without any of these a response has no lifetime in a cache. */
const LIFETIME_HEADERS = ['cache-control', 'expires', 'last-modified'];

/**
 * Keeps a response with a session cookie out of caches that several users share. Caches may keep `Set-Cookie` (RFC 9111,
 * section 7.3), and the application does not know that there is one. A response that says nothing of caches stays as it is.
 */
export function keepFromSharedCaches(headers: Headers): void {
  if (!LIFETIME_HEADERS.some((name) => headers.has(name))) return;
  const directives = headers
    .all('cache-control')
    .flatMap((line) => line.split(','))
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '');
  if (directives.some((directive) => UNSHARED.test(directive))) return;
  const kept = directives.filter((directive) => !SHARED.test(directive));
  headers.set('Cache-Control', [...kept, 'private'].join(', '));
}
