import { describe, expect, it } from 'vitest';
import { readSignedIn, type SignedIn } from '../../../../dataplane/openid/client/signed-in.ts';

const ADA: SignedIn = {
  registration: 'gateway',
  client: 'c1',
  issuer: 'https://login.example.com',
  accessToken: 'at',
  tokenType: 'Bearer',
  scope: 'openid email',
  expiresAt: 1_700_000_000_000,
  refreshToken: 'rt',
  idToken: 'a.b.c',
  since: 1_699_999_000_000,
};

describe('the signed-in user in a session', () => {
  it('is read from the JSON that it was written as', () => {
    expect(readSignedIn(JSON.parse(JSON.stringify(ADA)))).toEqual(ADA);
  });

  it('may lack an issuer, a lifetime, a refresh token and an ID token', () => {
    const plain = { ...ADA, issuer: null, expiresAt: null, refreshToken: null, idToken: null };
    expect(readSignedIn(plain)).toEqual(plain);
  });

  it.each([
    ['null', null],
    ['a text', 'gateway'],
    ['a list', [ADA as never]],
    ['an empty object', {}],
    ['an object without an access token', { ...ADA, accessToken: null }],
    ['an object whose lifetime is a text', { ...ADA, expiresAt: '1700000000000' }],
    [
      'an object whose time of sign-in is missing',
      Object.fromEntries(Object.entries(ADA).filter(([name]) => name !== 'since')),
    ],
    ['an object with a member more', { ...ADA, roles: ['admin'] }],
    ['an object whose member is inherited', { ...Object.fromEntries(Object.entries(ADA).slice(1)), toString: 'x' }],
  ])('is nobody where the value is %s', (_kind, value) => {
    expect(readSignedIn(value)).toBeNull();
  });
});
