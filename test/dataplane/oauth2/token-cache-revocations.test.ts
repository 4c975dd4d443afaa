import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NotificationListener, Notifications, TokenEvent } from '../../../dataplane/heap/objects/am-service.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from '../../../dataplane/oauth2/cache/disconnection.ts';
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
class FakeRevocations implements Notifications {
  isHeard = true;
  readonly listeners = new Set<NotificationListener>();
  /** Events that arrived and were not applied. */
  private readonly waiting: Partial<TokenEvent>[] = [];

  watch(listener: NotificationListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  catchUp(): void {
    for (const event of this.waiting.splice(0)) {
      for (const listener of this.listeners) listener.token?.({ grantId: null, tokenId: null, type: '', ...event });
    }
  }

  /** Takes effect with the next use of the cache. */
  revoke(event: Partial<TokenEvent>): void {
    this.waiting.push(event);
  }

  lose(): void {
    this.isHeard = false;
    for (const listener of this.listeners) listener.lost?.();
  }

  regain(): void {
    this.isHeard = true;
    for (const listener of this.listeners) listener.regained?.();
  }
}

describe('revocations', () => {
  const scripts = {
    a: goodToken('a', { info: { authGrantId: 'first', jti: '1' } }),
    b: goodToken('b', { info: { authGrantId: 'second', jti: '2' } }),
    c: goodToken('c', { info: { authGrantId: 'second', grantId: 'other', jti: '1' } }),
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

  it.each<[DisconnectionStrategy | undefined, 'kept' | 'denied']>([
    ['NEVER_CLEAR', 'kept'],
    ['CLEAR_ON_DISCONNECT', 'denied'],
    [undefined, 'denied'],
    ['CLEAR_ON_RECONNECT', 'kept'],
  ])('clear the cache as configured before an event says that they are lost: %s', (onDisconnection, away) => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations, ...(onDisconnection && { onDisconnection }) });
    fate(setting, 'a');
    revocations.isHeard = false;
    expect(fate(setting, 'a')).toBe(away);
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

  it.each<[Partial<TokenEvent>, string[]]>([
    [{ grantId: 'second' }, ['kept', 'asked', 'asked']],
    [{ grantId: 'other' }, ['kept', 'kept', 'asked']],
    [{ grantId: 'third' }, ['kept', 'kept', 'kept']],
    [{ tokenId: 'b' }, ['kept', 'asked', 'kept']],
    [{ tokenId: '1' }, ['asked', 'kept', 'asked']],
    [{ grantId: 'first', tokenId: 'b' }, ['asked', 'asked', 'kept']],
    [{}, ['asked', 'asked', 'asked']],
  ])('remove the tokens that an event names: %j', (event, fates) => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations });
    for (const token of ['a', 'b', 'c']) fate(setting, token);
    revocations.revoke(event);
    expect(['a', 'b', 'c'].map((token) => fate(setting, token))).toEqual(fates);
    expect(setting.told.filter((told) => told === 'explicit')).toHaveLength(
      fates.filter((one) => one === 'asked').length,
    );
  });

  it('find tokens that were cached again after they were removed', () => {
    const revocations = new FakeRevocations();
    const setting = cacheSetting(scripts, { revocations });
    for (let round = 0; round < 3; round++) {
      expect(fate(setting, 'b')).toBe('asked');
      revocations.revoke({ grantId: 'second' });
    }
  });

  it('that arrive during a validation make later requests validate for themselves', async () => {
    const first = held();
    const second = held();
    const scripted = [first.script, second.script];
    const revocations = new FakeRevocations();
    const { cache, resolve, resolver } = cacheSetting({ t: () => scripted.shift()!() }, { revocations });
    const before = resolve('t');
    revocations.revoke({ grantId: 'any' });
    const after = resolve('t');
    expect(resolver.asked).toHaveLength(2);
    first.end(goodToken('t'));
    expect(await before).toMatchObject({ kind: 'token' });
    expect(cache.size).toBe(0);
    second.end(goodToken('t'));
    await after;
    expect(cache.size).toBe(1);
  });

  it.each<[string, (revocations: FakeRevocations) => void]>([
    ['revoked', (revocations) => revocations.revoke({ grantId: 'any' })],
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
