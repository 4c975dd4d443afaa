import { createSecretKey, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { compactDecrypt } from 'jose';
import { describe, expect, it } from 'vitest';
import { NO_SESSION, Session } from '../../../dataplane/engine/message/session.ts';
import { directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { contentEncryptionAlgorithms } from '../../../dataplane/jose/encryption-algorithm.ts';
import { randomCipher, sealedKeeper } from '../../support/state/sealed-sessions.ts';

const LONG = 'abcdefgh'.repeat(1000);

/** The header of a cookie with other members. */
function withHeader(cookie: string, members: object): string {
  const [header = '', ...rest] = cookie.split('.');
  const changed = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...members };
  return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...rest].join('.');
}

describe.each(contentEncryptionAlgorithms)('a session sealed with %s', (method) => {
  it('opens with the same key, and is a JWE that other software decrypts', async () => {
    const key = createSecretKey(
      randomBytes({ A128: 16, A192: 24, A256: 32 }[method.slice(0, 4)]! * (method.endsWith('GCM') ? 1 : 2)),
    );
    const { seal, read } = sealedKeeper({ method }, [directCipher(method, key)!]);
    const [cookie = ''] = seal('one');
    expect(read(cookie)).toBe('one');
    const { plaintext } = await compactDecrypt(cookie, key);
    expect(JSON.parse(Buffer.from(plaintext).toString())).toMatchObject({ session: { value: 'one' } });
  });

  it('does not open after a change of any character', () => {
    const { seal, read } = sealedKeeper({ method });
    const [cookie = ''] = seal('one');
    for (let at = 0; at < cookie.length; at++) {
      for (const other of ['A', 'B', '.', '=']) {
        if (cookie[at] === other) continue;
        const changed = cookie.slice(0, at) + other + cookie.slice(at + 1);
        expect(read(changed), `at ${at}: ${other}`).toBeNull();
      }
    }
    expect(read(cookie)).toBe('one');
  });

  it('does not open when it was cut or extended', () => {
    const { seal, read } = sealedKeeper({ method });
    const [cookie = ''] = seal('one');
    for (let end = 0; end < cookie.length; end++) expect(read(cookie.slice(0, end))).toBeNull();
    for (const more of ['A', 'AA', 'AAAA', '.', '.AAAA', '=']) expect(read(cookie + more)).toBeNull();
  });
});

