import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { EndedRecord } from '../../../../contract/channel.ts';
import type { SignedIn } from '../../../../dataplane/openid/client/signed-in.ts';
import { EndedSessions, endedKey } from '../../../../dataplane/openid/lifetime/ended-sessions.ts';
import { endByProvider, endSignIn, isSessionEnded } from '../../../../dataplane/openid/lifetime/session-end.ts';
import { CLIENT_ID, ISSUER, signedInUser } from '../../../support/identity/signed-in-user.ts';

const AUDIENCE = { realm: '', clientId: CLIENT_ID };
const CLAIMS = { iss: ISSUER, sub: 'alice', sid: 's1' };
const NOW = Date.now();

/** Two units on one memory. */
function units() {
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const memory = new SharedArrayBuffer(EndedSessions.bytes);
  return { one: new EndedSessions(memory, log), other: new EndedSessions(memory, log), logged };
}

const user = (changes: Partial<SignedIn> = {}): SignedIn => signedInUser({ since: NOW - 1000, ...changes });

describe('EndedSessions', () => {
  it('ends the session that a provider names, at all units, and no other one', () => {
    const { one, other } = units();
    expect(isSessionEnded(other, AUDIENCE, user(), CLAIMS)).toBe(false);
    endByProvider(one, AUDIENCE, { issuer: ISSUER, sid: 's1', sub: 'alice' }, NOW);
    expect(isSessionEnded(other, AUDIENCE, user(), CLAIMS)).toBe(true);
    expect(isSessionEnded(other, AUDIENCE, user(), { ...CLAIMS, sid: 's2' })).toBe(false);
    expect(isSessionEnded(other, AUDIENCE, user(), { sub: 'alice' })).toBe(false);
    expect(isSessionEnded(other, { ...AUDIENCE, clientId: 'other' }, user(), CLAIMS)).toBe(false);
    expect(isSessionEnded(other, { ...AUDIENCE, realm: 'tenant' }, user(), CLAIMS)).toBe(false);
    expect(isSessionEnded(other, AUDIENCE, user({ issuer: 'https://other.test' }), CLAIMS)).toBe(false);
  });

  it('ends all sessions of a user that began before', () => {
    const { one } = units();
    endByProvider(one, AUDIENCE, { issuer: ISSUER, sid: null, sub: 'alice' }, NOW);
    expect(isSessionEnded(one, AUDIENCE, user(), CLAIMS)).toBe(true);
    expect(isSessionEnded(one, AUDIENCE, user({ since: NOW }), { sub: 'alice' })).toBe(true);
    expect(isSessionEnded(one, AUDIENCE, user({ since: NOW + 1 }), CLAIMS)).toBe(false);
    expect(isSessionEnded(one, AUDIENCE, user(), { ...CLAIMS, sub: 'bob' })).toBe(false);
  });

  it('ends one sign-in of a user who signs out, whichever tokens a copy of the cookie has', () => {
    const { one } = units();
    endSignIn(one, AUDIENCE, user(), { sub: 'alice' }, NOW);
    expect(isSessionEnded(one, AUDIENCE, user({ accessToken: 'access-1' }), { sub: 'alice' })).toBe(true);
    expect(isSessionEnded(one, AUDIENCE, user({ since: NOW - 999 }), { sub: 'alice' })).toBe(false);
    endSignIn(one, AUDIENCE, user({ issuer: null }), null, NOW);
    expect(isSessionEnded(one, AUDIENCE, user({ issuer: null }), null)).toBe(true);
    expect(isSessionEnded(one, AUDIENCE, user(), null)).toBe(false);
  });

  it('keeps the later of two ends', () => {
    const { one } = units();
    const key = endedKey('', 'it');
    one.end({ key, at: 2000 });
    one.end({ key, at: 1000 });
    expect([one.isEnded(key, 2000), one.isEnded(key, 2001)]).toEqual([true, false]);
  });

  it('hands records without clear values to other planes, and tells nobody of those it receives', () => {
    const { one } = units();
    const told: EndedRecord[] = [];
    const stop = one.ended((record) => told.push(record));
    endByProvider(one, AUDIENCE, { issuer: ISSUER, sid: 's1', sub: 'alice' }, NOW);
    expect(told).toEqual([{ key: expect.stringMatching(/^[\w-]{16}$/), at: NOW }]);
    const elsewhere = units().one;
    const echo: EndedRecord[] = [];
    elsewhere.ended((record) => echo.push(record));
    elsewhere.receive(JSON.parse(JSON.stringify(told[0])));
    expect([isSessionEnded(elsewhere, AUDIENCE, user(), CLAIMS), echo]).toEqual([true, []]);
    stop();
    one.end({ key: endedKey('', 'more'), at: NOW });
    expect(told).toHaveLength(1);
  });

  it.each([
    ['a key that is too short', { key: 'abc', at: NOW }],
    ['no moment', { key: endedKey('', 'x'), at: Number.NaN }],
  ])('ignores a record with %s', (_, record) => {
    const { one } = units();
    one.receive(record);
    expect([one.isEmpty, one.isEnded(record.key, 0)]).toEqual([true, false]);
  });

  it('forgets the oldest of too many ended sessions, and warns', () => {
    const { one, logged } = units();
    const count = 70_000;
    for (let at = 0; at < count; at++) one.end({ key: endedKey('', at), at: NOW + at });
    const isEnded = (at: number): boolean => one.isEnded(endedKey('', at), NOW + at);
    const newest = Array.from({ length: 1000 }, (_, back) => count - 1 - back);
    expect(newest.filter((at) => !isEnded(at))).toEqual([]);
    expect(Array.from({ length: count }, (_, at) => at).filter(isEnded).length).toBeGreaterThan(50_000);
    expect(logged[0]).toMatchObject({ level: 40, msg: expect.stringContaining('too many ended sessions') });
  });

  it('forgets no session of operators or other tenants where a tenant ends too many', () => {
    const { one } = units();
    const others = ['', 'shop', 'bank'].map((realm) => endedKey(realm, 'own'));
    for (const key of others) one.end({ key, at: NOW });
    for (let at = 0; at < 80_000; at++) one.end({ key: endedKey('flood', at), at: NOW + at });
    expect(others.map((key) => one.isEnded(key, NOW))).toEqual([true, true, true]);
    expect(one.isEnded(endedKey('flood', 79_999), NOW)).toBe(true);
  });
});
