import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Uri } from '../../../dataplane/engine/message/uri.ts';
import { judgeProof, type ProvenRequest } from '../../../dataplane/oauth2/dpop-proof.ts';
import { DpopClient, type ProofWish } from '../../support/identity/dpop-client.ts';

const TOKEN = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
const PLACE = 'https://api.example.com/orders/7';
const client = new DpopClient();
const times = () => ({ now: Date.now(), maxAge: 60_000, skew: 5000 });

function request(more: Partial<ProvenRequest> = {}): ProvenRequest {
  return { method: 'GET', uri: Uri.parse(`${PLACE}?page=1`), token: TOKEN, thumbprint: client.thumbprint, ...more };
}

function judged(wish: Partial<ProofWish>, more?: Partial<ProvenRequest>) {
  return judgeProof(client.proof({ uri: PLACE, token: TOKEN, ...wish }), request(more), times());
}

it('accepts a valid proof and returns until when it could be replayed', () => {
  const iat = Math.floor(Date.now() / 1000);
  expect(judged({ claims: { jti: 'one', iat } })).toEqual({
    id: `${client.thumbprint} one`,
    usableUntil: iat * 1000 + 65_000,
    nonce: undefined,
  });
});

it('accepts the example of RFC 9449, section 7.1, only at its time', () => {
  const text =
    'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo' +
    'RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.' +
    'eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy' +
    'ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.' +
    '2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA';
  const proven: ProvenRequest = {
    method: 'GET',
    uri: Uri.parse('https://resource.example.org/protectedresource'),
    token: TOKEN,
    thumbprint: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
  };
  const at = (now: number) => judgeProof(text, proven, { now, maxAge: 60_000, skew: 5000 });
  expect(at(1_562_262_618_000)).toMatchObject({ usableUntil: 1_562_262_683_000 });
  expect(at(1_562_262_683_000)).toMatchObject({ usableUntil: 1_562_262_683_000 });
  expect(at(1_562_262_613_000)).toMatchObject({ usableUntil: 1_562_262_683_000 });
  for (const now of [1_562_262_612_999, 1_562_262_683_001])
    expect(at(now)).toBe('the DPoP proof has expired or is not valid yet');
});

describe('the URI', () => {
  it.each([
    PLACE,
    `${PLACE}?page=2`,
    `${PLACE}#top`,
    'HTTPS://API.Example.com/orders/7',
    'https://api.example.com:443/orders/7',
    'https://api.example.com/order%73/7',
  ])('may be written %s', (htu) => {
    expect(judged({ claims: { htu } })).toMatchObject({ id: expect.any(String) });
  });

  it.each([
    'https://api.example.com/orders/8',
    'https://api.example.com/orders/7/',
    'https://api.example.com/Orders/7',
    'https://api.example.com/orders/./7',
    'http://api.example.com/orders/7',
    'https://api.example.com:8443/orders/7',
    'https://api.example.com.evil.test/orders/7',
    'https://api.example.com@evil.test/orders/7',
    'https://user@api.example.com/orders/7',
    '/orders/7',
    '',
    7,
    null,
    ['https://api.example.com/orders/7'],
  ])('does not match when written %j', (htu) => {
    expect(judged({ claims: { htu } })).toBe('the DPoP proof is for another URI');
  });

  it('of a request without a host never matches', () => {
    const uri = new Uri('https', '', '/orders/7', null);
    expect(judged({ claims: { htu: 'https:///orders/7' } }, { uri })).toBe('the DPoP proof is for another URI');
  });
});

const other = new DpopClient();
const NOW = Math.floor(Date.now() / 1000);
const WRONG_TIME = 'the DPoP proof has expired or is not valid yet';

