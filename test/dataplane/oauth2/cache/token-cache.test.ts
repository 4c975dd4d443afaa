import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { invalidToken } from '../../../../dataplane/heap/objects/access-tokens.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { type CacheSetting, cacheSetting, held } from '../../../support/identity/cache-setting.ts';
import { goodToken } from '../../../support/identity/scripted-resolver.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FOREVER = Number.POSITIVE_INFINITY;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the cache time of a token', () => {
  it.each<[string, number, number, number, number]>([
    ['no end', FOREVER, HOUR, DAY, HOUR],
    ['an end within maxTimeout', NOW + 5 * HOUR, HOUR, DAY, 5 * HOUR],
    ['an end beyond maxTimeout', NOW + 2 * DAY, HOUR, DAY, DAY],
    ['an end soon', NOW + 22, HOUR, DAY, 22],
    ['an end and no maxTimeout', NOW + 2 * DAY, HOUR, FOREVER, 2 * DAY],
    ['no end, a default beyond maxTimeout', FOREVER, DAY, HOUR, HOUR],
    ['no end, no limit', FOREVER, FOREVER, DAY, DAY],
    ['an end now', NOW, HOUR, DAY, 0],
    ['an end before', NOW - 1, HOUR, DAY, 0],
    ['an end that is no time', Number.NaN, HOUR, DAY, 0],
    ['no end, zero by default', FOREVER, 0, DAY, 0],
  ])('follows from its expiry: %s', async (_, expiresAt, defaultTimeout, maxTimeout, time) => {
    for (const script of [goodToken('t', { expiresAt }), async () => goodToken('t', { expiresAt })]) {
      vi.setSystemTime(NOW);
      const { resolve, resolver, cache, pass } = cacheSetting({ t: script }, { defaultTimeout, maxTimeout });
      await resolve('t');
      expect(cache.size).toBe(time === 0 ? 0 : 1);
      if (time > 0) {
        pass(time - 1);
        expect(await resolve('t')).toMatchObject({ token: 't', expiresAt });
        expect(resolver.asked).toHaveLength(1);
        pass(1);
      }
      await resolve('t');
      expect(resolver.asked).toHaveLength(2);
    }
  });

  it.each<[string, (setting: CacheSetting) => void]>([
    ['looked through', ({ sweep }) => sweep()],
    ['added to', ({ resolve }) => void resolve('other')],
  ])('is not extended when the clock is set back, once the cache is %s', (_, happen) => {
    const setting = cacheSetting({ t: goodToken('t'), other: goodToken('other') });
    setting.pass(HOUR);
    setting.resolveNow('t');
    vi.setSystemTime(NOW);
    happen(setting);
    setting.resolveNow('t');
    expect(setting.resolver.asked.filter((token) => token === 't')).toHaveLength(2);
  });

  it('is unchanged when the clock is set back by a moment', () => {
    const { resolveNow, resolver, sweep, pass } = cacheSetting({ t: goodToken('t') });
    resolveNow('t');
    pass(-900);
    sweep();
    resolveNow('t');
    expect(resolver.asked).toHaveLength(1);
  });
});

