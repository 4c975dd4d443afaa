import { createSecretKey } from 'node:crypto';
import type { ConsoleSealing } from '../../controller/cluster/sign-in/console-sealing.ts';
import { type DirectCipher, directCipher } from '../../dataplane/jose/direct-cipher.ts';
import { GROUP_METHOD } from '../../dataplane/sessions/group-keys.ts';
import { SealedContents } from '../../dataplane/sessions/sealed-contents.ts';
import { SessionCookie } from '../../dataplane/sessions/session-cookie.ts';

const PURPOSE = 'console';
/** Cookies of one session: the header of a request has room for them, and tokens with many groups are long. */
const MOST_PARTS = 5;

/** Seals sessions of the console as data planes seal those of routes. @param keys the one to seal with first */
export function consoleSealing(keys: () => readonly string[]): ConsoleSealing {
  const cookie = new SessionCookie({
    ...{ name: '__Host-gatewarden-console', path: '/', httpOnly: true, secure: true, sameSite: 'STRICT' },
  });
  let known: readonly string[] = [];
  let made: readonly DirectCipher[] = [];
  const ciphers = (): readonly DirectCipher[] => {
    const now = keys();
    if (now.length !== known.length || now.some((key, at) => key !== known[at])) {
      known = now;
      made = now.flatMap((key) => directCipher(GROUP_METHOD, createSecretKey(Buffer.from(key, 'base64url'))) ?? []);
    }
    return made;
  };
  const sealed = new SealedContents({ realm: '', cookieName: cookie.name, method: GROUP_METHOD, ciphers });
  return {
    cookieName: cookie.name,
    mostParts: MOST_PARTS,
    seal: (content, lifetime) => (ciphers().length === 0 ? null : sealed.seal(PURPOSE, content, lifetime)),
    unseal: (text) => sealed.unseal(PURPOSE, text),
    lines: (text) => cookie.lines(text, 0, null),
    removal: (part) => cookie.removal(part),
  };
}
