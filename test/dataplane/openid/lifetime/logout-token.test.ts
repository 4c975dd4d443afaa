import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readLogoutToken } from '../../../../dataplane/openid/lifetime/logout-token.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { CLIENT_ID, ISSUER, ProviderKey } from '../../../support/identity/signed-in-user.ts';
import { tokenPart, tokenText } from '../../../support/identity/token-text.ts';

const key = new ProviderKey('RS256');
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const now = Date.now();
const second = Math.floor(now / 1000);

function registration() {
  return buildObject('clientRegistration', 'ClientRegistration', {
    clientId: CLIENT_ID,
    issuer: {
      type: 'Issuer',
      config: { issuer: ISSUER, authorizeEndpoint: `${ISSUER}/authorize`, tokenEndpoint: `${ISSUER}/token` },
    },
    idTokenVerificationSecretId: 'verify',
    secretsProvider: keyFolder({ verify: key.halves.other.key }),
  }).object;
}

const claims = (changes: object = {}): object => ({
  iss: ISSUER,
  aud: CLIENT_ID,
  iat: second,
  exp: second + 120,
  jti: 'j1',
  sub: 'alice',
  sid: 's1',
  events: EVENTS,
  ...changes,
});

const signed = (changes: object = {}, header: Readonly<Record<string, unknown>> = {}): string =>
  key.signed(claims(changes), header);

/** A token whose HMAC key is the public key of the provider, which everybody knows. */
function confused(): string {
  const input = [{ alg: 'HS256', kid: 'one' }, claims()].map(tokenPart).join('.');
  const pem = key.halves.other.key.export({ type: 'spki', format: 'pem' });
  return `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
}

describe('a logout token', () => {
  it.each<[string, object, object]>([
    ['a session and a user', {}, { sid: 's1', sub: 'alice' }],
    ['a session', { sub: undefined }, { sid: 's1', sub: null }],
    ['a user', { sid: undefined }, { sid: null, sub: 'alice' }],
    ['a session, for several audiences and without exp', { aud: ['other', CLIENT_ID], exp: undefined }, { sid: 's1' }],
  ])('ends %s', async (_, changes, named) => {
    expect(await readLogoutToken(signed(changes), registration(), now)).toMatchObject({ issuer: ISSUER, ...named });
  });

  it.each(['logout+jwt', 'JWT', 'application/logout+jwt'])('may have the type %s', async (typ) => {
    expect(await readLogoutToken(signed({}, { typ }), registration(), now)).toMatchObject({ sid: 's1' });
  });

  it('has an id by which its second use can be found', async () => {
    const one = registration();
    const ids = [signed(), signed({ sid: 's2' }), signed({ jti: 'j2' })].map(async (text) => {
      const token = await readLogoutToken(text, one, now);
      return typeof token === 'string' ? token : token.id;
    });
    const [first, same, other] = await Promise.all(ids);
    expect([first === same, first === other]).toEqual([true, false]);
  });

  it.each<[string, () => string, RegExp]>([
    ['without a signature', () => tokenText({ alg: 'none' }, claims(), ''), /not a signed JWT/],
    ['with alg none and a signature', () => tokenText({ alg: 'none' }, claims()), /not a signed JWT/],
    ['signed with the public key as a secret', confused, /signature/],
    ['signed with another key', () => new ProviderKey('RS256').signed(claims()), /signature/],
    ['with changed claims', () => signed().replace(/\.[^.]+\./, `.${tokenPart(claims({ sid: 's2' }))}.`), /signature/],
    ['of another issuer', () => signed({ iss: 'https://other.test' }), /another issuer/],
    ['of no issuer', () => signed({ iss: undefined }), /another issuer/],
    ['for another client', () => signed({ aud: 'other' }), /another client/],
    ['for no client', () => signed({ aud: undefined }), /another client/],
    ['with a nonce', () => signed({ nonce: 'n' }), /nonce/],
    ['without events', () => signed({ events: undefined }), /events/],
    ['with another event', () => signed({ events: { 'https://other.test': {} } }), /events/],
    ['whose event is not an object', () => signed({ events: { [Object.keys(EVENTS)[0]!]: true } }), /events/],
    ['that is an ID token', () => key.idToken(), /jti/],
    ['without jti', () => signed({ jti: undefined }), /jti/],
    ['without iat', () => signed({ iat: undefined }), /iat/],
    ['that is old', () => signed({ iat: second - 600, exp: undefined }), /too old/],
    ['that is old and does not expire', () => signed({ iat: second - 600, exp: second + 600 }), /too old/],
    ['of the future', () => signed({ iat: second + 600 }), /not valid yet/],
    ['that has expired', () => signed({ exp: second - 61 }), /expired/],
    ['that names nobody', () => signed({ sub: undefined, sid: undefined }), /neither/],
    ['whose sid is a number', () => signed({ sid: 1 }), /not a text/],
    ['of another type', () => signed({}, { typ: 'at+jwt' }), /not a logout token/],
    ['with extensions that must be understood', () => signed({}, { crit: ['x'] }), /not a signed JWT/],
  ])('is rejected %s', async (_, make, reason) => {
    expect(await readLogoutToken(make(), registration(), now)).toMatch(reason);
  });
});
