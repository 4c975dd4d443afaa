import {
  type CryptoKey,
  type KeyUsage,
  NoSuchSecret,
  type SecretPurpose,
  type SecretStore,
  type SecretsProvider,
} from './secrets.ts';

/**
 * One provider over several stores. What is to be used is that of the first store that has it, what is to be tried is
 * that of all. A store that cannot say what it has is no store that has nothing: the question fails then.
 */
export function secretsInOrder(stores: readonly SecretStore[]): SecretsProvider {
  async function found<T>(id: string, purpose: SecretPurpose, ask: (store: SecretStore) => Promise<T>): Promise<T> {
    const misses: NoSuchSecret[] = [];
    for (const store of stores) {
      try {
        return await ask(store);
      } catch (error) {
        misses.push(missOr(error));
      }
    }
    throw together(id, purpose, misses);
  }

  async function all<T>(
    id: string,
    purpose: SecretPurpose,
    ask: (store: SecretStore) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    const answers = await Promise.all(stores.map((store) => ask(store).catch(missOr)));
    const secrets = answers.flatMap((answer) => (answer instanceof NoSuchSecret ? [] : answer));
    if (secrets.length > 0) return secrets;
    throw together(
      id,
      purpose,
      answers.filter((answer) => answer instanceof NoSuchSecret),
    );
  }

  function keysAtHand(usage: KeyUsage, id: string): readonly CryptoKey[] | null {
    if (stores.length === 1) return stores[0]!.keysAtHand?.(usage, id) ?? null;
    const answers = stores.map((store) => store.keysAtHand?.(usage, id) ?? null);
    return answers.includes(null) ? null : answers.flatMap((keys) => keys ?? []);
  }

  return {
    active: (id) => found(id, 'generic', (store) => store.active(id)),
    valid: (id) => all(id, 'generic', (store) => store.valid(id)),
    key: (usage, id) => found(id, usage, (store) => store.key(usage, id)),
    keys: (usage: KeyUsage, id: string) => all(id, usage, (store) => store.keys(usage, id)),
    keysAtHand,
    named: (usage, id, stableId) => found(id, usage, (store) => store.named(usage, id, stableId)),
    watch(listener) {
      const ends = stores.map((store) => store.watch(listener));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function missOr(error: unknown): NoSuchSecret {
  if (error instanceof NoSuchSecret) return error;
  throw error;
}

function together(id: string, purpose: SecretPurpose, misses: readonly NoSuchSecret[]): NoSuchSecret {
  const found = misses.map((miss) => miss.found).filter((one) => one !== null);
  const stores = misses.flatMap((miss) => miss.stores);
  return new NoSuchSecret(id, purpose, stores, found.length === 0 ? null : found.join(', '));
}
