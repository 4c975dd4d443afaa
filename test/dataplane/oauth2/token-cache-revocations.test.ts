import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccessToken, RevocationListener, Revocations } from '../../../dataplane/heap/objects/access-tokens.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from '../../../dataplane/oauth2/cache/token-cache.ts';
import { type CacheSetting, cacheSetting, held } from '../../support/identity/cache-setting.ts';
import { goodToken } from '../../support/identity/scripted-resolver.ts';

const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A notification service that comes and goes. */
class FakeRevocations implements Revocations {
  isHeard = true;
  readonly listeners = new Set<RevocationListener>();

  watch(listener: RevocationListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  revoke(isRevoked: (token: AccessToken) => boolean): void {
    for (const listener of this.listeners) listener.revoked(isRevoked);
  }

  lose(): void {
    this.isHeard = false;
    for (const listener of this.listeners) listener.lost();
  }

  regain(): void {
    this.isHeard = true;
    for (const listener of this.listeners) listener.regained();
  }
}

describe('revocations', () => {
  const scripts = {
    a: goodToken('a', { info: { sub: 'a' } }),
    b: goodToken('b', { info: { sub: 'b' } }),
    c: goodToken('c', { info: { sub: 'c' } }),
  };

  /** What happens to a token: where it comes from, or that it is denied. */
  function fate({ resolveNow, resolver }: CacheSetting, token: string): 'kept' | 'asked' | 'denied' {
    const before = resolver.asked.length;
    try {
      resolveNow(token);
    } catch (error) {
      if (!(error instanceof RevocationsUnheard)) throw error;
      return 'denied';
    }
    return resolver.asked.length === before ? 'kept' : 'asked';
  }

  it.each<[DisconnectionStrategy | undefined, string[], string[]]>([
    ['NEVER_CLEAR', ['kept', 'denied'], ['kept', 'asked', 'kept']],
    ['CLEAR_ON_DISCONNECT', ['denied', 'denied'], ['asked', 'asked', 'kept']],
    [undefined, ['denied', 'denied'], ['asked', 'asked', 'kept']],
    ['CLEAR_ON_RECONNECT', ['kept', 'denied'], ['asked', 'asked', 'kept']],
  ])('clear the cache as configured: %s', (onDisconnection, away, back) => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations, ...(onDisconnection && { onDisconnection }) });
    expect(fate(setting, 'a')).toBe('asked');
    revocations.lose();
    expect(['a', 'b'].map((token) => fate(setting, token))).toEqual(away);
    revocations.regain();
    expect(['a', 'b', 'b'].map((token) => fate(setting, token))).toEqual(back);
  });

  it('that are unavailable from the start reject every token', () => {
    const revocations = new FakeRevocations();
    revocations.isHeard = false;
    const setting = cacheSetting(scripts, { revocations, onDisconnection: 'NEVER_CLEAR' });
    expect(fate(setting, 'a')).toBe('denied');
    revocations.regain();
    expect(fate(setting, 'a')).toBe('asked');
  });

  it('let entries expire while notifications are unavailable', () => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations, onDisconnection: 'NEVER_CLEAR' });
    fate(setting, 'a');
    revocations.lose();
    setting.pass(MINUTE);
    setting.sweep();
    expect([setting.cache.size, fate(setting, 'a')]).toEqual([0, 'denied']);
  });

  it('remove the named tokens', () => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations });
    for (const token of ['a', 'b', 'c']) fate(setting, token);
    revocations.revoke(({ info }) => info['sub'] === 'b');
    expect(['a', 'b', 'c'].map((token) => fate(setting, token))).toEqual(['kept', 'asked', 'kept']);
    expect(setting.told).toContain('explicit');
  });

  it.each<[string, (revocations: FakeRevocations) => void]>([
    ['revoked', (revocations) => revocations.revoke(() => false)],
    [
      'lost and regained',
      (revocations) => {
        revocations.lose();
        revocations.regain();
      },
    ],
  ])('that arrive during a validation prevent caching: %s', async (_, happen) => {
    const { script, end } = held();
    const revocations = new FakeRevocations();
    const { cache, resolve } = cacheSetting({ t: script }, { revocations, onDisconnection: 'NEVER_CLEAR' });
    const answer = resolve('t');
    happen(revocations);
    end(goodToken('t'));
    expect(await answer).toMatchObject({ kind: 'token' });
    expect(cache.size).toBe(0);
  });

  it('that are lost during a validation reject the token', async () => {
    const { script, end } = held();
    const revocations = new FakeRevocations();
    const { resolve } = cacheSetting({ t: script }, { revocations, onDisconnection: 'NEVER_CLEAR' });
    const answer = resolve('t');
    revocations.lose();
    end(goodToken('t'));
    await expect(answer).rejects.toThrow(RevocationsUnheard);
  });

  it('are unsubscribed when the cache is closed', () => {
    const revocations = new FakeRevocations();
    const { cache } = cacheSetting(scripts, { revocations });
    cache.close();
    expect(revocations.listeners.size).toBe(0);
  });
});
