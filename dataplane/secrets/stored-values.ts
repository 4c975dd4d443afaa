import { Secret } from '../../contract/secret.ts';
import { errorText } from '../../platform/error-text.ts';
import { type PropertyFormat, type StoredSecret, UnreadableSecret } from '../heap/objects/secrets.ts';
import type { SecretSource } from './leased-store.ts';

/** Where bytes are kept under ids, and what they mean. */
export interface StoredValues {
  /** The name of the store, for messages. */
  readonly store: string;
  /** What is kept under an id, or null. @throws UnreadableSecret when that cannot be said. */
  valueAt(id: string): Uint8Array | null;
  formatOf(id: string): PropertyFormat;
}

/** The secrets that stored values stand for. Values that are as before give the same objects as before. */
export function storedValues({ store, valueAt, formatOf }: StoredValues): SecretSource {
  const known = new Map<string, { readonly value: Secret; readonly secrets: readonly StoredSecret[] }>();
  return {
    async read(id) {
      const value = valueAt(id);
      if (value === null) {
        known.delete(id);
        return [];
      }
      if (value.length === 0) throw new UnreadableSecret(id, store, 'it is empty', true);
      const before = known.get(id);
      if (before?.value.equals(value) === true) return before.secrets;
      const secrets = await decoded(id, value, formatOf(id), store);
      known.set(id, { value: new Secret(value), secrets });
      return secrets;
    },
  };
}

async function decoded(
  id: string,
  value: Uint8Array,
  format: PropertyFormat,
  store: string,
): Promise<readonly StoredSecret[]> {
  try {
    return await format.decode(id, value);
  } catch (error) {
    throw new UnreadableSecret(id, store, errorText(error));
  }
}
