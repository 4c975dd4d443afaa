import { createSecretKey, randomBytes } from 'node:crypto';
import { NO_SESSION, Session } from '../../../dataplane/engine/message/session.ts';
import { directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { contentEncryption } from '../../../dataplane/jose/encryption-algorithm.ts';
import { SealedSessions, type SealingTerms } from '../../../dataplane/sessions/sealed-sessions.ts';
import { SessionCookie } from '../../../dataplane/sessions/session-cookie.ts';
import type { SessionKeys } from '../../../dataplane/sessions/session-keys.ts';

/** A key of the length that a method asks for. */
export function randomCipher(method = 'A256GCM') {
  const cipher = directCipher(method, createSecretKey(randomBytes(contentEncryption(method)!.keyLength)));
  if (cipher === null) throw new Error(`there is no cipher for ${method}`);
  return cipher;
}

/** Keys that a test replaces. */
export interface HeldKeys extends SessionKeys {
  ciphers: SessionKeys['ciphers'];
}

export interface SealedKeeper {
  readonly sessions: SealedSessions;
  readonly keys: HeldKeys;
  /** Milliseconds since 1970, which a test changes. */
  readonly clock: { now: number };
  /** Saves one value. @returns the values of the cookies, the first part first */
  seal(value: string): string[];
  /** What a request with these values of each part finds; null for an empty session. */
  read(...parts: readonly (string | readonly string[])[]): unknown;
}

/** Sessions in cookies without a gateway around them. */
export function sealedKeeper(
  terms: Partial<SealingTerms> = {},
  ciphers: SessionKeys['ciphers'] = [randomCipher(terms.method)],
  name = 's',
): SealedKeeper {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const keys: HeldKeys = { ciphers, read: () => Promise.resolve() };
  const defaults = { realm: '', method: 'A256GCM', timeout: 60_000, skew: 0, isPersistent: false, compresses: false };
  const rule = { name, path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;
  const sessions = new SealedSessions({ ...defaults, now: () => clock.now, ...terms }, keys, new SessionCookie(rule));
  return {
    sessions,
    keys,
    clock,
    seal(value) {
      const session = new Session(sessions, null, NO_SESSION);
      session.set('value', value);
      return sessions.save(session).map((line) => /^[^=]*=([^;]*)/.exec(line)![1]!);
    },
    read(...parts) {
      const presented = parts.map((part) => (typeof part === 'string' ? [part] : part));
      return new Session(sessions, presented, NO_SESSION).get('value');
    },
  };
}
