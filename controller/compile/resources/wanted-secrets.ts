import { byAge } from '../../../contract/resources/by-age.ts';
import type { Resource } from '../../../contract/resources/resource.ts';
import { tlsSecretsOf } from './certificates/route-tls.ts';
import { secretsOf } from './store-drafts.ts';

/** Each Secret is a connection to the API server: a namespace may not use up those of the others. */
export const MOST_SECRETS = 256;

/** The Secrets that SecretStores and Routes name, as `namespace/name`. */
export interface WantedSecrets {
  readonly keys: ReadonlySet<string>;
  /** Those that are too many for their namespace, and are not read. */
  readonly beyond: ReadonlySet<string>;
}

/** Of more than a namespace may have, those of its oldest stores are read, then those of its oldest Routes. */
export function wantedSecretsOf(stores: readonly Resource[], routes: readonly Resource[] = []): WantedSecrets {
  const keys = new Set<string>();
  const beyond = new Set<string>();
  const counts = new Map<string, number>();
  const want = (key: string, namespace: string): void => {
    if (keys.has(key)) return;
    const count = counts.get(namespace) ?? 0;
    if (count >= MOST_SECRETS) beyond.add(key);
    else {
      keys.add(key);
      counts.set(namespace, count + 1);
    }
  };
  for (const store of [...stores].sort(byAge)) for (const key of secretsOf(store)) want(key, store.namespace);
  for (const route of [...routes].sort(byAge)) for (const key of tlsSecretsOf(route)) want(key, route.namespace);
  return { keys, beyond };
}
