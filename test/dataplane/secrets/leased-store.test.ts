import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Secret } from '../../../contract/secret.ts';
import {
  type CryptoKey,
  type KeyUsage,
  NoSuchSecret,
  type StoredSecret,
} from '../../../dataplane/heap/objects/secrets.ts';
import { LeasedStore } from '../../../dataplane/secrets/leased-store.ts';
import { revealed } from '../../support/identity/secret-folder.ts';

const generic = (value: string, stableId = value): StoredSecret => {
  return { kind: 'generic', stableId, bytes: new Secret(value) };
};

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

function key(stableId: string, ...usages: KeyUsage[]): CryptoKey {
  const half = usages.includes('verify') ? publicKey : privateKey;
  return {
    kind: 'key',
    stableId,
    key: half,
    certificates: [],
    usages: new Set(usages),
    algorithm: null,
    revocations: [],
  };
}

/** A store whose time and whose source are in the hands of the test. */
function storeOf(read: (id: string) => readonly StoredSecret[] | Promise<readonly StoredSecret[]>, lease = 1000) {
  const time = { now: 0 };
  const logged: Record<string, unknown>[] = [];
  const reading = vi.fn(async (id: string) => read(id));
  const store = new LeasedStore({
    name: 'it',
    source: { read: reading },
    lease,
    log: pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }),
    now: () => time.now,
  });
  onTestFinished(() => store.close());
  return { store, time, reading, logged };
}

describe('a lease', () => {
  it('avoids another read until it expires', async () => {
    const { store, time, reading } = storeOf(() => [generic(`at ${time.now}`)]);
    expect(revealed(await store.active('a'))).toBe('at 0');
    time.now = 999;
    expect(revealed(await store.active('a'))).toBe('at 0');
    expect(reading).toHaveBeenCalledTimes(1);
    time.now = 1000;
    expect(revealed(await store.active('a'))).toBe('at 1000');
  });

  it('has keys at hand, by usage, from the first read until it expires or something changed', async () => {
    const verifying = key('a', 'verify');
    const { store, time } = storeOf((id) => (id === 'a' ? [verifying, key('a', 'sign')] : []));
    expect(store.keysAtHand('verify', 'a')).toBeNull();
    await store.keys('verify', 'a');
    expect(store.keysAtHand('verify', 'a')).toEqual([verifying]);
    expect(store.keysAtHand('encrypt', 'a')).toEqual([]);
    expect(store.keysAtHand('verify', 'b')).toBeNull();
    await expect(store.keys('verify', 'b')).rejects.toThrow(NoSuchSecret);
    expect(store.keysAtHand('verify', 'b')).toEqual([]);
    time.now = 999;
    expect(store.keysAtHand('verify', 'a')).toEqual([verifying]);
    time.now = 1000;
    expect([store.keysAtHand('verify', 'a'), store.keysAtHand('verify', 'b')]).toEqual([null, null]);
    await store.keys('verify', 'a');
    store.changed();
    expect(store.keysAtHand('verify', 'a')).toBeNull();
  });

  it('has nothing at hand where a read failed', async () => {
    const { store } = storeOf(() => Promise.reject(new Error('cannot be read')));
    await expect(store.keys('verify', 'a')).rejects.toThrow('cannot be read');
    expect(store.keysAtHand('verify', 'a')).toBeNull();
  });

  it('exists for each secret id separately', async () => {
    const { store, reading } = storeOf((id) => [generic(id)]);
    expect(revealed(await store.active('a'))).toBe('a');
    expect(revealed(await store.active('b'))).toBe('b');
    expect(reading).toHaveBeenCalledTimes(2);
  });

  it('starts with one read for all concurrent lookups', async () => {
    const { store, reading } = storeOf(() => [generic('x')]);
    await Promise.all([store.active('a'), store.valid('a'), store.active('a')]);
    expect(reading).toHaveBeenCalledTimes(1);
  });

  it('allows the old value while the new one cannot be read, but not after it expires', async () => {
    let read = (): StoredSecret[] => [generic('old')];
    const { store, time, reading, logged } = storeOf(() => read());
    await store.active('a');
    read = () => {
      throw new Error('broken');
    };
    store.changed();
    time.now = 500;
    expect(revealed(await store.active('a'))).toBe('old');
    expect(revealed(await store.active('a'))).toBe('old');
    expect(reading).toHaveBeenCalledTimes(2); // it is not tried for every question
    expect(logged).toHaveLength(1);
    time.now = 1000;
    await expect(store.active('a')).rejects.toThrow('broken');
    read = () => [generic('new')];
    await expect(store.active('a')).rejects.toThrow('broken');
    time.now = 2000;
    expect(revealed(await store.active('a'))).toBe('new');
  });

  it.each<readonly [string, () => readonly StoredSecret[]]>([
    ['there is nothing', () => []],
    [
      'it cannot be read',
      () => {
        throw new Error('broken');
      },
    ],
  ])('does not cause a read for every request if %s', async (_, nothing) => {
    let read = nothing;
    const { store, time, reading } = storeOf(() => read());
    for (let i = 0; i < 3; i++) await expect(store.keys('verify', 'a')).rejects.toThrow();
    expect(reading).toHaveBeenCalledTimes(1);
    time.now = 1000;
    await expect(store.active('a')).rejects.toThrow();
    expect(reading).toHaveBeenCalledTimes(2);
    read = () => [generic('new')];
    store.changed();
    expect(revealed(await store.active('a'))).toBe('new');
  });

  it('ends at once when the secret is removed', async () => {
    let secrets = [generic('old')];
    const { store } = storeOf(() => secrets);
    await store.active('a');
    secrets = [];
    store.changed();
    await expect(store.active('a')).rejects.toThrow(NoSuchSecret);
  });

  it('does not start with a value that was read before a change', async () => {
    const answers: ((secrets: readonly StoredSecret[]) => void)[] = [];
    const { store } = storeOf(() => new Promise((resolve) => answers.push(resolve)));
    const before = store.active('a');
    store.changed();
    const after = store.active('a');
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]!([generic('new')]);
    answers[0]!([generic('old')]);
    expect(revealed(await before)).toBe('old');
    expect(revealed(await after)).toBe('new');
    expect(revealed(await store.active('a'))).toBe('new');
  });
});

