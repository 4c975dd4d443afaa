import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type DirectCipher, directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { contentEncryptionAlgorithms } from '../../../dataplane/jose/encryption-algorithm.ts';
import { HeldSessions } from '../../../dataplane/sessions/held-sessions.ts';
import { SealedContents } from '../../../dataplane/sessions/sealed-contents.ts';
import { SessionCookie } from '../../../dataplane/sessions/session-cookie.ts';
import { SessionMemory } from '../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../dataplane/sessions/session-table.ts';
import { randomCipher, sealedKeeper } from '../../support/state/sealed-sessions.ts';

const CONTENT = { state: 'abc', goto: 'https://app.example.com/orders?id=1' };
const LIMITS = { sessions: 10, bytes: 4096 };

interface Setting {
  readonly ciphers: readonly DirectCipher[] | null;
  readonly realm?: string;
  readonly cookieName?: string;
  readonly clock?: { now: number };
}

function contents({ ciphers, realm = '', cookieName = 's', clock = { now: 0 } }: Setting): SealedContents {
  return new SealedContents({ realm, cookieName, method: 'A256GCM', ciphers: () => ciphers, now: () => clock.now });
}

/** As one unit of the gateway holds the memory. */
function held(memory: SharedArrayBuffer, realm = ''): HeldSessions {
  const table = new SessionTable(memory, LIMITS, { idle: 60_000, absolute: 60_000 });
  const rule = { name: 's', path: '/', httpOnly: true, secure: false, sameSite: 'LAX' } as const;
  return new HeldSessions(() => table, new SessionCookie(rule), realm);
}

describe('content sealed beside a session', () => {
  it.each(contentEncryptionAlgorithms)('opens for its purpose under a key for %s', (method) => {
    const { sealer } = sealedKeeper({ method }).sessions;
    expect(sealer.unseal('sign-in', sealer.seal('sign-in', CONTENT, 1000))).toEqual(CONTENT);
  });

  it('does not open for another purpose, realm, session cookie or key', () => {
    const ciphers = [randomCipher()];
    const text = contents({ ciphers, realm: 'a' }).seal('sign-in', CONTENT, 1000);
    expect(contents({ ciphers, realm: 'a' }).unseal('sign-in', text)).toEqual(CONTENT);
    expect(contents({ ciphers, realm: 'a' }).unseal('sign-out', text)).toBeNull();
    expect(contents({ ciphers, realm: 'b' }).unseal('sign-in', text)).toBeNull();
    expect(contents({ ciphers, realm: 'a', cookieName: 't' }).unseal('sign-in', text)).toBeNull();
    expect(contents({ ciphers: [randomCipher()], realm: 'a' }).unseal('sign-in', text)).toBeNull();
  });

  it('is over after its lifetime', () => {
    const clock = { now: 5000 };
    const sealer = contents({ ciphers: [randomCipher()], clock });
    const text = sealer.seal('sign-in', CONTENT, 1000);
    clock.now = 5999;
    expect(sealer.unseal('sign-in', text)).toEqual(CONTENT);
    clock.now = 6000;
    expect(sealer.unseal('sign-in', text)).toBeNull();
  });

  it('does not open after a change of any character, a cut or an addition', () => {
    const sealer = contents({ ciphers: [randomCipher()] });
    const text = sealer.seal('sign-in', CONTENT, 1000);
    for (let at = 0; at < text.length; at++) {
      expect(sealer.unseal('sign-in', text.slice(0, at)), `cut at ${at}`).toBeNull();
      const other = text[at] === 'A' ? 'B' : 'A';
      expect(sealer.unseal('sign-in', text.slice(0, at) + other + text.slice(at + 1)), `changed at ${at}`).toBeNull();
    }
    for (const more of ['A', 'AAAA', '.', '.AAAA', '=']) expect(sealer.unseal('sign-in', text + more)).toBeNull();
    expect(sealer.unseal('sign-in', '')).toBeNull();
  });

  it('opens under every valid key and is sealed with the active one', () => {
    const [former, active] = [randomCipher(), randomCipher()];
    const before = contents({ ciphers: [former] }).seal('sign-in', CONTENT, 1000);
    const rotated = contents({ ciphers: [active, former] });
    expect(rotated.unseal('sign-in', before)).toEqual(CONTENT);
    const after = rotated.seal('sign-in', CONTENT, 1000);
    expect(contents({ ciphers: [active] }).unseal('sign-in', after)).toEqual(CONTENT);
    expect(contents({ ciphers: [former] }).unseal('sign-in', after)).toBeNull();
  });

  it('is refused while there are no keys, and nothing opens', () => {
    const text = contents({ ciphers: [randomCipher()] }).seal('sign-in', CONTENT, 1000);
    const keyless = contents({ ciphers: null });
    expect(() => keyless.seal('sign-in', CONTENT, 1000)).toThrow('the keys of the session are gone');
    expect(keyless.unseal('sign-in', text)).toBeNull();
  });

  it('is not taken for a session, and a session is not taken for it', () => {
    const { seal, read, sessions } = sealedKeeper();
    const [cookie = ''] = seal('one');
    expect(read(cookie)).toBe('one');
    const bare = cookie.slice(cookie.indexOf('.') + 2);
    expect(sessions.sealer.unseal('sign-in', bare)).toBeNull();
    const text = sessions.sealer.seal('sign-in', { value: 'one' }, 1000);
    expect(read(`${cookie.slice(0, cookie.indexOf('.'))}..${text}`)).toBeNull();
  });

  it('is encrypted under another key than sessions are', () => {
    const key = createSecretKey(randomBytes(32));
    const cipher = directCipher('A256GCM', key)!;
    const header = Buffer.from('{}').toString('base64url');
    const token = cipher.derived('one').seal(header, Buffer.from('text'));
    expect(cipher.open(header, token)).toBeNull();
    expect(cipher.derived('two').open(header, token)).toBeNull();
    expect(cipher.derived('one').open(header, token)?.toString()).toBe('text');
  });
});

describe('content sealed beside sessions in memory', () => {
  it('opens in every unit that shares the memory, and in no other memory or realm', () => {
    const memory = new SharedArrayBuffer(SessionMemory.bytes(LIMITS));
    const text = held(memory).sealer.seal('sign-in', CONTENT, 60_000);
    expect(held(memory).sealer.unseal('sign-in', text)).toEqual(CONTENT);
    expect(held(memory).sealer.unseal('sign-out', text)).toBeNull();
    expect(held(memory, 'tenant').sealer.unseal('sign-in', text)).toBeNull();
    const other = new SharedArrayBuffer(SessionMemory.bytes(LIMITS));
    expect(held(other).sealer.unseal('sign-in', text)).toBeNull();
  });
});
