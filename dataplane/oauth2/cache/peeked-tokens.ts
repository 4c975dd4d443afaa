import type { Parts } from '../../heap/definition.ts';
import { type AccessTokenResolver, resolvingBy } from '../../heap/objects/access-tokens.ts';
import type { TokenCache } from './token-cache.ts';

/** Lets dry runs look into the cache of an object. */
export function showTokens(cache: TokenCache, { identity, plane: { tokenCaches }, onClose }: Parts): void {
  if (tokenCaches === undefined) return;
  const peek = (token: string) => cache.peek(token, Date.now());
  tokenCaches.set(identity, peek);
  onClose(() => {
    if (tokenCaches.get(identity) === peek) tokenCaches.delete(identity);
  });
}

/** The resolver of a dry run: it answers from the cache of the object that serves, and caches nothing. */
export function peekingResolver(resolver: AccessTokenResolver, { identity, plane }: Parts): AccessTokenResolver {
  const peek = plane.tokenCaches?.get(identity) ?? (() => null);
  return {
    ...resolvingBy(resolver, (token, exchange) => peek(token) ?? resolver.resolve(token, exchange)),
    isCached: (token) => peek(token) !== null,
  };
}
