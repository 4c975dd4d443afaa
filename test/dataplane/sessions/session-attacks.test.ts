import { createSecretKey, randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { compactDecrypt } from 'jose';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import type { Session } from '../../../dataplane/engine/message/session.ts';
import { directCipher } from '../../../dataplane/jose/direct-cipher.ts';
import { ManagedSessions, type SavingKeeper } from '../../../dataplane/sessions/managed-sessions.ts';
import { ask } from '../../support/clients/answers.ts';
import { CookieJar } from '../../support/clients/cookie-jar.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { keyFolder } from '../../support/identity/key-folder.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';
import { heldKeeper } from '../../support/state/held-sessions.ts';
import { randomCipher, sealedKeeper } from '../../support/state/sealed-sessions.ts';
import { sessionRoute, startSessions } from '../../support/state/session-gateway.ts';

const MANAGERS = ['AuthenticatedEncryptedJwtSessionManager', 'InMemorySessionManager'] as const;
const [JWT] = MANAGERS;

/** A manager whose cookie is `s`. */
function manager(type: (typeof MANAGERS)[number], config: JsonObject = {}): JsonObject {
  return { type, config: { cookie: { name: 's' }, ...config } };
}

/**
 * A gateway whose handler uses the session as filters do, and answers with its values.
 * @returns asks for a target with the cookies of a jar, which takes those of the answer
 */
async function startManaged(
  keeper: SavingKeeper,
  use: (session: Session, target: string) => void,
): Promise<(target: string, jar: CookieJar) => Promise<string>> {
  const parts = { log: pino({ level: 'silent' }), type: 'Sessions', qualifiedName: 'sessions' };
  const cookieScope = { path: '/', secure: false, sameSite: 'LAX' } as const;
  const sessions = new ManagedSessions({ cookieName: 's', configuredName: 's', cookieScope }, keeper, parts);
  const gateway = await startGateway({
    handler: () => (exchange) => {
      void sessions.enter(exchange);
      const session = exchange.session!;
      use(session, exchange.request.receivedPath);
      const seen = session.names().map((name) => `${name}=${session.get(name)}`);
      return sessions.leave(textResponse(200, seen.join(' ')), exchange)!;
    },
  });
  onTestFinished(() => gateway.close());
  return async (target, jar) => {
    const head = [`GET ${target} HTTP/1.1`, 'Host: gw.test', ...jar.header].map((line) => `${line}\r\n`).join('');
    const answer = await ask(gateway.port, head);
    jar.take([...answer.head.matchAll(/^set-cookie: (.*)$/gim)].map(([, line]) => line!.trim()));
    return answer.body;
  };
}

describe.each(MANAGERS)('%s', (type) => {
  it.each<[string, (valid: string) => string[]]>([
    ['4000 parts', () => [Array.from({ length: 4000 }, (_, at) => `s_${(at % 9) + 1}=x`).join(';')]],
    ['4000 values of one part', () => [Array.from({ length: 4000 }, (_, at) => `s=${at.toString(36)}`).join(';')]],
    ['parts on many lines', () => Array.from({ length: 90 }, (_, at) => `s_${at}=${'x'.repeat(200)}; s=${at}`)],
    ['parts with huge numbers', () => [`s_${'9'.repeat(10_000)}=x; s_1e9=x; s_-1=x; s_01=x; s=x`]],
    ['one cookie of 30,000 characters', () => [`s=${'A'.repeat(30_000)}`]],
    ['a valid cookie with 25,000 more characters', (valid) => [`s=${valid}${'A'.repeat(25_000)}`]],
    ['30,000 dots', () => [`s=${'.'.repeat(30_000)}`]],
    ['a valid cookie behind 3000 others', (valid) => [`${'s=a;s=b;s=c;s=d;'.repeat(750)}s=${valid}`]],
  ])('gives %s an empty session, which the next save overwrites', async (_, cookies) => {
    const { visit, send, seen } = await startSessions({ app: sessionRoute(manager(type)) });
    const jar = new CookieJar();
    await visit('/?set=valid', jar);
    const lines = cookies(jar.get('s')!).map((line) => `Cookie: ${line}`);
    const answer = await send('/', lines);
    expect(answer).toMatchObject({ status: 200, value: '', body: 'served' });
    expect(answer.setCookies.length).toBeLessThanOrEqual(6);
    for (const line of answer.setCookies) expect(line).toMatch(/^s(?:_[1-5])?=; .*Max-Age=0/);
    const saved = await send('/?set=fresh', lines);
    expect(saved).toMatchObject({ status: 200, value: 'fresh' });
    const fresh = new CookieJar();
    fresh.take(saved.setCookies);
    expect(fresh.names).toEqual(['s']);
    expect((await visit('/', fresh)).value).toBe('fresh');
    expect(seen.flat().join()).not.toMatch(/(?:^|;)\s*s=/);
  });

  it('opens a session beside forged cookies of its name, in any order, and none beside a second session', async () => {
    const { visit, send } = await startSessions({ app: sessionRoute(manager(type)) });
    const [mine, theirs] = [new CookieJar(), new CookieJar()];
    await visit('/?set=mine', mine);
    await visit('/?set=theirs', theirs);
    const [valid, planted] = [mine.get('s')!, theirs.get('s')!];
    const forged = `${valid.slice(0, -4)}AAAA`;
    for (const cookie of [`s=${forged}; s=${valid}`, `s=${valid}; s=${forged}`, `s=${valid}; s="${valid}"`]) {
      expect(await send('/', [`Cookie: ${cookie}`])).toMatchObject({ status: 200, value: 'mine', setCookies: [] });
    }
    for (const cookie of [`s=${planted}; s=${valid}`, `s=${valid}; s=${planted}`]) {
      expect(await send('/', [`Cookie: ${cookie}`])).toMatchObject({ status: 200, value: '' });
    }
    expect((await visit('/', mine)).value).toBe('mine');
  });
});

describe('sessions in memory', () => {
  it('keep the different values that parallel requests set', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `name${at}`);
    const asks = (name: string): string => `request.queryParams['name'][0] == '${name}'`;
    const filter = {
      type: 'AssignmentFilter',
      config: {
        onRequest: names.map((name) => ({
          condition: `\${${asks(name)}}`,
          target: `\${session.${name}}`,
          value: name,
        })),
        onResponse: [
          {
            target: "${response.headers['X-Value']}",
            value: names.map((name) => `\${session.${name}}`).join(''),
          },
        ],
      },
    };
    const waiting = Promise.withResolvers<void>();
    let arrived = -1; // the one that begins the session
    const { visit, send } = await startSessions({ app: sessionRoute(undefined, [filter]) }, {}, () => {
      arrived++;
      if (arrived === names.length) waiting.resolve();
      return arrived > 0 && arrived <= names.length ? waiting.promise : Promise.resolve();
    });
    const jar = new CookieJar();
    await visit('/?name=name0', jar);
    const answers = await Promise.all(names.map((name) => send(`/?name=${name}`, jar.header)));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect((await visit('/', jar)).value).toBe(names.join(''));
  });

  it('have a new id after a renewal: neither a planted id nor the one before opens them', async () => {
    const keeper = heldKeeper();
    const visit = await startManaged(keeper.sessions, (session, target) => {
      if (target === '/visit') session.set('cart', 'full');
      if (target !== '/sign-in') return;
      session.renew();
      session.set('user', 'ann');
    });
    const holding = (id: string): CookieJar => {
      const jar = new CookieJar();
      jar.set('s', id);
      return jar;
    };
    // an id that the attacker invented, and one of a session that the attacker began
    const attacker = new CookieJar();
    await visit('/visit', attacker);
    for (const planted of ['A'.repeat(32), attacker.get('s')!]) {
      const victim = holding(planted);
      expect(await visit('/sign-in', victim)).toContain('user=ann');
      expect(victim.get('s')).toMatch(/^[\w-]{32}$/);
      expect(victim.get('s')).not.toBe(planted);
      expect(await visit('/', holding(planted))).toBe('');
      expect(await visit('/', victim)).toContain('user=ann');
    }
    expect(keeper.table.size).toBe(2);
  });
});