describe('a sealed session', () => {
  it('does not open under another key, cookie name or realm', () => {
    const cipher = randomCipher();
    const [cookie = ''] = sealedKeeper({ realm: 'a' }, [cipher]).seal('one');
    expect(sealedKeeper({ realm: 'a' }, [cipher]).read(cookie)).toBe('one');
    expect(sealedKeeper({ realm: 'a' }, [cipher], 'other').read(cookie)).toBeNull();
    expect(sealedKeeper({ realm: 'b' }, [cipher]).read(cookie)).toBeNull();
    expect(sealedKeeper({ realm: 'a' }).read(cookie)).toBeNull();
  });

  it.each([
    { alg: 'none' },
    { alg: 'A256KW' },
    { enc: 'A128CBC-HS256' },
    { zip: 'DEF' },
    { parts: 1 },
    { parts: 2 },
    { kid: 'x' },
    { aud: 'x' },
  ])('does not open with the header %j', (members) => {
    const { seal, read } = sealedKeeper();
    const [cookie = ''] = seal('one');
    expect(read(withHeader(cookie, {}))).toBe('one');
    expect(read(withHeader(cookie, members), 'x')).toBeNull();
  });

  it('opens with every valid key, is written with the active one, and is gone with its key', () => {
    const [old, fresh] = [randomCipher(), randomCipher()];
    const { keys, seal, read } = sealedKeeper({}, [old]);
    const [first = ''] = seal('one');
    keys.ciphers = [fresh, old];
    expect(read(first)).toBe('one');
    const [second = ''] = seal('two');
    keys.ciphers = [fresh];
    expect([read(first), read(second)]).toEqual([null, 'two']);
    keys.ciphers = [old];
    expect([read(first), read(second)]).toEqual(['one', null]);
  });

  it('ends at its timeout however often it is saved, and a shorter timeout holds at once', () => {
    const { clock, seal, sessions, read } = sealedKeeper({ timeout: 1000, skew: 100 });
    let [cookie = ''] = seal('one');
    clock.now += 999;
    const session = new Session(sessions, [[cookie]], NO_SESSION);
    session.set('value', 'two');
    cookie = /=([^;]*)/.exec(sessions.save(session)[0]!)![1]!;
    expect(read(cookie)).toBe('two');
    clock.now += 100;
    expect(read(cookie)).toBe('two');
    clock.now += 1;
    expect(read(cookie)).toBeNull();
  });

  it('gets a new lifetime and another id when it is renewed, and keeps its values', () => {
    const { clock, seal, sessions, read } = sealedKeeper({ timeout: 1000 });
    const [cookie = ''] = seal('one');
    clock.now += 900;
    const session = new Session(sessions, [[cookie]], NO_SESSION);
    const before = session.id;
    session.renew();
    expect(session.id).not.toBe(before);
    const renewed = /=([^;]*)/.exec(sessions.save(session)[0]!)![1]!;
    clock.now += 900;
    expect([read(cookie), read(renewed)]).toEqual([null, 'one']);
  });

  it.each([
    ['swapped', ([a, b, c]: string[]) => [a!, c!, b!]],
    ['repeated', ([a, b]: string[]) => [a!, b!, b!]],
    ['missing at the end', ([a, b]: string[]) => [a!, b!]],
    ['missing in the middle', ([a, , c]: string[]) => [a!, [], c!]],
    ['the first alone', ([a]: string[]) => [a!]],
    ['without the first', ([, b, c]: string[]) => [[], b!, c!]],
    ['joined in the first', (parts: string[]) => [parts.join('')]],
  ])('does not open with parts that are %s', (_, change) => {
    const { seal, read } = sealedKeeper();
    const parts = seal(LONG);
    expect(parts).toHaveLength(3);
    expect(read(...parts)).toBe(LONG);
    expect(read(...change(parts))).toBeNull();
  });

  it('does not open with parts of two sessions, and ignores parts beyond its own', () => {
    const { seal, read } = sealedKeeper();
    const [one, two] = [seal(LONG), seal(LONG)];
    expect(read(one[0]!, two[1]!, one[2]!)).toBeNull();
    expect(read(one[0]!, [one[1]!, two[1]!], one[2]!)).toBeNull();
    expect(read(...one, 'left over')).toBe(LONG);
    expect(read(seal('short')[0]!, ...one.slice(1))).toBe('short');
  });

  it('opens beside a forged cookie of the same name, and is empty beside another session', () => {
    const { seal, read } = sealedKeeper();
    const [mine = '', theirs = ''] = [seal('mine')[0], seal('theirs')[0]];
    expect(read(['forged', mine])).toBe('mine');
    expect(read([mine, theirs])).toBeNull();
    expect(read([theirs, mine])).toBeNull();
  });

  it('is compressed where asked, and never inflated beyond its limit', () => {
    const cipher = randomCipher();
    const { seal, read } = sealedKeeper({ compresses: true }, [cipher]);
    const [cookie = '', ...more] = seal(LONG);
    expect(more).toEqual([]);
    expect(read(cookie)).toBe(LONG);
    expect(sealedKeeper({}, [cipher]).read(cookie)).toBeNull();
    const claims = (size: number) =>
      JSON.stringify({ exp: 1e10, iat: 1893456000, jti: 'x', session: { value: 'a'.repeat(size) } });
    const bomb = (size: number) => cipher.seal(cookie.split('.')[0]!, deflateRawSync(Buffer.from(claims(size))));
    expect(read(bomb(100_000))).toHaveLength(100_000);
    expect(bomb(2 << 20).length).toBeLessThan(4000);
    expect(read(bomb(2 << 20))).toBeNull();
  });

  it.each([
    '[]',
    '{}',
    '"x"',
    'x',
    '{"exp":1e10,"iat":1,"jti":"x","session":[]}',
    '{"exp":"1","iat":1,"jti":"x","session":{}}',
  ])('does not open for a token of the same key that holds %s', (text) => {
    const cipher = randomCipher();
    const { seal, read } = sealedKeeper({}, [cipher]);
    const header = seal('one')[0]!.split('.')[0]!;
    expect(read(cipher.seal(header, Buffer.from(text)))).toBeNull();
  });
});
