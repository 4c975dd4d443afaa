import { Secret } from '../../../contract/secret.ts';
import type { SecretsProvider } from '../../../dataplane/heap/objects/secrets.ts';

/** A provider with one password under every id. */
export function oneSecret(value: string): SecretsProvider {
  const none = () => Promise.reject(new Error('there are no keys'));
  return {
    active: async () => new Secret(value),
    valid: async () => [new Secret(value)],
    key: none,
    keys: none,
    named: none,
    watch: () => () => undefined,
  };
}
