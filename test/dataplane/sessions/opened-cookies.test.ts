import { describe, expect, it } from 'vitest';
import { OpenedCookies, type SealedSession } from '../../../dataplane/sessions/opened-cookies.ts';

const opener = {};

function session(id: string): SealedSession {
  return { id, content: {}, beganAt: 0, version: 0, expiresAt: 1 };
}

/** A cookie of 50 characters whose end, where the tag is, differs from that of others. */
function cookie(at: number): string {
  return `${at}`.padStart(50, '.');
}

/** Adds a session as often as it takes. */
function addTwice(cache: OpenedCookies, text: string, id: string, length: number): void {
  for (let time = 0; time < 2; time++) cache.add(opener, text, session(id), length);
}

describe('the cache of opened cookies', () => {
  it('holds a session that is opened a second time', () => {
    const cache = new OpenedCookies(1000);
    cache.add(opener, cookie(1), session('one'), 10);
    expect([cache.get(opener, cookie(1)), cache.characters]).toEqual([undefined, 0]);
    cache.add(opener, cookie(1), session('one'), 10);
    expect(cache.get(opener, cookie(1))?.id).toBe('one');
  });

  it('drops sessions that nobody asked for when it is full', () => {
    const cache = new OpenedCookies(1000);
    for (let at = 0; at < 100; at++) {
      addTwice(cache, cookie(at), `${at}`, 50);
      cache.get(opener, cookie(0));
      expect(cache.characters).toBeLessThanOrEqual(1000);
    }
    const found = Array.from({ length: 100 }, (_, at) => cache.get(opener, cookie(at))?.id);
    const kept = found.filter((id) => id !== undefined);
    expect(kept).toContain('0');
    expect(kept).toContain('99');
    expect(kept.length).toBeLessThanOrEqual(10);
  });

  it('does not hold a session that would drop many others', () => {
    const cache = new OpenedCookies(1000);
    addTwice(cache, 'small', 'small', 10);
    addTwice(cache, 'large', 'large', 500);
    expect([cache.get(opener, 'large'), cache.get(opener, 'small')?.id, cache.characters]).toEqual([
      undefined,
      'small',
      15,
    ]);
  });

  it('counts a session that is added twice once', () => {
    const cache = new OpenedCookies(1000);
    for (let at = 0; at < 3; at++) cache.add(opener, 'one', session('one'), 10);
    expect(cache.characters).toBe(13);
  });

  it('gives a session to nobody but who opened it', () => {
    const cache = new OpenedCookies(1000);
    addTwice(cache, cookie(1), 'one', 10);
    expect(cache.get({}, cookie(1))).toBeUndefined();
  });

  it('gives no session for another cookie that ends like the opened one', () => {
    const cache = new OpenedCookies(1000);
    addTwice(cache, cookie(1), 'one', 10);
    expect(cache.get(opener, `x${cookie(1).slice(1)}`)).toBeUndefined();
    expect(cache.get(opener, cookie(1))?.id).toBe('one');
  });
});
