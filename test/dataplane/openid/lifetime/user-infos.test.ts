import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Claims } from '../../../../dataplane/jose/claims.ts';
import type { SignedIn } from '../../../../dataplane/openid/client/signed-in.ts';
import { DpopProver } from '../../../../dataplane/openid/lifetime/dpop-prover.ts';
import { UserInfos } from '../../../../dataplane/openid/lifetime/user-infos.ts';
import { HttpBackend } from '../../../support/backends/http-backend.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { CLIENT_ID, ISSUER, ProviderKey, signedInUser } from '../../../support/identity/signed-in-user.ts';
import { newKey } from '../../../support/identity/signing-keys.ts';

const key = new ProviderKey();
const ALICE = { sub: 'alice', email: 'alice@example.com' };

async function setting(answer: (response: ServerResponse) => void, prover: DpopProver | null = null) {
  const asked: IncomingHttpHeaders[] = [];
  const backend = await HttpBackend.start((request, response) => {
    asked.push(request.headers);
    answer(response);
  });
  onTestFinished(() => backend.close());
  const { object: registration } = buildObject('clientRegistration', 'ClientRegistration', {
    clientId: CLIENT_ID,
    issuer: {
      type: 'Issuer',
      config: {
        issuer: ISSUER,
        authorizeEndpoint: `${ISSUER}/authorize`,
        tokenEndpoint: `${ISSUER}/token`,
        userInfoEndpoint: `http://127.0.0.1:${backend.destination.port}/userinfo`,
      },
    },
    idTokenVerificationSecretId: 'verify',
    secretsProvider: keyFolder({ verify: key.halves.other.key }),
  });
  const clock = { now: Date.now() };
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const infos = new UserInfos({ lifetime: 600_000, log, prover, now: () => clock.now });
  const of = async (signedIn: SignedIn): Promise<Claims | null> => infos.of(signedIn, registration, null);
  return { asked, clock, logged, of };
}

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));

const jwt =
  (text: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { 'Content-Type': 'application/jwt; charset=utf-8' }).end(text);

const user = (changes: Partial<SignedIn> = {}): SignedIn => signedInUser({ idToken: key.idToken(), ...changes });

describe('UserInfos', () => {
  it('asks once for parallel requests with the same access token, and again after the cache expired', async () => {
    const { asked, clock, of } = await setting(json(ALICE));
    const one = user();
    expect(await Promise.all([of(one), of(one), of(one)])).toEqual([ALICE, ALICE, ALICE]);
    clock.now += 599_999;
    expect(await of(one)).toEqual(ALICE);
    expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer access-0']);
    clock.now += 1;
    await of(one);
    await of(user({ accessToken: 'access-1' }));
    expect(asked).toHaveLength(3);
  });

  it('reads a signed answer', async () => {
    const claims = { ...ALICE, iss: ISSUER, aud: CLIENT_ID };
    const { of, logged } = await setting(jwt(key.signed(claims)));
    expect([await of(user()), logged]).toEqual([claims, []]);
  });

  it('takes the answer for a user without an ID token as it is', async () => {
    const { of } = await setting(json({ name: 'somebody' }));
    expect(await of(user({ idToken: null }))).toEqual({ name: 'somebody' });
  });

  it('proves its key for a token that is bound to it', async () => {
    const { own } = newKey('ES256');
    const { of, asked } = await setting(json(ALICE), new DpopProver(async () => own, 'ES256'));
    expect(await of(user({ tokenType: 'DPoP' }))).toEqual(ALICE);
    expect(asked).toMatchObject([{ authorization: 'DPoP access-0', dpop: expect.stringMatching(/^ey/) }]);
    await of(user({ accessToken: 'access-1' }));
    expect(asked[1]).not.toHaveProperty('dpop');
  });

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['another user', json({ sub: 'mallory' }), /another user/],
    ['no user', json({ email: 'alice@example.com' }), /another user/],
    ['401', json({}, 401), /answered 401/],
    ['a list', json([ALICE]), /not a JSON object/],
    ['nothing', (response) => void response.destroy(), /./],
    ['too much', json({ ...ALICE, more: 'x'.repeat(300_000) }), /./],
    ['a JWT of another key', jwt(new ProviderKey().signed(ALICE)), /signature/],
    ['a JWT of another issuer', jwt(key.signed({ ...ALICE, iss: 'https://other.test' })), /another issuer/],
    ['a JWT for another client', jwt(key.signed({ ...ALICE, aud: 'other' })), /another client/],
    ['an expired JWT', jwt(key.signed({ ...ALICE, exp: 1 })), /expired/],
    ['a JWT without a signature', jwt('e30.e30.'), /not a signed JWT/],
  ])('gives none, warns and waits before it asks again when the endpoint answers %s', async (_, answer, reason) => {
    const { asked, clock, logged, of } = await setting(answer);
    expect(await of(user())).toBeNull();
    clock.now += 4999;
    expect(await of(user())).toBeNull();
    const before = asked.length;
    clock.now += 1;
    await of(user());
    expect(asked.length).toBeGreaterThan(before);
    expect(logged[0]).toMatchObject({
      msg: 'no user info; the request goes on without it',
      reason: expect.stringMatching(reason),
    });
    expect(JSON.stringify(logged)).not.toMatch(/access-0|alice@/);
  });
});
