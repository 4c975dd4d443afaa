import { generateKeyPairSync } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CryptoKey, NoSuchSecret, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { cryptoKeyOf } from '../../../dataplane/jose/jwk.ts';
import { JwkSetStore } from '../../../dataplane/secrets/jwk-set-store.ts';

const SECONDS = 1000;

function keyNamed(kid: string, more: object = {}): CryptoKey {
  const { publicKey } = generateKeyPairSync('ed25519');
  const [key] = cryptoKeyOf({ ...publicKey.export({ format: 'jwk' }), kid, ...more }).keys;
  return key!;
}

const a = keyNamed('a');
const b = keyNamed('b');
const c = keyNamed('c');

/** A store with a clock and an endpoint that the test moves. */
function arranged(first: readonly CryptoKey[] = [a, b], times: { lease?: number; refresh?: number } = {}) {
  const state = { now: 0, keys: first, isDown: false, fetches: 0, waiting: [] as (() => void)[], isHeld: false };
  const logged: { msg: string }[] = [];
  const store = new JwkSetStore({
    name: 'store',
    log: pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }),
    lease: times.lease ?? 300 * SECONDS,
    refresh: times.refresh ?? 120 * SECONDS,
    missPause: 120 * SECONDS,
    now: () => state.now,
    async fetch() {
      state.fetches++;
      const { keys } = state;
      if (state.isHeld) await new Promise<void>((resolve) => state.waiting.push(resolve));
      if (state.isDown) throw new Error('the endpoint is down');
      return keys;
    },
  });
  const ids = async (): Promise<string[]> => (await store.keys('verify', 'any')).map(({ stableId }) => stableId);
  /** What was begun in the background is over. */
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { store, state, ids, logged, settled };
}

