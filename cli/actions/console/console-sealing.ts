import { createSecretKey } from 'node:crypto';
import type { ConsoleSealing } from '../../../controller/cluster/sign-in/console-sealing.ts';
import { NO_SESSION, Session, type SessionPlace } from '../../../dataplane/engine/message/session.ts';
import { type DirectCipher, directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { GROUP_METHOD } from '../../../dataplane/sessions/group-keys.ts';
import { SealedContents } from '../../../dataplane/sessions/sealed-contents.ts';
import { SessionCookie } from '../../../dataplane/sessions/session-cookie.ts';

const PURPOSE = 'console';
/** Cookies of one session: the header of a request has room for them, and tokens with many groups are long. */
const MOST_PARTS = 5;
const NAME = '__Host-gatewarden-console';
const SCOPE = { path: '/', secure: true, sameSite: 'STRICT' } as const;

/** Seals sessions of the console as data planes seal those of routes. @param keys the one to seal with first */
export function consoleSealing(keys: () => readonly string[]): ConsoleSealing {
  const cookie = new SessionCookie({ name: NAME, httpOnly: true, ...SCOPE });
  const ciphers = ciphersOf(keys);
  const sealed = sealedWith(ciphers);
  return {
    cookieName: NAME,
    mostParts: MOST_PARTS,
    seal: (content, lifetime) => (ciphers().length === 0 ? null : sealed.seal(PURPOSE, content, lifetime)),
    unseal: (text) => sealed.unseal(PURPOSE, text),
    lines: (text) => cookie.lines(text, 0, null),
    removal: (part) => cookie.removal(part),
  };
}

/** Seals sign-ins to the console that are under way, in cookies beside that of the session. */
export function consolePlace(keys: () => readonly string[]): SessionPlace {
  const sealed = sealedWith(ciphersOf(keys));
  return {
    cookieName: NAME,
    configuredName: NAME,
    cookieScope: SCOPE,
    seal: (purpose, content, lifetime) => sealed.seal(purpose, content, lifetime),
    unseal: (purpose, text) => sealed.unseal(purpose, text),
    // The controller holds the session itself: calls to the provider see an empty one.
    begin: () => new Session({ open: () => null }, null, NO_SESSION),
  };
}

function sealedWith(ciphers: () => readonly DirectCipher[]): SealedContents {
  return new SealedContents({ realm: '', cookieName: NAME, method: GROUP_METHOD, ciphers });
}

function ciphersOf(keys: () => readonly string[]): () => readonly DirectCipher[] {
  let known: readonly string[] = [];
  let made: readonly DirectCipher[] = [];
  return () => {
    const now = keys();
    if (now.length !== known.length || now.some((key, at) => key !== known[at])) {
      known = now;
      made = now.flatMap((key) => directCipher(GROUP_METHOD, createSecretKey(Buffer.from(key, 'base64url'))) ?? []);
    }
    return made;
  };
}
