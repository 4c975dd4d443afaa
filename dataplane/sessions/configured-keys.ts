import type { Reference } from '../../contract/vocabulary/reference.ts';
import type { Parts } from '../heap/definition.ts';
import { directCipher } from '../jose/direct-cipher.ts';
import { contentEncryption } from '../jose/encryption-algorithm.ts';
import { fixedSessionKeys, type SessionKeys, WatchedSessionKeys } from './session-keys.ts';
import { TEMPORARY_KEY_MEMORY, temporaryKey } from './temporary-key.ts';

export interface KeyChoice {
  /** `enc` of the tokens. */
  readonly method: string;
  readonly secretId: string | undefined;
  readonly secretsProvider: Reference<'secretsProvider'> | undefined;
}

/** Returns the keys under a secret id; without one a random key, which all units have and which ends with the process. */
export function configuredKeys({ method, secretId, secretsProvider }: KeyChoice, parts: Parts): SessionKeys {
  if (secretId !== undefined && secretsProvider !== undefined) {
    const watched = new WatchedSessionKeys(parts.resolve(secretsProvider), secretId, method, parts.log);
    parts.onClose(() => watched.close());
    return watched;
  }
  const memory = parts.plane.sharedMemory(`session key ${parts.identity}`, TEMPORARY_KEY_MEMORY);
  parts.onClose(() => memory.release());
  const length = contentEncryption(method)?.keyLength ?? 0;
  const cipher = directCipher(method, temporaryKey(memory.buffer, length));
  if (cipher === null) throw new Error(`there is no cipher for ${method}`);
  return fixedSessionKeys(cipher);
}
