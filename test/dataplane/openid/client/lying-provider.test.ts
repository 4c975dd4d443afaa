import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign } from '../../../../dataplane/jose/signature.ts';
import { LyingProvider, PUBLIC_KEY, signed } from '../../../support/identity/lying-provider.ts';
import { APP, startSignIn } from '../../../support/identity/sign-in-gateway.ts';
import { newKey, secretHalves } from '../../../support/identity/signing-keys.ts';
import { tokenText } from '../../../support/identity/token-text.ts';

type Lie = (provider: LyingProvider) => void;

const now = () => Math.floor(Date.now() / 1000);
const claiming =
  (changes: Readonly<Record<string, unknown>>): Lie =>
  (provider) => {
    provider.claims = (sound) => ({ ...sound, ...changes });
  };

/** Opens a page with a provider that lies, and then asks for another with what the browser got. */
async function signInWith(lie: Lie) {
  const provider = await LyingProvider.start();
  lie(provider);
  const { browser, seen, finished } = await startSignIn(provider.issuer);
  const ada = browser();
  const page = await ada.open(`${APP}/orders`);
  const after = await ada.fetch(`${APP}/orders`);
  const decisions = finished.map(({ decision }) => decision?.refusal).filter((one) => one !== undefined);
  return { provider, page, after, seen, decisions, cookies: ada.jar('gw.test').names };
}

describe('a sign-in with an honest provider', () => {
  it('succeeds', async () => {
    const { page, after } = await signInWith(() => {});
    expect(page).toMatchObject({ status: 200, body: 'GET /orders for ada' });
    expect(after.status).toBe(200);
  });

  it('accepts an ID token for several audiences that names the client in azp', async () => {
    const { page } = await signInWith(claiming({ aud: ['other', 'gateway'], azp: 'gateway' }));
    expect(page.status).toBe(200);
  });

  it('accepts clocks that differ by less than a minute', async () => {
    const { page } = await signInWith(claiming({ iat: now() + 40, exp: now() - 20 }));
    expect(page.status).toBe(200);
  });
});

const FORGED = newKey('RS256', 'signing');
const ID_TOKEN_LIES: readonly (readonly [string, Lie, string])[] = [
  ['has a wrong nonce', claiming({ nonce: 'x' }), "'nonce' is not that of this sign-in"],
  ['has no nonce', claiming({ nonce: undefined }), "'nonce' is not that of this sign-in"],
  ['is for another client', claiming({ aud: 'other' }), 'the ID token is for another audience'],
  ['is for several clients without azp', claiming({ aud: ['gateway', 'x'] }), "'azp' does not name this client"],
  ['names another client in azp', claiming({ azp: 'other' }), "'azp' names another client"],
  ['is of another issuer', claiming({ iss: 'https://evil.example' }), 'the ID token is of another issuer'],
  ['has no issuer', claiming({ iss: undefined }), 'the ID token is of another issuer'],
  ['is of another access token', claiming({ at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }), "'at_hash' is not that"],
  ['has a hash that is no text', claiming({ at_hash: 5 }), "'at_hash' is not that"],
  ['has expired', claiming({ iat: now() - 900, exp: now() - 300 }), 'the JWT has expired'],
  ['is from the future', claiming({ iat: now() + 300 }), 'the JWT was issued in the future'],
  ['has no expiry', claiming({ exp: undefined }), "'exp' is missing"],
  ['has no time of issue', claiming({ iat: undefined }), "'iat' is missing"],
  ['has no subject', claiming({ sub: undefined }), "'sub' is missing"],
  [
    'is not signed',
    (provider) => {
      provider.idToken = (claims) => `${tokenText({ alg: 'none' }, claims, '').replace(/\.[^.]*$/, '')}.`;
    },
    'the JWT is not signed',
  ],
  [
    'is signed with HS256 and the public key',
    (provider) => {
      const { own } = secretHalves(Buffer.from(PUBLIC_KEY), 'signing');
      provider.idToken = (claims) => sign({ kid: 'signing' }, JSON.stringify(claims), own, 'HS256');
    },
    'the signature is not valid',
  ],
  [
    'is signed with a key of somebody else',
    (provider) => {
      provider.idToken = (claims) => sign({ kid: 'signing' }, JSON.stringify(claims), FORGED.own, 'RS256');
    },
    'the signature is not valid',
  ],
  [
    'is signed with an algorithm that the provider does not use',
    (provider) => {
      provider.metadata = (sound) => ({ ...sound, id_token_signing_alg_values_supported: ['ES256'] });
    },
    'the provider does not sign ID tokens with this algorithm',
  ],
  [
    'was changed',
    (provider) => {
      provider.idToken = (claims) => {
        const [header, , signature] = signed(claims).split('.');
        return [header, Buffer.from(JSON.stringify({ ...claims, sub: 'eve' })).toString('base64url'), signature].join(
          '.',
        );
      };
    },
    'the signature is not valid',
  ],
  [
    'is missing',
    (provider) => {
      provider.tokens = ({ id_token: _, ...others }) => others;
    },
    'the response of the token endpoint has no ID token',
  ],
];

