import { describe, expect, it } from 'vitest';
import { stateOf } from '../../console/shell/session.ts';

describe('the session of the console', () => {
  it('is not known before the server has answered', () => {
    expect(stateOf(null)).toEqual({ kind: 'unknown' });
  });

  it('needs nobody where there is no way to sign in', () => {
    expect(stateOf({ ways: [], provider: null, user: null, expires: null })).toEqual({ kind: 'open' });
  });

  it('offers the ways of the server to people who are not signed in', () => {
    const shown = { ways: ['openid', 'token'], provider: 'Example' } as const;
    expect(stateOf({ ...shown, user: null, expires: null })).toEqual({ kind: 'signed-out', ...shown });
  });

  it('has the user and the end of a sign-in', () => {
    const expires = '2026-11-17T22:00:00.000Z';
    expect(stateOf({ ways: ['token'], provider: null, user: 'ada', expires })).toEqual({
      kind: 'signed-in',
      user: 'ada',
      expires,
    });
  });
});