describe('the keys of encrypted sessions', () => {
  it('rotate through watched files: the old one opens sessions while it is there, the new one seals them', async () => {
    const [old, fresh] = [randomBytes(32), randomBytes(32)];
    const [active, retired] = [secretFolder({ key: old }), secretFolder()];
    const format = { type: 'SecretKeyPropertyFormat', config: { format: 'PLAIN', algorithm: 'AES' } };
    const store = (directory: string): JsonValue => ({ type: 'FileSystemSecretStore', config: { directory, format } });
    const secretsProvider = { type: 'SecretsProvider', config: { stores: [store(active), store(retired)] } };
    const config = { authenticatedEncryptionSecretId: 'key', secretsProvider };
    const { visit, send } = await startSessions({ app: sessionRoute(manager(JWT, config)) });
    const replace = (folder: string, bytes: Buffer): void => {
      writeFileSync(join(folder, '.new'), bytes);
      renameSync(join(folder, '.new'), join(folder, 'key'));
    };
    const isSealedWith = async (key: Buffer): Promise<boolean> => {
      const jar = new CookieJar();
      await visit('/?set=probe', jar);
      return compactDecrypt(jar.get('s')!, key).then(
        () => true,
        () => false,
      );
    };
    const early = new CookieJar();
    await visit('/?set=early', early);
    expect(await isSealedWith(old)).toBe(true);

    replace(retired, old);
    replace(active, fresh);
    await vi.waitFor(async () => expect(await isSealedWith(fresh)).toBe(true), { timeout: 20_000 });
    await vi.waitFor(async () => expect((await send('/', early.header)).value).toBe('early'), { timeout: 20_000 });
    const changed = new CookieJar();
    changed.set('s', early.get('s')!);
    await visit('/?set=changed', changed);
    await expect(compactDecrypt(changed.get('s')!, fresh)).resolves.toBeDefined();

    rmSync(join(retired, 'key'));
    await vi.waitFor(async () => expect((await send('/', early.header)).value).toBe(''), { timeout: 20_000 });
    expect(await send('/', early.header)).toMatchObject({ status: 200, body: 'served' });
    expect((await visit('/', changed)).value).toBe('changed');
  });

  it('do not make a compressed session that grows beyond the limit anything but empty', async () => {
    const bytes = randomBytes(32);
    const config = {
      authenticatedEncryptionSecretId: 'key',
      secretsProvider: keyFolder({ key: { bytes, algorithm: 'AES' } }),
      useCompression: true,
    };
    const { visit, send } = await startSessions({ app: sessionRoute(manager(JWT, config)) });
    const jar = new CookieJar();
    await visit('/?set=one', jar);
    const header = jar.get('s')!.split('.')[0]!;
    const cipher = directCipher('A256GCM', createSecretKey(bytes))!;
    const cookie = (filler: number): string => {
      const now = Date.now() / 1000;
      const claims = { exp: now + 600, iat: now, jti: 'x', session: { value: 'small', filler: 'a'.repeat(filler) } };
      return `Cookie: s=${cipher.seal(header, deflateRawSync(Buffer.from(JSON.stringify(claims))))}`;
    };
    expect((await send('/', [cookie(100_000)])).value).toBe('small');
    const bomb = cookie(16 << 20);
    expect(bomb.length).toBeLessThan(30_000);
    expect(await send('/', [bomb])).toMatchObject({ status: 200, value: '', body: 'served' });
  });
});

