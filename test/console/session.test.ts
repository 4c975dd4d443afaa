import { describe, expect, it } from 'vitest';
import { stateOf } from '../../console/shell/session.ts';

describe('the session of the console', () => {
  it('is not known before the server has answered', () => {
    expect(stateOf(null)).toEqual({ kind: 'unknown' });
  });

  it('needs nobody where there is no way to sign in', () => {
    expect(stateOf({ ways: [], user: null, expires: null })).toEqual({ kind: 'open' });
  });

  it('offers the ways of the server to people who are not signed in', () => {
    expect(stateOf({ ways: ['token'], user: null, expires: null })).toEqual({ kind: 'signed-out', ways: ['token'] });
  });

  it('has the user and the end of a sign-in', () => {
    const expires = '2026-11-17T22:00:00.000Z';
    expect(stateOf({ ways: ['token'], user: 'ada', expires })).toEqual({ kind: 'signed-in', user: 'ada', expires });
  });
});
