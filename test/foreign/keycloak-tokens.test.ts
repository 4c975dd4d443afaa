import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { HttpBackend } from '../support/backends/http-backend.ts';
import { ProtectedInstance, resourceServer, route } from '../support/gateways/protected-instance.ts';
import { KeycloakRealm } from './support/keycloak-realm.ts';

const patience = { timeout: 60_000, interval: 50 };
const scopes = ['profile', 'email'];
let realm: KeycloakRealm;

beforeAll(async () => {
  realm = await KeycloakRealm.create();
});

/** How the gateway authenticates to the realm. */
const asClient = (): object => ({
  type: 'Chain',
  config: {
    filters: [
      {
        type: 'ClientSecretBasicAuthenticationFilter',
        config: {
          clientId: realm.client.clientId,
          clientSecretId: 'of.client',
          secretsProvider: {
            type: 'FileSystemSecretStore',
            config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
          },
        },
      },
    ],
    handler: 'ForgeRockClientHandler',
  },
});

/** A gateway whose route `signed` verifies tokens with the keys of the realm, and whose route `asked` asks the realm. */
async function start(): Promise<ProtectedInstance> {
  const keys = { name: 'keys', type: 'JwkSetSecretStore', config: { jwkUrl: realm.endpoint('certs') } };
  const signed = {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: realm.issuer, secretsProvider: 'keys', verificationSecretId: 'any.id' },
  };
  const asked = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: realm.endpoint('token/introspect'), providerHandler: asClient() },
  };
  const gateway = await ProtectedInstance.start((url) => ({
    'secrets/of.client': realm.client.secret,
    'config/routes/signed.json': route('signed', url, [resourceServer(signed, { scopes })], [keys]),
    'config/routes/asked.json': route('asked', url, [resourceServer(asked, { scopes })]),
  }));
  gateway.hide(realm.client.secret);
  return gateway;
}

/** The same token with one character of its signature changed. */
function forged(token: string): string {
  const at = token.lastIndexOf('.') + 10;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

it.each(['signed', 'asked'])('accepts an access token of Keycloak and refuses a forged one (%s)', async (name) => {
  const gateway = await start();
  const token = await realm.accessToken();
  expect(await gateway.ask(`/${name}/1`, token)).toMatchObject({ status: 200, body: `answer to /${name}/1` });
  expect(await gateway.status(`/${name}/1`, forged(token))).toBe(401);
  expect(await gateway.status(`/${name}/1`, null)).toBe(401);
  expect(await gateway.leaks()).toEqual([]);
});

it('refuses a token once its user has signed out at Keycloak, where Keycloak is asked', async () => {
  const gateway = await start();
  const fields = { grant_type: 'password', username: 'ada', password: 'lovelace', scope: 'openid' };
  const granted = await realm.post('token', fields);
  const [token, refresh] = [String(granted['access_token']), String(granted['refresh_token'])];
  expect(await gateway.status('/asked/1', token)).toBe(200);
  await realm.post('logout', { refresh_token: refresh });
  expect(await gateway.status('/asked/1', token)).toBe(401);
});

it('accepts tokens of a new key of Keycloak, and those of the key before', async () => {
  const gateway = await start();
  const former = await realm.accessToken();
  expect(await gateway.status('/signed/1', former)).toBe(200);
  await realm.rotateKeys();
  const current = await realm.accessToken();
  expect(keyOf(current)).not.toBe(keyOf(former));
  for (let i = 0; i < 4; i++) {
    expect(await gateway.status('/signed/1', current)).toBe(200);
    expect(await gateway.status('/signed/1', former)).toBe(200);
  }
});

it('gets tokens of its own from Keycloak for a backend that verifies them', async () => {
  const tokens: string[] = [];
  const backend = await HttpBackend.start(async (incoming, response) => {
    const token = String(incoming.headers.authorization).replace('Bearer ', '');
    tokens.push(token);
    const { active, azp } = await realm.post('token/introspect', { token });
    response.statusCode = active === true && azp === realm.client.clientId ? 200 : 401;
    response.end();
  });
  onTestFinished(() => backend.close());
  const filter = {
    type: 'ClientCredentialsOAuth2ClientFilter',
    config: { tokenEndpoint: realm.endpoint('token'), scopes, endpointHandler: asClient() },
  };
  const { host, port } = backend.destination;
  const gateway = await ProtectedInstance.start(() => ({
    'secrets/of.client': realm.client.secret,
    'config/routes/service.json': route('service', `http://${host}:${port}`, [filter]),
  }));
  await vi.waitFor(async () => expect(await gateway.status('/service/1', null)).toBe(200), patience);
  gateway.hide(...tokens);
  expect(await gateway.leaks()).toEqual([]);
});

/** The id of the key that signed a token. */
function keyOf(token: string): unknown {
  return (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: unknown }).kid;
}
