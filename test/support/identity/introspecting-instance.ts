import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, vi } from 'vitest';
import { ProtectedInstance, resourceServer, route } from '../gateways/protected-instance.ts';
import { type AuthorizationServer, CLIENT, type ClientMetadata, POSTER } from './authorization-server.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const plain = {
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' },
};
const keys = {
  type: 'FileSystemSecretStore',
  config: { directory: '&{ig.instance.dir}/keys', format: { type: 'PemPropertyFormat' } },
};
const secrets = {
  'secrets/of.client': CLIENT.secret,
  'secrets/of.poster': POSTER.secret,
  'keys/signer': pem(privateKey),
};

/** The client that has a key instead of a secret. */
export const SIGNER: ClientMetadata = {
  client_id: 'signer',
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_signing_alg: 'ES256',
  jwks: { keys: [{ ...publicHalf(privateKey), kid: 'signer' }] },
};

function publicHalf(key: KeyObject): object {
  const { d: _, ...rest } = key.export({ format: 'jwk' });
  return rest;
}

/** A filter that tells the server who the gateway is. */
export type Authenticating = (server: AuthorizationServer) => object;

export const withBasic: Authenticating = () => ({
  type: 'ClientSecretBasicAuthenticationFilter',
  config: { clientId: CLIENT.id, clientSecretId: 'of.client', secretsProvider: plain },
});
/** All ways to do so, by the type of the filter. */
export const methods: readonly (readonly [string, Authenticating])[] = [
  ['ClientSecretBasicAuthenticationFilter', withBasic],
  [
    'HttpBasicAuthenticationClientFilter',
    () => ({
      type: 'HttpBasicAuthenticationClientFilter',
      config: { username: CLIENT.id, passwordSecretId: 'of.client', secretsProvider: plain },
    }),
  ],
  [
    'ClientSecretPostAuthenticationFilter',
    () => ({
      type: 'ClientSecretPostAuthenticationFilter',
      config: { clientId: POSTER.id, clientSecretId: 'of.poster', secretsProvider: plain },
    }),
  ],
  [
    'PrivateKeyJwtClientAuthenticationFilter',
    ({ endpoints }) => ({
      type: 'PrivateKeyJwtClientAuthenticationFilter',
      config: {
        clientId: 'signer',
        tokenEndpoint: endpoints.token,
        signingSecretId: 'signer',
        signingAlgorithm: 'ES256',
        secretsProvider: keys,
      },
    }),
  ],
];

/** Logs all of what clients and the server are told, but for what must not be in a log. */
const seen = { name: 'seen', type: 'CaptureDecorator', config: { captureContext: true, captureEntity: true } };

/** A gateway with routes that ask each time, that keep tokens until their end, and that keep them for a moment. */
export async function startIntrospecting(
  server: AuthorizationServer,
  authenticating: Authenticating,
): Promise<ProtectedInstance> {
  const providerHandler = {
    type: 'Chain',
    config: { filters: [authenticating(server)], handler: { type: 'ClientHandler', seen: 'all' } },
  };
  const resolver = {
    type: 'TokenIntrospectionAccessTokenResolver',
    config: { endpoint: server.endpoints.introspection, providerHandler },
  };
  const kept = { cache: { enabled: true } };
  const brief = { cache: { enabled: true, maxTimeout: '300 ms' } };
  const instance = await ProtectedInstance.start((url) => ({
    ...secrets,
    'config/config.json': { heap: [seen], handler: { type: 'Router', seen: 'all' } },
    'config/routes/each.json': route('each', url, [resourceServer(resolver)]),
    'config/routes/kept.json': route('kept', url, [resourceServer(resolver, kept)]),
    'config/routes/brief.json': route('brief', url, [resourceServer(resolver, brief)]),
  }));
  instance.hide(pem(privateKey));
  return instance;
}

/** How often a server was asked about tokens. */
export const introspections = ({ asked }: AuthorizationServer): number =>
  asked.filter((one) => one === 'POST /introspect').length;

/** Asks until both units have asked the server about this token and keep it. */
export async function untilKept(gateway: ProtectedInstance, server: AuthorizationServer, token: string): Promise<void> {
  const before = introspections(server);
  await vi.waitFor(
    async () => {
      expect(await gateway.status('/kept/x', token)).toBe(200);
      expect(introspections(server) - before).toBe(2);
    },
    { timeout: 20_000, interval: 1 },
  );
}
