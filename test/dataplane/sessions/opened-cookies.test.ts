import { describe, expect, it } from 'vitest';
import { OpenedCookies, type SealedSession } from '../../../dataplane/sessions/opened-cookies.ts';

function session(id: string): SealedSession {
  return { id, content: {}, beganAt: 0, version: 0, expiresAt: 1 };
}

describe('the cache of opened cookies', () => {
  it('drops the oldest sessions when it is full', () => {
    const cache = new OpenedCookies(1000);
    for (let at = 0; at < 100; at++) cache.add(`cookie${at}`.padEnd(50, '.'), session(`${at}`), 50);
    expect(cache.characters).toBe(1000);
    const found = Array.from({ length: 100 }, (_, at) => cache.get(`cookie${at}`.padEnd(50, '.'))?.id);
    expect(found.filter((id) => id !== undefined)).toEqual(Array.from({ length: 10 }, (_, at) => `${90 + at}`));
  });

  it('does not hold a session that would drop many others', () => {
    const cache = new OpenedCookies(1000);
    cache.add('small', session('small'), 10);
    cache.add('large', session('large'), 500);
    expect([cache.get('large'), cache.get('small')?.id, cache.characters]).toEqual([undefined, 'small', 15]);
  });

  it('counts a session that is added twice once, and nothing after it was cleared', () => {
    const cache = new OpenedCookies(1000);
    for (let at = 0; at < 3; at++) cache.add('one', session('one'), 10);
    expect(cache.characters).toBe(13);
    cache.clear();
    expect([cache.get('one'), cache.characters]).toEqual([undefined, 0]);
  });
});