describe('a proof is refused', () => {
  it.each<[string, Partial<ProofWish>, string]>([
    ['of another type', { header: { typ: 'JWT' } }, 'the DPoP proof has another type'],
    ['of no type', { header: { typ: undefined } }, 'the DPoP proof has another type'],
    ['without a signature', { header: { alg: 'none' } }, 'the DPoP proof is not a signed JWT'],
    ['of an unknown algorithm', { header: { alg: 'ES257' } }, 'the DPoP proof is not a signed JWT'],
    ['with extensions', { header: { crit: ['x'], x: 1 } }, 'the DPoP proof is not a signed JWT'],
    ['of a shared secret', { header: { alg: 'HS256' } }, 'the DPoP proof is signed with a shared secret'],
    ['of an algorithm for other keys', { header: { alg: 'ES384' } }, 'the signature of the DPoP proof is wrong'],
    ['without a key', { header: { jwk: undefined } }, 'the DPoP proof shows no public key'],
    ['with a key by its name', { header: { jwk: undefined, kid: 'x' } }, 'the DPoP proof shows no public key'],
    [
      'with another key',
      { header: { jwk: other.jwk } },
      'the DPoP proof is signed with another key than the one the token is bound to',
    ],
    [
      'with a key for encryption',
      { header: { jwk: { ...client.jwk, use: 'enc' } } },
      'the signature of the DPoP proof is wrong',
    ],
    [
      'with its private key',
      { header: { jwk: client.key.export({ format: 'jwk' }) } },
      'the DPoP proof shows no public key',
    ],
    [
      'with a symmetric key',
      { header: { jwk: { kty: 'oct', k: 'AAAA', kid: 'x' } } },
      'the DPoP proof shows no public key',
    ],
    ['with a damaged key', { header: { jwk: { ...client.jwk, x: 'AAAA' } } }, 'the DPoP proof shows no public key'],
    ['without an id', { claims: { jti: undefined } }, 'the DPoP proof has no id'],
    ['with an empty id', { claims: { jti: '' } }, 'the DPoP proof has no id'],
    ['with a number as its id', { claims: { jti: 7 } }, 'the DPoP proof has no id'],
    ['for another method', { method: 'POST' }, 'the DPoP proof is for another method'],
    ['for a method in small letters', { method: 'get' }, 'the DPoP proof is for another method'],
    ['for no method', { claims: { htm: undefined } }, 'the DPoP proof is for another method'],
    ['for another token', { token: 'another' }, 'the DPoP proof is for another token'],
    ['for no token', { claims: { ath: undefined } }, 'the DPoP proof is for another token'],
    [
      'with a padded hash',
      { claims: { ath: `${createHash('sha256').update(TOKEN).digest('base64url')}=` } },
      'the DPoP proof is for another token',
    ],
    ['that is old', { claims: { iat: NOW - 70 } }, WRONG_TIME],
    ['of the future', { claims: { iat: NOW + 60 } }, WRONG_TIME],
    ['of no time', { claims: { iat: undefined } }, WRONG_TIME],
    ['with a time as a text', { claims: { iat: String(NOW) } }, WRONG_TIME],
    ['that has expired', { claims: { exp: NOW - 30 } }, WRONG_TIME],
    ['that is for later', { claims: { nbf: NOW + 30 } }, WRONG_TIME],
  ])('%s', (_what, wish, refusal) => {
    expect(judged(wish)).toBe(refusal);
  });

  it('signed with another key', () => {
    const text = other.signed(
      { typ: 'dpop+jwt', alg: 'ES256', jwk: client.jwk },
      { jti: 'x', htm: 'GET', htu: PLACE, iat: NOW, ath: createHash('sha256').update(TOKEN).digest('base64url') },
    );
    expect(judgeProof(text, request(), times())).toBe('the signature of the DPoP proof is wrong');
  });

  it('that is a MAC made with the public key', () => {
    const sound = client.proof({ uri: PLACE, token: TOKEN }).split('.');
    const header = Buffer.from(JSON.stringify({ typ: 'dpop+jwt', alg: 'HS256', jwk: client.jwk })).toString(
      'base64url',
    );
    const input = `${header}.${sound[1]}`;
    const mac = createHmac('sha256', JSON.stringify(client.jwk)).update(input).digest('base64url');
    expect(judgeProof(`${input}.${mac}`, request(), times())).toBe('the DPoP proof is signed with a shared secret');
  });

  it.each(['', 'x', 'a.b.c', 'a, b'])('that is not a JWT: %j', (text) => {
    expect(judgeProof(text, request(), times())).toBe('the DPoP proof is not a signed JWT');
  });

  it('in another spelling of the same signature', () => {
    const sound = client.proof({ uri: PLACE, token: TOKEN });
    expect(judgeProof(`${sound}=`, request(), times())).toBe('the DPoP proof is not a signed JWT');
    expect(judgeProof(`${sound} `, request(), times())).toBe('the DPoP proof is not a signed JWT');
  });

  it('with a weak RSA key', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = publicKey.export({ format: 'jwk' });
    expect(judged({ header: { alg: 'RS256', jwk } })).toBe('the DPoP proof shows no public key');
  });
});
