import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import { type GroupSessionKeys, SESSION_KEYS } from '../../../contract/snapshot.ts';

/** Session keys of a group as a shared resource, each of them 32 bytes in base64url. */
export function sessionKeys(...keys: readonly string[]): GroupSessionKeys {
  const resource = { type: 'session-keys', key: SESSION_KEYS, keys } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}