describe('the token cache', () => {
  it('returns a token at once, only under the complete token', async () => {
    const long = 'x'.repeat(5000);
    const { resolve, resolver, told } = cacheSetting({
      [`${long}a`]: async () => goodToken(`${long}a`, { info: { sub: 'a' } }),
      [`${long}b`]: async () => goodToken(`${long}b`, { info: { sub: 'b' } }),
    });
    await resolve(`${long}a`);
    await resolve(`${long}b`);
    expect(resolve(`${long}a`)).toMatchObject({ kind: 'token', info: { sub: 'a' } });
    expect(resolve(`${long}b`)).toMatchObject({ kind: 'token', info: { sub: 'b' } });
    expect(resolve(long)).toMatchObject({ kind: 'refusal' });
    expect(resolver.asked).toHaveLength(3);
    expect(told).toEqual(['miss', 'loaded', 'miss', 'loaded', 'hit', 'hit', 'miss', 'loaded']);
  });

  it('counts a load that failed, at once and later', async () => {
    const scripts = { thrown: new Error('no'), rejected: () => Promise.reject(new Error('no')) };
    const { resolve, told } = cacheSetting(scripts);
    expect(() => resolve('thrown')).toThrow('no');
    await expect(resolve('rejected')).rejects.toThrow('no');
    expect(told).toEqual(['miss', 'loaded', 'miss', 'loaded']);
  });

  it('does not cache refusals or failures', async () => {
    const scripts = {
      refused: invalidToken('no'),
      refusedLater: async () => invalidToken('no'),
      thrown: new Error('no'),
      rejected: () => Promise.reject(new Error('no')),
    };
    const { resolve, resolver, cache } = cacheSetting(scripts);
    for (const token of Object.keys(scripts)) {
      for (let i = 0; i < 2; i++) await Promise.try(() => resolve(token)).catch(() => {});
      resolver.tell(token, goodToken(token));
      expect(resolve(token)).toMatchObject({ kind: 'token' });
    }
    expect(resolver.asked).toHaveLength(3 * 4);
    expect(cache.size).toBe(4);
  });

  it('evicts the oldest tokens first when there are too many', () => {
    const names = Array.from({ length: 50 }, (_, i) => `t${i}`);
    const { resolveNow, resolver, cache, told } = cacheSetting(
      Object.fromEntries(names.map((name) => [name, goodToken(name)])),
      {
        maximumSize: 10,
      },
    );
    for (const name of names) resolveNow(name);
    expect(cache.size).toBe(10);
    expect(told.filter((word) => word === 'size')).toHaveLength(40);
    for (const name of names.slice(40)) resolveNow(name);
    expect(resolver.asked).toHaveLength(50);
    resolveNow('t39');
    resolveNow('t40');
    expect(resolver.asked.slice(50)).toEqual(['t39', 't40']);
  });

  it('evicts tokens when few large tokens exceed the byte limit', () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}${'t'.repeat(8192)}`);
    const tokens = Object.fromEntries(names.map((name) => [name, goodToken(name, { carriesInfo: true })]));
    const { resolveNow, cache } = cacheSetting(tokens, { maximumSize: 10 });
    for (const name of names) resolveNow(name);
    expect(cache.size).toBe(4);
    cache.clear();
    for (const name of names.slice(0, 4)) resolveNow(name);
    expect(cache.size).toBe(4);
  });

  it('keeps at least one token however small the limit', () => {
    const long = 't'.repeat(50_000);
    const { resolveNow, cache } = cacheSetting({ [long]: goodToken(long), t: goodToken('t') }, { maximumSize: 2 });
    resolveNow('t');
    resolveNow(long);
    expect(cache.size).toBe(1);
  });

  it('is cleared when the resolver withdraws its verdicts', async () => {
    const { resolveNow, resolver, cache } = cacheSetting({ t: goodToken('t') });
    resolveNow('t');
    resolver.takeBack();
    expect(cache.size).toBe(0);
    resolveNow('t');
    expect(resolver.asked).toEqual(['t', 't']);
  });

  it('is cleaned by the executor in slices', () => {
    const { cache, resolveNow, resolver, sweep, pass, told } = cacheSetting({}, { maximumSize: 100_000 });
    const count = 3000;
    for (let i = 0; i < count; i++) {
      resolver.tell(`t${i}`, goodToken(`t${i}`, { expiresAt: i % 2 === 0 ? NOW + 1000 : FOREVER }));
      resolveNow(`t${i}`);
    }
    pass(1000);
    sweep();
    expect(cache.size).toBe(count - 500);
    for (let i = 0; i < 4; i++) sweep();
    expect(cache.size).toBe(count / 2);
    expect(told.filter((word) => word === 'expired')).toHaveLength(count / 2);
    pass(MINUTE);
    for (let i = 0; i < 4; i++) sweep();
    expect(cache.size).toBe(0);
  });

  it('is empty after it is closed', () => {
    const { cache, resolveNow, sweep } = cacheSetting({ t: goodToken('t') });
    resolveNow('t');
    cache.close();
    expect(cache.size).toBe(0);
    sweep();
  });
});

describe('concurrent requests with one token', () => {
  it('share one validation', async () => {
    const { script, end } = held();
    const { resolve, resolver, told } = cacheSetting({ t: script });
    const all = Array.from({ length: 5 }, () => resolve('t'));
    end(goodToken('t'));
    const answers = new Set(await Promise.all(all));
    expect([answers.size, resolver.asked.length]).toEqual([1, 1]);
    expect(told.filter((word) => word === 'loaded')).toHaveLength(1);
  });

  it.each([['a refusal', invalidToken('no')] as const, ['a failure', new Error('no')] as const])(
    'share %s, and the next request validates again',
    async (_, outcome) => {
      const { script, end } = held();
      const { resolve, resolver } = cacheSetting({ t: script });
      const all = Array.from({ length: 5 }, () => Promise.resolve(resolve('t')));
      end(outcome);
      const ends = await Promise.allSettled(all);
      expect(new Set(ends.map(({ status }) => status)).size).toBe(1);
      resolver.tell('t', goodToken('t'));
      expect(resolve('t')).toMatchObject({ kind: 'token' });
      expect(resolver.asked).toHaveLength(2);
    },
  );

  it('validate again when the first client disconnected and its result is lost', async () => {
    const { script, end } = held();
    const { cache, resolver } = cacheSetting({ t: script });
    const [first, second, third] = [plainExchange(), plainExchange(), plainExchange()];
    const answers = [first, second, third].map((one) => Promise.resolve(cache.resolve('t', one)));
    first!.over = true;
    resolver.tell('t', async () => goodToken('t'));
    end(new Error('the exchange is over'));
    const [one, two, three] = await Promise.allSettled(answers);
    expect(one).toMatchObject({ status: 'rejected' });
    for (const other of [two, three]) expect(other).toMatchObject({ status: 'fulfilled', value: { kind: 'token' } });
    expect(resolver.asked).toHaveLength(2);
  });

  it('get the result although the first client disconnected', async () => {
    const { script, end } = held();
    const { cache } = cacheSetting({ t: script });
    const first = plainExchange();
    const answers = [first, plainExchange()].map((one) => cache.resolve('t', one));
    first.over = true;
    end(goodToken('t'));
    expect(await answers[1]).toMatchObject({ kind: 'token' });
    expect(cache.size).toBe(1);
  });

  it('do not restore a token that was removed meanwhile', async () => {
    const { script, end } = held();
    const { cache, resolve } = cacheSetting({ t: script });
    const answer = resolve('t');
    cache.close();
    end(goodToken('t'));
    expect(await answer).toMatchObject({ kind: 'token' });
    expect(cache.size).toBe(0);
  });
});