describe('the cookies of one request', () => {
  it('cause a bounded number of decryptions, however many look valid', async () => {
    const cipher = randomCipher();
    let opened = 0;
    const open: typeof cipher.open = (header, token) => {
      opened++;
      return cipher.open(header, token);
    };
    const keeper = sealedKeeper({}, [{ ...cipher, open }]);
    const visit = await startManaged(keeper.sessions, () => {});
    const jar = new CookieJar();
    const [valid = ''] = keeper.seal('one');
    jar.set('s', valid);
    expect([await visit('/', jar), opened]).toEqual(['value=one', 1]);
    const forged = Array.from({ length: 100 }, (_, at) => `${valid.slice(0, -3)}${100 + at}`);
    jar.set('s', forged.join('; s='));
    expect(await visit('/', jar)).toBe('');
    expect(opened).toBe(5);
  });
});

describe('the cache of opened cookies', () => {
  it('forgets sessions without changing what requests read', async () => {
    const { visit, send } = await startSessions({ app: sessionRoute(manager(JWT)) });
    // together more than the cache holds
    const jars = Array.from({ length: 150 }, () => new CookieJar());
    const value = (at: number): string => `${at}-${'x'.repeat(7000)}`;
    for (const [at, jar] of jars.entries()) await visit(`/?set=${value(at)}`, jar);
    for (let round = 0; round < 2; round++) {
      for (const [at, jar] of jars.entries()) expect((await send('/', jar.header)).value).toBe(value(at));
    }
    expect((await send('/', [jars[0]!.header[0]!.replace(/.$/, '')])).value).toBe('');
  });
});
