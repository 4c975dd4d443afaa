import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../../dataplane/access-manager/cache/answer-cache.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from '../../../../dataplane/oauth2/cache/disconnection.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { AnsweringCache, kept, ManualFeed, pass } from '../../../support/state/answering-cache.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes loads wait for the test; the result ends the first, second, … of them. */
function hold(setting: AnsweringCache): PromiseWithResolvers<Answer<string>>[] {
  const held: PromiseWithResolvers<Answer<string>>[] = [];
  setting.answer = () => {
    const one = Promise.withResolvers<Answer<string>>();
    held.push(one);
    return one.promise;
  };
  return held;
}

describe('the cache time of an answer', () => {
  it.each<[string, number, number, number]>([
    ['ends with its own end', NOW + MINUTE, 2 * MINUTE, MINUTE],
    ['ends after maximumTimeToCache', NOW + 2 * MINUTE, MINUTE, MINUTE],
    ['is unlimited without either', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 10_000 * MINUTE],
    ['is zero for an end now', NOW, MINUTE, 0],
    ['is zero for an end in the past', NOW - 1, MINUTE, 0],
    ['is zero for an end that is not a number', Number.NaN, MINUTE, 0],
  ])('%s', async (_, keepUntil, maximumTimeToCache, time) => {
    const setting = new AnsweringCache({ maximumTimeToCache });
    setting.answer = async (value) => ({ value, keepUntil });
    expect(await setting.get('k')).toBe('k');
    expect(setting.cache.size).toBe(time === 0 ? 0 : 1);
    if (time > 0) {
      pass(time - 1);
      expect(setting.get('k')).toBe('k');
    }
    if (Number.isFinite(Math.min(keepUntil, maximumTimeToCache))) {
      pass(1);
      expect(setting.get('k')).toBeInstanceOf(Promise);
    }
  });

  it.each<[string, (setting: AnsweringCache) => unknown]>([
    ['a sweep', (setting) => setting.sweep()],
    ['the next answer', (setting) => setting.get('other')],
  ])('is not extended when the clock is set back: %s clears the cache', async (_, happen) => {
    const setting = new AnsweringCache();
    pass(60 * MINUTE);
    await setting.get('k');
    setting.sweep();
    vi.setSystemTime(NOW);
    await happen(setting);
    expect(await setting.source('k')).toBe('asked');
  });
});

