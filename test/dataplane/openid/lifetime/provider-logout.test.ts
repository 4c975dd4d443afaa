import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { endSessionUrl, revokeTokens } from '../../../../dataplane/openid/lifetime/provider-logout.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { CLIENT_ID, ISSUER, signedInUser } from '../../../support/identity/signed-in-user.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

function registration(endpoints: Readonly<Record<string, string>>) {
  const config = {
    issuer: ISSUER,
    authorizeEndpoint: `${ISSUER}/authorize`,
    tokenEndpoint: `${ISSUER}/token`,
    ...endpoints,
  };
  const issuer = { type: 'Issuer', config };
  return buildObject('clientRegistration', 'ClientRegistration', { clientId: CLIENT_ID, issuer }).object;
}

async function revoked(answer: (response: ServerResponse) => object | null, refreshToken: string | null = 'refresh-0') {
  const endpoint = await startTokenEndpoint((_, response) => answer(response));
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const one = registration({ revocationEndpoint: endpoint.url });
  await revokeTokens(signedInUser({ refreshToken }), one, null, log);
  return { forms: endpoint.requests.map(({ form }) => form.toString()), logged };
}

describe('logout at the provider', () => {
  it('revokes the refresh token and then the access token', async () => {
    const { forms, logged } = await revoked(() => ({}));
    expect(forms).toEqual([
      'token=refresh-0&token_type_hint=refresh_token&client_id=gateway',
      'token=access-0&token_type_hint=access_token&client_id=gateway',
    ]);
    expect(logged).toEqual([]);
    expect((await revoked(() => ({}), null)).forms).toHaveLength(1);
  });

  it('logs a revocation that fails, without a token', async () => {
    const failed = await revoked((response) => {
      response.statusCode = 503;
      return {};
    });
    const cut = await revoked((response) => {
      response.destroy();
      return null;
    });
    for (const { logged } of [failed, cut]) {
      expect(logged).toMatchObject([{ level: 40, msg: 'tokens not revoked; they stay valid until they expire' }]);
      expect(JSON.stringify(logged)).not.toMatch(/access-0|refresh-0/);
    }
  });

  it('returns the URL that ends the session of the provider', async () => {
    const log = pino({ level: 'silent' });
    const one = registration({ endSessionEndpoint: `${ISSUER}/logout?realm=a` });
    const landing = 'https://app.test/bye?x=1&y=2';
    const url = new URL((await endSessionUrl(signedInUser({ idToken: 'a.b.c' }), one, landing, log))!);
    expect([url.origin, url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      ISSUER,
      '/logout',
      { realm: 'a', id_token_hint: 'a.b.c', client_id: CLIENT_ID, post_logout_redirect_uri: landing },
    ]);
    const plain = await endSessionUrl(signedInUser(), one, null, log);
    expect(plain).toBe(`${ISSUER}/logout?realm=a&client_id=${CLIENT_ID}`);
    expect(await endSessionUrl(signedInUser(), registration({}), landing, log)).toBeNull();
  });
});