describe('a store of a JWK set', () => {
  it('returns all keys in order for every id, the first one as active', async () => {
    const { store, ids, state } = arranged([a, b]);
    expect(await ids()).toEqual(['a', 'b']);
    expect(await store.keys('verify', 'other')).toBe(await store.keys('verify', 'any'));
    expect(await store.key('verify', 'x')).toBe(a);
    expect(await store.named('verify', 'x', 'b')).toBe(b);
    expect(state.fetches).toBe(1);
  });

  it('returns only keys that allow the usage, and no generic secrets', async () => {
    const { store } = arranged([keyNamed('enc', {}), a]);
    await expect(store.keys('encrypt', 'x')).rejects.toThrow(NoSuchSecret);
    await expect(store.key('sign', 'x')).rejects.toThrow(NoSuchSecret);
    await expect(store.active('x')).rejects.toThrow(NoSuchSecret);
    await expect(store.valid('x')).rejects.toThrow(NoSuchSecret);
  });

  it('has keys at hand from the first fetch until their lease is over, and fetches them anew in time', async () => {
    const { store, state, settled } = arranged([a, b]);
    expect(store.keysAtHand('verify')).toBeNull();
    await store.keys('verify', 'any');
    expect(store.keysAtHand('verify')).toEqual([a, b]);
    expect(store.keysAtHand('sign')).toEqual([]);
    state.now = 130 * SECONDS;
    state.keys = [c];
    expect(store.keysAtHand('verify')).toEqual([a, b]);
    await settled();
    expect(store.keysAtHand('verify')).toEqual([c]);
    state.isDown = true;
    state.now = 429 * SECONDS;
    expect(store.keysAtHand('verify')).toEqual([c]);
    state.now = 430 * SECONDS;
    expect(store.keysAtHand('verify')).toBeNull();
  });

  it('shares one fetch between concurrent lookups', async () => {
    const { store, state } = arranged();
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.keys('verify', `id${at}`)));
    expect(state.fetches).toBe(1);
  });

  it('serves the current keys while it fetches again', async () => {
    const { ids, state, settled } = arranged([a]);
    await ids();
    state.now = 120 * SECONDS;
    state.keys = [b];
    state.isHeld = true;
    expect(await ids()).toEqual(['a']);
    expect(await ids()).toEqual(['a']);
    expect(state.fetches).toBe(2);
    for (const go of state.waiting) go();
    await settled();
    expect(await ids()).toEqual(['b']);
    expect(state.fetches).toBe(2);
  });

  it('fetches again before the lease expires even if the cache time is longer', async () => {
    const { ids, state, settled } = arranged([a], { lease: 60 * SECONDS, refresh: 600 * SECONDS });
    await ids();
    state.now = 45 * SECONDS;
    expect(await ids()).toEqual(['a']);
    await settled();
    expect(state.fetches).toBe(2);
    state.now = 100 * SECONDS;
    state.isDown = true;
    expect(await ids()).toEqual(['a']);
  });

  it('keeps the keys until the lease expires when the endpoint fails, and then has none', async () => {
    const { ids, state, settled, logged } = arranged([a]);
    await ids();
    state.isDown = true;
    state.now = 150 * SECONDS;
    expect(await ids()).toEqual(['a']);
    await settled();
    expect(logged.map(({ msg }) => msg)).toEqual([expect.stringContaining('using the cached keys')]);
    state.now = 299 * SECONDS;
    expect(await ids()).toEqual(['a']);
    await settled();
    state.now = 300 * SECONDS;
    await expect(ids()).rejects.toThrow(UnreadableSecret);
    state.isDown = false;
    state.now = 400 * SECONDS;
    expect(await ids()).toEqual(['a']);
  });

  it('backs off from a failing endpoint, up to one minute', async () => {
    const { ids, state } = arranged();
    state.isDown = true;
    const tries: number[] = [];
    for (state.now = 0; state.now < 300 * SECONDS; state.now += 500) {
      const before = state.fetches;
      await expect(ids()).rejects.toThrow('the endpoint is down');
      if (state.fetches > before) tries.push(state.now / SECONDS);
    }
    expect(tries).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  });

  describe('asked for an unknown key', () => {
    it('fetches once and finds a new key', async () => {
      const { store, state } = arranged([a]);
      await store.keys('verify', 'x');
      state.now = 1 * SECONDS;
      state.keys = [c, a];
      const found = await Promise.all(Array.from({ length: 50 }, () => store.named('verify', 'x', 'c')));
      expect(new Set(found)).toEqual(new Set([c]));
      expect(state.fetches).toBe(2);
    });

    it('does not fetch twice for the first lookup', async () => {
      const { store, state } = arranged([a]);
      await expect(store.named('verify', 'x', 'c')).rejects.toThrow(NoSuchSecret);
      expect(state.fetches).toBe(1);
    });

    it('limits fetches for a flood of made-up key ids by a budget that refills', async () => {
      const { store, state } = arranged([a]);
      await store.keys('verify', 'x');
      state.now = 1 * SECONDS;
      const flood = Array.from({ length: 1000 }, (_, at) => store.named('verify', 'x', `no-${at}`));
      expect((await Promise.allSettled(flood)).every(({ status }) => status === 'rejected')).toBe(true);
      expect(state.fetches).toBe(2);
      for (let at = 0; at < 1000; at++) {
        state.now++;
        await store.named('verify', 'x', `more-${at}`).catch(() => {});
      }
      expect(state.fetches).toBe(5);
      for (state.now = 3 * SECONDS; state.now <= 61 * SECONDS; state.now += SECONDS) {
        await store.named('verify', 'x', `at-${state.now}`).catch(() => {});
      }
      expect(state.fetches).toBe(11);
    });

    it('finds a rotated key at once after a made-up key id', async () => {
      const { store, state } = arranged([a]);
      await store.keys('verify', 'x');
      state.now = 1 * SECONDS;
      await expect(store.named('verify', 'x', 'made-up')).rejects.toThrow(NoSuchSecret);
      state.keys = [c];
      state.now = 2 * SECONDS;
      expect(await store.named('verify', 'x', 'c')).toBe(c);
    });

    it('finds a rotated key within ten seconds during a flood of made-up key ids', async () => {
      const { store, state } = arranged([a]);
      await store.keys('verify', 'x');
      let foundAt = -1;
      for (state.now = 1 * SECONDS; foundAt < 0 && state.now < 60 * SECONDS; state.now += 100) {
        if (state.now === 30 * SECONDS) state.keys = [c, a];
        await store.named('verify', 'x', `made-up-${state.now}`).catch(() => {});
        if (state.now < 30 * SECONDS) continue;
        await store.named('verify', 'x', 'c').then(
          () => (foundAt = state.now),
          () => {},
        );
      }
      expect(foundAt - 30 * SECONDS).toBeLessThanOrEqual(10 * SECONDS);
    });

    it('fetches at most once per pause for the same unknown key id', async () => {
      const { store, state } = arranged([a], { lease: 3000 * SECONDS, refresh: 2000 * SECONDS });
      await store.keys('verify', 'x');
      for (state.now = 1 * SECONDS; state.now < 240 * SECONDS; state.now += SECONDS) {
        await store.named('verify', 'x', 'retired').catch(() => {});
      }
      expect(state.fetches).toBe(3);
    });

    it('does not fetch for an unknown key right after a failed fetch', async () => {
      const { store, state } = arranged([a]);
      await store.keys('verify', 'x');
      state.isDown = true;
      state.now = 1 * SECONDS;
      await expect(store.named('verify', 'x', 'c')).rejects.toThrow(NoSuchSecret);
      await expect(store.named('verify', 'x', 'c')).rejects.toThrow(NoSuchSecret);
      expect(state.fetches).toBe(2);
      expect(await store.named('verify', 'x', 'a')).toBe(a);
    });
  });

  it('notifies listeners only when the keys changed', async () => {
    const { store, ids, state, settled } = arranged([a]);
    let told = 0;
    const end = store.watch(() => told++);
    await ids();
    expect(told).toBe(1);
    state.now = 130 * SECONDS;
    await ids();
    await settled();
    expect(state.fetches).toBe(2);
    expect(told).toBe(1);
    state.keys = [a, c];
    state.now = 260 * SECONDS;
    await ids();
    await settled();
    expect(told).toBe(2);
    end();
    store.close();
  });

  it('fetches for listeners without a lookup, and notifies them when the lease expires', async () => {
    let keys = [a];
    let isDown = false;
    const store = new JwkSetStore({
      name: 'store',
      log: pino({ level: 'silent' }),
      lease: 200,
      refresh: 5,
      missPause: 1,
      async fetch() {
        if (isDown) throw new Error('the endpoint is down');
        return keys;
      },
    });
    onTestFinished(() => store.close());
    let told = 0;
    store.watch(() => told++);
    await store.keys('verify', 'x');
    expect(told).toBe(1);
    keys = [b];
    await expect.poll(() => told, { timeout: 120_000 }).toBe(2);
    expect(await store.key('verify', 'x')).toBe(b);
    isDown = true;
    await expect.poll(() => told, { timeout: 120_000 }).toBe(3);
    await expect(store.key('verify', 'x')).rejects.toThrow('the endpoint is down');
  });

  it('returns nothing after it is closed', async () => {
    const { store, ids } = arranged([a]);
    await ids();
    store.close();
    await expect(ids()).rejects.toThrow('the store is closed');
  });
});
