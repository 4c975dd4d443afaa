import { describe, expect, it } from 'vitest';
import { isPlaceOf, readMetadata, wellKnownPlaces } from '../../../dataplane/openid/issuer-metadata.ts';

const ISSUER = 'https://as.test';
const PLACE = `${ISSUER}/.well-known/openid-configuration`;
const read = (members: object, place = PLACE) =>
  readMetadata(Buffer.from(JSON.stringify({ issuer: ISSUER, ...members })), place, (issuer) => issuer === ISSUER);

describe('the locations of metadata', () => {
  it.each([
    [
      'https://as.test',
      ['https://as.test/.well-known/openid-configuration', 'https://as.test/.well-known/oauth-authorization-server'],
    ],
    [
      'https://as.test/',
      ['https://as.test/.well-known/openid-configuration', 'https://as.test/.well-known/oauth-authorization-server'],
    ],
    [
      'https://as.test/realms/a',
      [
        'https://as.test/realms/a/.well-known/openid-configuration',
        'https://as.test/.well-known/oauth-authorization-server/realms/a',
        'https://as.test/.well-known/openid-configuration/realms/a',
      ],
    ],
  ])('follow from the issuer %s', (issuer, places) => {
    expect(wellKnownPlaces(issuer)).toEqual(places);
    for (const place of places) expect(isPlaceOf(issuer, place)).toBe(true);
  });

  it('are not those of another issuer', () => {
    expect(isPlaceOf('https://as.test/b', 'https://as.test/a/.well-known/openid-configuration')).toBe(false);
    expect(isPlaceOf('https://other.test', PLACE)).toBe(false);
    expect(isPlaceOf('no url', PLACE)).toBe(false);
  });
});

describe('metadata', () => {
  it('has endpoints as written, those for certificates apart, and all other members', () => {
    const mtls_endpoint_aliases = { token_endpoint: 'https://mtls.as.test/token' };
    const found = read({
      token_endpoint: 'https://as.test:443/token?a=b',
      jwks_uri: 'https://keys.test/jwks',
      userinfo_endpoint: null,
      mtls_endpoint_aliases,
      code_challenge_methods_supported: ['S256'],
    });
    expect(found).toMatchObject({
      issuer: ISSUER,
      endpoints: { token: 'https://as.test:443/token?a=b', keys: 'https://keys.test/jwks' },
      certificateEndpoints: { token: 'https://mtls.as.test/token' },
      members: { code_challenge_methods_supported: ['S256'] },
    });
    expect(Object.keys(found!.endpoints)).toEqual(['token', 'keys']);
  });

  it('is null for anything but a JSON object', () => {
    for (const content of ['', '[]', '"a"', '<html>', '{"issuer":"a","issuer":"a"}']) {
      expect(readMetadata(Buffer.from(content), PLACE, () => true)).toBeNull();
    }
  });

  it.each([
    [{ issuer: undefined }, "no text 'issuer'"],
    [{ issuer: `${ISSUER}/` }, 'one of them has a slash at the end, and the other has none'],
    [{ issuer: 'https://AS.test' }, "'issuer' of the metadata is not the issuer"],
    [{ issuer: 'https://evil.test' }, "'issuer' of the metadata is not the issuer"],
    [{ jwks_uri: 'http://as.test/jwks' }, "'jwks_uri' of the metadata is not an https URL"],
    [{ token_endpoint: 'http://127.0.0.1/token' }, "'token_endpoint' of the metadata is not an https URL"],
    [{ token_endpoint: 'file:///etc/passwd' }, "'token_endpoint' of the metadata is not an https URL"],
    [{ token_endpoint: '/token' }, "'token_endpoint' of the metadata is not an absolute URL"],
    [{ token_endpoint: 'https://a:b@as.test/' }, "'token_endpoint' of the metadata contains credentials"],
    [{ token_endpoint: ['https://as.test/'] }, "'token_endpoint' of the metadata is not a text"],
    [
      { mtls_endpoint_aliases: { token_endpoint: 'http://as.test' } },
      "'token_endpoint' of the metadata is not an https URL",
    ],
  ])('is refused with %j', (members, message) => {
    expect(() => read(members)).toThrow(message);
  });

  it('may name http endpoints only where it came over http itself', () => {
    const members = { token_endpoint: 'http://as.test/token' };
    expect(read(members, 'http://as.test/.well-known/openid-configuration')!.endpoints.token).toBe(
      'http://as.test/token',
    );
  });
});
