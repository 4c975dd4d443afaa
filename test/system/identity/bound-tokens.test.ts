import { expect, it } from 'vitest';
import { ProtectedInstance, resourceServer, route } from '../../support/gateways/protected-instance.ts';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/identity/authorization-server.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { DpopClient } from '../../support/identity/dpop-client.ts';
import { withBasic } from '../../support/identity/introspecting-instance.ts';

const authority = certificateAuthority('everybody');
const own = authority.issue({ names: ['gateway.test'] });
const client = authority.issue({ client: true, commonName: 'the client' });
const stranger = authority.issue({ client: true, commonName: 'a stranger' });

const pems = {
  name: 'pems',
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/tls', format: { type: 'PemPropertyFormat' } },
};
const front = {
  name: 'front',
  type: 'ServerTlsOptions',
  config: {
    keyManager: { type: 'SecretsKeyManager', config: { signingSecretId: 'own', secretsProvider: 'pems' } },
    trustManager: { type: 'SecretsTrustManager', config: { verificationSecretId: 'ca', secretsProvider: 'pems' } },
    clientAuth: 'REQUEST',
  },
};

function introspecting(server: AuthorizationServer): object {
  const providerHandler = {
    type: 'Chain',
    config: { filters: [withBasic(server)], handler: 'ForgeRockClientHandler' },
  };
  return {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: server.endpoints.introspection, providerHandler },
  };
}

function verifying(server: AuthorizationServer): object {
  const secretsProvider = { type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks } };
  return {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.issuer, secretsProvider, verificationSecretId: 'any.id' },
  };
}

/** Routes for opaque tokens and for signed ones, behind TLS. */
async function start(server: AuthorizationServer): Promise<ProtectedInstance> {
  const confirmed = (delegate: object): object =>
    resourceServer(
      { type: 'ConfirmationKeyVerifierAccessTokenResolver', config: { delegate, dpop: {} } },
      { requireHttps: true, cache: { enabled: true } },
    );
  const instance = await ProtectedInstance.start((url) => ({
    'tls/own': own.pem,
    'tls/ca': authority.certificate,
    'secrets/of.client': CLIENT.secret,
    'config/admin.json': { connectors: [{ port: 1, tls: 'front' }], heap: [pems, front] },
    'config/config.json': { handler: { type: 'Router' } },
    'config/routes/opaque.json': route('opaque', url, [confirmed(introspecting(server))]),
    'config/routes/signed.json': route('signed', url, [confirmed(verifying(server))]),
  }));
  instance.hide(own.key);
  return instance;
}

/** @returns the status and the challenges. */
async function ask(
  gateway: ProtectedInstance,
  path: string,
  headers: Readonly<Record<string, string>>,
  shown: Certified | null = null,
): Promise<readonly [number, string]> {
  const identity = shown === null ? {} : { key: shown.key, cert: shown.certificate };
  const told = await gateway.securely(path, { ca: authority.certificate, ...identity }, headers);
  return [told.status, told.headers.get('www-authenticate') ?? ''];
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` });

it.each([
  ['/opaque/1', false],
  ['/signed/1', true],
])('certificate-bound tokens of a real server work only with the certificate: %s', async (path, jwt) => {
  const server = await startAuthorizationServer();
  const gateway = await start(server);
  const token = await server.token({ jwt, certificate: client.certificate });
  const free = await server.token({ jwt });
  gateway.hide(token, free);
  for (let i = 0; i < 4; i++) {
    // whether the token is kept already or not, and in whichever unit
    expect(await ask(gateway, path, bearing(token), client)).toEqual([200, '']);
    for (const shown of [stranger, null]) {
      const [status, challenge] = await ask(gateway, path, bearing(token), shown);
      expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    }
    expect(await ask(gateway, path, bearing(free))).toEqual([200, '']);
  }
  expect(gateway.backend.requests).toHaveLength(8);
  expect(await gateway.leaks()).toEqual([]);
});

it.each([
  ['/opaque/1', false],
  ['/signed/1', true],
])('tokens of a real server that are bound to a key need a proof, each once: %s', async (path, jwt) => {
  const server = await startAuthorizationServer();
  const gateway = await start(server);
  const [holder, thief] = [new DpopClient(), new DpopClient()];
  const asking = holder.proof({ method: 'POST', uri: server.endpoints.token });
  const token = await server.token({ jwt, proof: asking });
  gateway.hide(token);
  const uri = `https://gateway.test${path}`;
  const sending = (proof: string) => {
    gateway.hide(proof);
    return { authorization: `DPoP ${token}`, dpop: proof };
  };
  for (let i = 0; i < 3; i++) {
    const proof = holder.proof({ uri, token });
    expect(await ask(gateway, `${path}?n=${i}`, sending(proof))).toEqual([200, '']);
    for (let again = 0; again < 4; again++) expect((await ask(gateway, path, sending(proof)))[0]).toBe(401);
  }
  const proof = (): string => holder.proof({ uri, token });
  const refused: readonly Readonly<Record<string, string>>[] = [
    bearing(token),
    { ...bearing(token), dpop: proof() },
    { authorization: `DPoP ${token}` },
    sending(thief.proof({ uri, token })),
    sending(holder.proof({ uri: `${uri}/other`, token })),
    sending(holder.proof({ uri: uri.replace('https', 'http'), token })),
    sending(holder.proof({ uri, token, method: 'POST' })),
    sending(holder.proof({ uri })),
    sending(asking),
  ];
  for (const headers of refused) {
    const [status, challenge] = await ask(gateway, path, headers);
    expect([status, challenge]).toEqual([401, expect.stringMatching(/DPoP .*algs="/)]);
  }
  expect(gateway.backend.requests).toHaveLength(3);
  expect(await gateway.leaks()).toEqual([]);
});
