import { type CryptoKey, type KeyUsage, NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';

/**
 * Tells when one of the keys under an id is gone, or when nobody can say any more what is there: what was judged with
 * it must be judged again. Keys that are added, and leases that are renewed, are no news. The result ends it.
 */
export function watchKeys(
  provider: SecretsProvider,
  usages: readonly KeyUsage[],
  secretId: string,
  gone: () => void,
): () => void {
  let known: readonly CryptoKey[] = [];
  let isOver = false;

  async function look(): Promise<void> {
    const found = await allKeys(provider, usages, secretId).catch(() => []);
    const isGone = known.some((key) => !found.some((other) => isSame(key, other)));
    known = found;
    if (isGone && !isOver) gone();
  }

  let looking = look();
  const end = provider.watch(() => {
    looking = looking.then(look);
  });
  return () => {
    isOver = true;
    end();
  };
}

async function allKeys(
  provider: SecretsProvider,
  usages: readonly KeyUsage[],
  secretId: string,
): Promise<readonly CryptoKey[]> {
  const found: CryptoKey[] = [];
  for (const usage of usages) {
    try {
      found.push(...(await provider.keys(usage, secretId)));
    } catch (error) {
      if (!(error instanceof NoSuchSecret)) throw error;
    }
  }
  return found;
}

function isSame(one: CryptoKey, other: CryptoKey): boolean {
  if (one === other) return true;
  const isNamedAlike = one.stableId === other.stableId && one.algorithm === other.algorithm;
  return isNamedAlike && one.key.type === other.key.type && one.key.equals(other.key);
}