describe('a sign-in fails, and nobody is signed in, where the ID token', () => {
  it.each(ID_TOKEN_LIES)('%s', async (_, lie, reason) => {
    const { page, after, seen, decisions } = await signInWith(lie);
    expect(page).toMatchObject({ status: 403 });
    expect(page.body).toMatch(/^failed: server_error: /);
    expect(page.body).toContain(reason);
    expect(decisions).toEqual(['sign-in-failed', 'sign-in-needed']);
    expect(after.status).toBe(401);
    expect(seen).toEqual([]);
  });
});

const calling =
  (change: (sound: URLSearchParams) => URLSearchParams): Lie =>
  (provider) => {
    provider.callback = change;
  };
const withParameter = (name: string, value: string) =>
  calling((sound) => new URLSearchParams([...sound, [name, value]]));
const replacing = (name: string, value: string) =>
  calling((sound) => new URLSearchParams([...sound].map(([one, given]) => [one, one === name ? value : given])));
const withoutParameter = (name: string) =>
  calling((sound) => new URLSearchParams([...sound].filter(([one]) => one !== name)));

describe('a callback is refused and its code is never sent where', () => {
  it.each([
    ['another issuer answers', replacing('iss', 'https://evil.example'), 'names another issuer'],
    ['the issuer is not named', withoutParameter('iss'), 'does not name its issuer'],
    ['the code is given twice', withParameter('code', 'other'), "'code' is given more than once"],
    ['the state is given twice', withParameter('state', 'other'), "'state' is given more than once"],
    ['the issuer is given twice', withParameter('iss', 'https://evil.example'), "'iss' is given more than once"],
    ['the code is missing', withoutParameter('code'), 'neither a code nor an error'],
    ['the state is missing', withoutParameter('state'), 'this browser has begun no such sign-in'],
    ['the state is another one', replacing('state', randomUUID()), 'no such sign-in'],
  ])('%s', async (_, lie, reason) => {
    const { provider, page, after } = await signInWith(lie);
    expect(page.status).toBe(403);
    expect(page.body).toContain(reason);
    expect(provider.codes).toEqual([]);
    expect(after.status).toBe(401);
  });
});

describe('an error of the provider', () => {
  it('reaches the failure handler, and no code is sent though there is one', async () => {
    const lie = calling(
      (sound) => new URLSearchParams([...sound, ['error', 'access_denied'], ['error_description', 'No <b>way</b>']]),
    );
    const { provider, page, decisions } = await signInWith(lie);
    expect(page.body).toBe('failed: access_denied: No  b way /b ');
    expect(decisions[0]).toBe('sign-in-refused');
    expect(provider.codes).toEqual([]);
  });

  it.each([
    ['an error', 400, { error: 'invalid_grant', error_description: 'used' }, 'failed: invalid_grant: used'],
    [
      'no JSON object',
      200,
      [] as never,
      'failed: server_error: the response of the token endpoint is not a JSON object',
    ],
    ['a failure', 500, {}, 'failed: server_error: the token endpoint answered 500'],
    [
      'a token of another type',
      200,
      { access_token: 'a', token_type: 'mac' },
      "failed: server_error: the token endpoint returned a token type other than 'Bearer' and 'DPoP'",
    ],
    [
      'no access token',
      200,
      { token_type: 'Bearer' },
      "failed: server_error: the response of the token endpoint has no 'access_token' that can be sent",
    ],
  ])('at the token endpoint is told where it answers with %s', async (_, status, answer, body) => {
    const { page, after } = await signInWith((provider) => {
      provider.tokenStatus = status;
      provider.tokens = () => answer;
    });
    expect(page.body).toBe(body);
    expect(after.status).toBe(401);
  });
});

describe('an authorization request', () => {
  it('has PKCE, a state and a nonce of 256 bits each, and what was configured', async () => {
    const provider = await LyingProvider.start();
    provider.claims = (sound) => ({ ...sound, auth_time: now() });
    const config = { prompt: 'login consent', maxAge: '5 minutes', acrValues: ['gold', 'silver'] };
    const { browser } = await startSignIn(provider.issuer, { config });
    expect((await browser().open(`${APP}/orders`)).status).toBe(200);
    const [request] = provider.requests;
    expect(Object.fromEntries(request!)).toMatchObject({
      response_type: 'code',
      client_id: 'gateway',
      redirect_uri: `${APP}/openid/callback`,
      scope: 'openid email',
      code_challenge_method: 'S256',
      prompt: 'login consent',
      max_age: '300',
      acr_values: 'gold silver',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(Buffer.from(request!.get(name)!, 'base64url'), name).toHaveLength(32);
    }
  });

  it.each([
    ['too long ago', { auth_time: now() - 3600 }, 'the user authenticated too long ago'],
    ['at a time that the provider does not tell', {}, "'auth_time' is missing"],
  ])('with maxAge fails for a user who authenticated %s', async (_, claims, reason) => {
    const provider = await LyingProvider.start();
    provider.claims = (sound) => ({ ...sound, ...claims });
    const { browser } = await startSignIn(provider.issuer, { config: { maxAge: '5 minutes' } });
    const page = await browser().open(`${APP}/orders`);
    expect(page.status).toBe(403);
    expect(page.body).toContain(reason);
  });
});
