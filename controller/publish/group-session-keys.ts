import { hkdfSync } from 'node:crypto';
import { sharedResourceHash } from '../../contract/shared-resources.ts';
import { SESSION_KEYS, type SourceVersion } from '../../contract/snapshot.ts';
import type { SessionKeysForPlanes } from './published-state.ts';

const KEY_BYTES = 32;

/**
 * Derives the session keys of groups from secrets that only controllers have. Planes of one group have the same keys;
 * nobody who has them learns those of another group. Sidecars have the keys of their namespace: whoever makes Pods there
 * can read them.
 */
export function groupSessionKeys(secrets: readonly string[], source: SourceVersion): SessionKeysForPlanes {
  return {
    of({ group, namespace, isSidecar }) {
      const info = JSON.stringify(['gatewarden session key', group, isSidecar ? [namespace] : null]);
      const keys = secrets.map((secret) => {
        const derived = hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', info, KEY_BYTES);
        return Buffer.from(derived).toString('base64url');
      });
      const resource = { type: 'session-keys', key: SESSION_KEYS, keys } as const;
      return { ...resource, hash: sharedResourceHash(resource), sources: [source] };
    },
  };
}
