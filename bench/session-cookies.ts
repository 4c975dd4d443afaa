import { createSecretKey, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_SESSION, Session } from '../dataplane/engine/message/session.ts';
import { directCipher } from '../dataplane/jose/direct-cipher.ts';
import { SealedSessions } from '../dataplane/sessions/sealed-sessions.ts';
import { SessionCookie } from '../dataplane/sessions/session-cookie.ts';
import { fixedSessionKeys } from '../dataplane/sessions/session-keys.ts';
import type { Json } from './configured-peers.ts';
import { outFolder } from './paths.ts';

const METHOD = 'A256GCM';
const TIMEOUT = 3_600_000;
const RULE = { name: 'session', path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;

/** A session manager, and cookies of different sessions that it opens, all of the same length. */
export interface SessionCookies {
  readonly manager: Json;
  readonly cookies: readonly string[];
  /** The cookies, one in each line. */
  readonly file: string;
}

const made = new Map<number, SessionCookies>();

/** Sessions as a sign-in leaves them, about 300 bytes each, sealed under a key of this run. */
export function sessionCookies(count: number): SessionCookies {
  const known = made.get(count) ?? makeCookies(count);
  made.set(count, known);
  return known;
}

function makeCookies(count: number): SessionCookies {
  const directory = outFolder(join('sessions', `${count}`));
  const key = randomBytes(32);
  writeFileSync(join(directory, 'session.key'), key);
  const cipher = directCipher(METHOD, createSecretKey(key))!;
  // whole seconds have the same length in every cookie
  const began = Math.floor(Date.now() / 1000) * 1000;
  const terms = {
    ...{ realm: '', method: METHOD, timeout: TIMEOUT, skew: 0, isPersistent: false, compresses: false },
    now: () => began,
  };
  const keeper = new SealedSessions(terms, fixedSessionKeys(cipher), new SessionCookie(RULE));
  const cookies = Array.from({ length: count }, (_, at) => {
    const session = new Session(keeper, null, NO_SESSION);
    session.set('user', `user-${1_000_000 + at}`);
    session.set('groups', ['orders-read', 'orders-write', 'customers']);
    session.set('token', randomBytes(120).toString('base64url'));
    return keeper.save(session)[0]!.split(';', 1)[0]!;
  });
  const file = join(directory, 'cookies.txt');
  writeFileSync(file, cookies.map((cookie) => `${cookie}\n`).join(''));
  return { file, cookies, manager: sessionManager(directory) };
}

/** A manager of sealed sessions whose key is the file `session.key` of a directory. */
export function sessionManager(directory: string): Json {
  const format = { type: 'SecretKeyPropertyFormat', config: { format: 'PLAIN', algorithm: 'AES' } };
  const config = {
    authenticatedEncryptionSecretId: 'session.key',
    secretsProvider: { type: 'FileSystemSecretStore', config: { directory, format } },
    cookie: { name: RULE.name },
    sessionTimeout: '1 hour',
  };
  return { type: 'AuthenticatedEncryptedJwtSessionManager', config };
}