describe('a change listener', () => {
  it('is called for changes until it unsubscribes', () => {
    const { store } = storeOf(() => []);
    const [one, two] = [vi.fn(), vi.fn()];
    const end = store.watch(one);
    store.watch(two);
    store.changed();
    end();
    store.changed();
    expect(one).toHaveBeenCalledTimes(1);
    expect(two).toHaveBeenCalledTimes(2);
  });

  describe('is called over time', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    async function advance(time: { now: number }, milliseconds: number): Promise<void> {
      time.now += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
    }

    it('when a lease expires, and when the next one does', async () => {
      const { store, time } = storeOf(() => [generic('x')]);
      const heard = vi.fn(() => void store.active('a'));
      store.watch(heard);
      await store.active('a');
      await advance(time, 999);
      expect(heard).not.toHaveBeenCalled();
      await advance(time, 1);
      expect(heard).toHaveBeenCalledTimes(1);
      await advance(time, 1000);
      expect(heard).toHaveBeenCalledTimes(2);
    });

    it.each([
      ['broken', () => Promise.reject(new Error('broken'))],
      ['missing', () => []],
    ])('repeatedly while a secret is %s', async (_, read) => {
      const { store, time } = storeOf(read, 60_000);
      const heard = vi.fn(() => void store.active('a').catch(() => {}));
      store.watch(heard);
      heard();
      await advance(time, 0);
      for (let second = 0; second < 3; second++) await advance(time, 1000);
      expect(heard).toHaveBeenCalledTimes(4);
    });

    it('and leaves no timer after the last listener unsubscribes', async () => {
      const { store } = storeOf(() => [generic('x')]);
      const end = store.watch(() => {});
      await store.active('a');
      expect(vi.getTimerCount()).toBe(1);
      end();
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  it('that throws does not prevent calls of other listeners', () => {
    const { store, logged } = storeOf(() => []);
    const heard = vi.fn();
    store.watch(() => {
      throw new Error('listener');
    });
    store.watch(heard);
    store.changed();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(logged).toMatchObject([{ err: { message: 'listener' } }]);
  });

  it('is not called after the store is closed', async () => {
    const { store, time } = storeOf(() => [generic('x')], 1);
    const heard = vi.fn();
    store.watch(heard);
    await store.active('a');
    store.close();
    time.now = 10;
    store.changed();
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('a purpose', () => {
  const pair = [key('one', 'sign'), key('one', 'verify')];
  const other = [key('two', 'sign'), key('two', 'verify')];
  const cases: readonly (readonly [string, readonly StoredSecret[], KeyUsage, readonly string[] | string])[] = [
    ['gets the first', [...pair, ...other], 'sign', ['one', 'one,two']],
    ['gets the other half of the first', [...pair, ...other], 'verify', ['one', 'one,two']],
    ['does not get a later one', [key('one', 'verify'), ...other], 'sign', [' ', 'two']],
    ['is not met', pair, 'encrypt', "that may encrypt in 'it': the stored value is a CryptoKey, a private key of the"],
    ['is not met by bytes', [generic('x')], 'sign', "that may sign in 'it': the stored value is a GenericSecret"],
    ['is not met by PEM that nobody read', [generic('-----BEGIN X-----')], 'sign', 'has to be a PemPropertyFormat'],
    ['is not met by nothing', [], 'sign', "there is no secret 'a.b' that may sign in 'it'"],
  ];

  it.each(cases)('%s', async (_, secrets, usage, expected) => {
    const { store } = storeOf(() => secrets);
    if (typeof expected === 'string') {
      await expect(store.key(usage, 'a.b')).rejects.toThrow(expected);
      await expect(store.keys(usage, 'a.b')).rejects.toThrow(NoSuchSecret);
      return;
    }
    const active = await store.key(usage, 'a.b').then(
      (found) => found.stableId,
      () => ' ',
    );
    const all = (await store.keys(usage, 'a.b')).map(({ stableId }) => stableId);
    expect([active, all.join()]).toEqual(expected);
  });

  it('names a key by its stable id', async () => {
    const { store } = storeOf(() => [...pair, ...other]);
    expect(await store.named('verify', 'a', 'two')).toBe(other[1]);
    await expect(store.named('verify', 'a', 'three')).rejects.toThrow('no key has the requested stable id');
    await expect(store.named('encrypt', 'a', 'two')).rejects.toThrow(NoSuchSecret);
  });

  it('for generic secrets does not accept a key', async () => {
    const { store } = storeOf(() => pair);
    await expect(store.active('a')).rejects.toThrow("there is no secret 'a' of the kind GenericSecret in 'it'");
    await expect(store.valid('a')).rejects.toThrow(NoSuchSecret);
  });

  it('for generic secrets returns all valid ones, active ones first', async () => {
    const { store } = storeOf(() => [generic('new'), generic('old')]);
    expect((await store.valid('a')).map(revealed)).toEqual(['new', 'old']);
    expect(revealed(await store.active('a'))).toBe('new');
  });
});
