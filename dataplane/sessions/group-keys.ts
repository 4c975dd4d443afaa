import { createSecretKey, type KeyObject } from 'node:crypto';
import type { GroupSessionKeys } from '../../contract/snapshot.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import { type DirectCipher, directCipher } from '../jose/direct-cipher.ts';
import type { SessionKeys } from './session-keys.ts';

/** How sessions are sealed under the keys of a group; they have the length that it asks for. */
export const GROUP_METHOD = 'A256GCM';

/** The session keys of the group of this plane, as controllers send them. */
export class GroupKeys implements SessionKeys {
  ciphers: readonly DirectCipher[] | null = null;
  /** The keys themselves, for what other objects sign; another list after a change. */
  secrets: readonly KeyObject[] = [];
  private hash: string | null = null;

  read(): Promise<void> {
    if (this.ciphers !== null) return Promise.resolve();
    return Promise.reject(new SessionFault('session-keys', 'no controller has sent session keys'));
  }

  /** Uses these keys from now on; null for none. @returns whether there are keys now and were none, or the reverse */
  use(resource: GroupSessionKeys | null): boolean {
    if (resource?.hash === this.hash) return false;
    const before = this.ciphers;
    this.hash = resource?.hash ?? null;
    this.secrets = (resource?.keys ?? []).map((text) => createSecretKey(Buffer.from(text, 'base64url')));
    this.ciphers = resource === null ? null : ciphersOf(this.secrets);
    return (before === null) !== (this.ciphers === null);
  }
}

/** Null when the key that encrypts has another length, so that nothing is sealed that other planes cannot open. */
function ciphersOf(keys: readonly KeyObject[]): readonly DirectCipher[] | null {
  const made = keys.map((key) => directCipher(GROUP_METHOD, key));
  return made[0] === null ? null : made.filter((cipher) => cipher !== null);
}
