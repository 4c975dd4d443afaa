import type { BytePool } from './script-budget.ts';

/** Bytes of all runs of a tenant that are under way: runs that wait keep what they made. */
const MOST_POOLED = 128 * 1024 * 1024;

const pools = new Map<string, BytePool & { scripts: number }>();

/** The bytes that all scripts of a tenant share, until the last of them leaves. */
export function joinPool(realm: string): { readonly pool: BytePool; leave(): void } {
  const pool = pools.get(realm) ?? { limit: MOST_POOLED, used: 0, scripts: 0 };
  pools.set(realm, pool);
  pool.scripts++;
  return {
    pool,
    leave() {
      pool.scripts--;
      if (pool.scripts === 0) pools.delete(realm);
    },
  };
}