describe('the answer cache', () => {
  it('returns a cached value at once, only under the complete key', async () => {
    const setting = new AnsweringCache();
    await setting.get('key');
    expect(setting.get('key')).toBe('key');
    await expect(setting.get('key2')).resolves.toBe('key2');
    await expect(setting.get('ke')).resolves.toBe('ke');
    expect(setting.asked).toEqual(['key', 'key2', 'ke']);
    expect(setting.metrics).toEqual(['miss', 'loaded', 'hit', 'miss', 'loaded', 'miss', 'loaded']);
  });

  it.each<[string, () => Promise<Answer<string>>]>([
    ['a rejection', () => Promise.reject(new Error('away'))],
    [
      'an exception',
      () => {
        throw new Error('away');
      },
    ],
  ])('does not cache %s', async (_, answer) => {
    const setting = new AnsweringCache();
    setting.answer = answer;
    await expect(setting.get('k')).rejects.toThrow('away');
    expect(setting.metrics).toEqual(['miss', 'loaded']);
    setting.answer = async (key) => kept(key);
    expect(await setting.get('k')).toBe('k');
  });

  it.each<[string, (setting: AnsweringCache) => unknown]>([
    ['is evicted by its key', ({ cache }) => cache.evict('k')],
    ['is evicted with its group', ({ cache }) => cache.evictGroup('g')],
    ['is cleared', ({ cache }) => cache.clear()],
    ['has expired', () => pass(MINUTE)],
    ['makes room for another one', (setting) => setting.get('other')],
    ['is replaced after it was cleared', async (setting) => setting.cache.clear() ?? (await setting.get('k', 'g'))],
    ['was in a cache that is closed', ({ cache }) => cache.close()],
  ])('no longer holds an entry that %s', async (_, happen) => {
    const setting = new AnsweringCache({ maximumSize: 1 });
    await setting.get('k', 'g');
    const entry = setting.cache.findEntry('k')!;
    expect(setting.cache.holds(entry)).toBe(true);
    await happen(setting);
    setting.metrics.length = 0;
    expect(setting.cache.holds(entry)).toBe(false);
    expect(setting.metrics).toEqual([]);
  });

  it('applies events before it holds an entry', async () => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed, onDisconnection: 'NEVER_CLEAR' });
    await setting.get('k');
    const entry = setting.cache.findEntry('k')!;
    feed.happen(() => setting.cache.evict('k'));
    expect(setting.cache.holds(entry)).toBe(false);
  });

  it('removes the oldest entries first beyond maximumSize', async () => {
    const setting = new AnsweringCache({ maximumSize: 10 });
    for (let i = 0; i < 30; i++) await setting.get(`k${i}`, `g${i % 3}`);
    expect(setting.cache.size).toBe(10);
    expect(setting.metrics.filter((word) => word === 'size')).toHaveLength(20);
    for (let i = 20; i < 30; i++) expect(setting.get(`k${i}`)).toBe(`k${i}`);
    expect(await setting.source('k19')).toBe('asked');
  });

  it('keeps fewer entries when they are large', async () => {
    const setting = new AnsweringCache({ maximumSize: 10 });
    setting.answer = async (key) => kept(key, MINUTE, 8192);
    for (let i = 0; i < 20; i++) await setting.get(`k${i}`);
    expect(setting.cache.size).toBe(4);
  });

  it('removes expired entries by the executor in slices', async () => {
    const setting = new AnsweringCache({ maximumSize: 10_000 });
    setting.answer = async (key) => kept(key, key.endsWith('0') ? 1000 : MINUTE);
    for (let i = 0; i < 2000; i++) await setting.get(`k${i}`);
    pass(1000);
    setting.sweep();
    expect(setting.cache.size).toBe(1900);
    setting.sweep();
    expect(setting.cache.size).toBe(1800);
    expect(setting.metrics.filter((word) => word === 'expired')).toHaveLength(200);
  });

  it('evicts by key, by predicate and by group', async () => {
    const setting = new AnsweringCache();
    for (const [key, group] of [
      ['a', 'x'],
      ['b', 'x'],
      ['c', 'y'],
      ['d', null],
      ['e', 'x'],
    ] as const) {
      await setting.get(key, group);
    }
    const cached = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => setting.cache.find(key) !== undefined).join('');
    setting.cache.evict('b');
    expect(cached()).toBe('acde');
    setting.cache.evictGroup('x');
    expect(cached()).toBe('cd');
    setting.cache.evictGroup('x');
    expect([setting.cache.evict('c'), setting.cache.evict('c')]).toEqual([true, false]);
    expect(cached()).toBe('d');
    setting.cache.clear();
    expect(cached()).toBe('');
    expect(setting.metrics.filter((word) => word === 'explicit')).toHaveLength(5);
  });

  it('evicts an entry of two groups by each of them, once', async () => {
    const setting = new AnsweringCache();
    const cached = () => ['a', 'b', 'c'].filter((key) => setting.cache.find(key) !== undefined).join('');
    for (const group of ['x', 'y']) {
      for (const [key, groups] of [
        ['a', 'x y'],
        ['b', 'x z'],
        ['c', 'z y'],
      ] as const) {
        await setting.get(key, groups);
      }
      setting.cache.evictGroup(group);
      expect(cached()).toBe(group === 'x' ? 'c' : 'b');
    }
    setting.cache.evictGroup('z');
    expect([setting.cache.size, setting.metrics.filter((word) => word === 'explicit').length]).toEqual([0, 5]);
  });

  it('is empty after it is closed, and stays so when calls end later', async () => {
    const setting = new AnsweringCache();
    await setting.get('k');
    const held = hold(setting);
    const late = setting.get('late');
    setting.cache.close();
    held[0]!.resolve(kept('late'));
    expect(await late).toBe('late');
    expect(setting.cache.size).toBe(0);
  });
});

describe('concurrent requests with one key', () => {
  it('share one call', async () => {
    const setting = new AnsweringCache();
    const held = hold(setting);
    const all = [setting.get('k'), setting.get('k'), setting.get('k')];
    held[0]!.resolve(kept('v'));
    expect(await Promise.all(all)).toEqual(['v', 'v', 'v']);
    expect(setting.asked).toEqual(['k']);
  });

  it('share a failure, and the next request asks again', async () => {
    const setting = new AnsweringCache();
    const held = hold(setting);
    const all = [setting.get('k'), setting.get('k')];
    held[0]!.reject(new Error('away'));
    for (const end of await Promise.allSettled(all)) expect(end.status).toBe('rejected');
    void setting.get('k');
    expect(setting.asked).toEqual(['k', 'k']);
  });

  it('ask again when the call failed because the client of the first request left', async () => {
    const setting = new AnsweringCache();
    const held = hold(setting);
    const leaving = plainExchange();
    const first = Promise.resolve(setting.get('k', null, leaving));
    const second = setting.get('k');
    leaving.over = true;
    held[0]!.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await vi.waitFor(() => expect(held).toHaveLength(2));
    held[1]!.resolve(kept('v'));
    expect(await second).toBe('v');
  });
});

