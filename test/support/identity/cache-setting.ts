import { vi } from 'vitest';
import type { Resolution } from '../../../dataplane/heap/objects/access-tokens.ts';
import type { Executor } from '../../../dataplane/heap/objects/executor.ts';
import { TokenCache, type TokenCacheOptions } from '../../../dataplane/oauth2/cache/token-cache.ts';
import { plainExchange } from '../gateways/plain-exchange.ts';
import { ScriptedResolver } from './scripted-resolver.ts';

/** A cache in front of a resolver that says what it is told to. The clock must be a fake one. */
export interface CacheSetting {
  readonly cache: TokenCache;
  readonly resolver: ScriptedResolver;
  /** What the cache told of itself, in order. */
  readonly told: string[];
  /** The clock goes on. */
  pass(milliseconds: number): void;
  /** The executor's time has come. */
  sweep(): void;
  resolve(token: string): Resolution | Promise<Resolution>;
  /** The same for a token that takes no waiting. @throws Error where it does */
  resolveNow(token: string): Resolution;
}

/** Sets one up; tokens without an end are kept for a minute. */
export function cacheSetting(
  scripts: ConstructorParameters<typeof ScriptedResolver>[0],
  options: Partial<TokenCacheOptions> = {},
): CacheSetting {
  const resolver = new ScriptedResolver(scripts);
  const told: string[] = [];
  let sweep = (): void => {};
  const executor: Executor = {
    schedule: () => () => {},
    repeat: (task) => {
      sweep = () => void task();
      return () => {
        sweep = () => {};
      };
    },
  };
  const cache = new TokenCache(resolver, {
    defaultTimeout: 60_000,
    maxTimeout: Number.POSITIVE_INFINITY,
    maximumSize: 1000,
    executor,
    meter: {
      hit: () => told.push('hit'),
      miss: () => told.push('miss'),
      evicted: (cause) => told.push(cause),
      loaded: () => told.push('loaded'),
    },
    ...options,
  });
  const resolve: CacheSetting['resolve'] = (token) => cache.resolve(token, plainExchange());
  return {
    cache,
    resolver,
    told,
    pass(milliseconds) {
      vi.setSystemTime(Date.now() + milliseconds);
    },
    sweep: () => sweep(),
    resolve,
    resolveNow(token) {
      const resolution = resolve(token);
      if (resolution instanceof Promise) throw new Error(`the resolution of '${token}' is a promise`);
      return resolution;
    },
  };
}

/** A resolution that ends when the test says so. */
export function held(): { readonly script: () => Promise<Resolution>; end(outcome: Resolution | Error): void } {
  const { promise, resolve, reject } = Promise.withResolvers<Resolution>();
  return {
    script: () => promise,
    end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)),
  };
}