describe('an event during a call', () => {
  const events: [string, (setting: AnsweringCache) => unknown][] = [
    ['for the key', ({ cache }) => cache.evict('k')],
    ['for its group', ({ cache }) => cache.evictGroup('g')],
    ['for its second group', ({ cache }) => cache.evictGroup('h')],
    ['for everything', ({ cache }) => cache.clear()],
  ];

  it.each(events)('%s keeps the answer out of the cache', async (_, event) => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed });
    const held = hold(setting);
    const before = setting.get('k', 'g h');
    feed.happen(() => event(setting)); // nobody has applied it when the answer arrives
    held[0]!.resolve(kept('old'));
    expect(await before).toBe('old');
    expect(setting.cache.size).toBe(0);
  });

  it.each(events)('%s gives later requests a call of their own', async (_, event) => {
    const setting = new AnsweringCache();
    const held = hold(setting);
    const before = setting.get('k', 'g h');
    event(setting);
    const after = setting.get('k', 'g h');
    held[1]!.resolve(kept('new'));
    expect(await after).toBe('new');
    held[0]!.resolve(kept('old'));
    expect(await before).toBe('old');
    expect(setting.get('k', 'g h')).toBe('new');
  });

  it('for another key or group leaves the call alone', async () => {
    const setting = new AnsweringCache();
    const held = hold(setting);
    const answer = setting.get('k', 'g');
    setting.cache.evict('other');
    setting.cache.evictGroup('other');
    held[0]!.resolve(kept('v'));
    await answer;
    expect(setting.get('k')).toBe('v');
  });

  it('is applied before the next lookup', async () => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed });
    await setting.get('k');
    feed.happen(() => setting.cache.evict('k'));
    expect(await setting.source('k')).toBe('asked');
  });
});

describe('lost notifications', () => {
  const strategies: [DisconnectionStrategy, string[], string[]][] = [
    ['NEVER_CLEAR', ['cached', 'denied'], ['cached', 'asked', 'cached']],
    ['CLEAR_ON_DISCONNECT', ['denied', 'denied'], ['asked', 'asked', 'cached']],
    ['CLEAR_ON_RECONNECT', ['cached', 'denied'], ['asked', 'asked', 'cached']],
  ];

  async function sources(setting: AnsweringCache, ...keys: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const key of keys) found.push(await setting.source(key));
    return found;
  }

  it.each(strategies)('and regained ones follow the strategy %s', async (onDisconnection, lost, regained) => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed, onDisconnection });
    await setting.get('a');
    feed.lose();
    expect(await sources(setting, 'a', 'b')).toEqual(lost);
    feed.regain();
    expect(await sources(setting, 'a', 'b', 'b')).toEqual(regained);
  });

  it.each(strategies)('deny everything before the first connection with %s', async (onDisconnection) => {
    const feed = new ManualFeed();
    feed.isHeard = false;
    const setting = new AnsweringCache({ notifications: feed, onDisconnection });
    expect(await sources(setting, 'a')).toEqual(['denied']);
    feed.regain();
    expect(await sources(setting, 'a', 'a')).toEqual(['asked', 'cached']);
  });

  it.each(strategies)('remove entries that expire meanwhile with %s', async (onDisconnection) => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed, onDisconnection });
    await setting.get('a');
    feed.lose();
    pass(MINUTE);
    expect(await sources(setting, 'a')).toEqual(['denied']);
    expect(setting.cache.size).toBe(0);
  });

  it.each(strategies)('deny a call that was under way with %s', async (onDisconnection) => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed, onDisconnection });
    const held = hold(setting);
    const answer = setting.get('a');
    feed.lose();
    held[0]!.resolve(kept('a'));
    await expect(answer).rejects.toThrow(RevocationsUnheard);
    expect(setting.cache.size).toBe(0);
  });

  it.each(strategies)(
    'that come back during a call keep its answer out of the cache with %s',
    async (onDisconnection) => {
      const feed = new ManualFeed();
      const setting = new AnsweringCache({ notifications: feed, onDisconnection });
      const held = hold(setting);
      const answer = setting.get('a');
      feed.lose();
      feed.regain();
      held[0]!.resolve(kept('a'));
      expect(await answer).toBe('a');
      expect(setting.cache.size).toBe(0);
    },
  );

  it('clear the cache on disconnect even when no event says so', async () => {
    const feed = new ManualFeed();
    const setting = new AnsweringCache({ notifications: feed, onDisconnection: 'CLEAR_ON_DISCONNECT' });
    await setting.get('a');
    feed.isHeard = false;
    expect(await sources(setting, 'a')).toEqual(['denied']);
    feed.isHeard = true;
    expect(await sources(setting, 'a')).toEqual(['asked']);
  });

  it('have no effect on a cache without notifications', async () => {
    const setting = new AnsweringCache({ notifications: null });
    expect(await sources(setting, 'a', 'a')).toEqual(['asked', 'cached']);
  });
});
