import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { readJws } from '../../../../dataplane/jose/compact-jws.ts';
import { verifyWithSecrets } from '../../../../dataplane/jose/verification.ts';
import { buildObject, buildObjects } from '../../../support/gateways/built-object.ts';
import { refusals } from '../../../support/gateways/refused-objects.ts';
import { startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { metadata, OPENID_PATH, startMetadataServer } from '../../../support/identity/metadata-server.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

const TYPE = 'ClientRegistration';
const SECRET = 'a-client-secret-of-more-than-32-bytes';
const FORM = [
  ['grant_type', 'client_credentials'],
  ['scope', 'read'],
] as const;

function registration(config: JsonObject) {
  return buildObject('clientRegistration', TYPE, { clientId: 'gateway', ...config });
}

const withSecret = (tokenEndpointAuthMethod: string): JsonObject => ({
  tokenEndpointAuthMethod,
  clientSecretId: 'secret',
  secretsProvider: inlineSecrets({ secret: SECRET }),
});

describe(TYPE, () => {
  it.each(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])(
    'gets a token from a real issuer, discovered by its URL, with %s',
    async (method) => {
      const client = { client_id: 'gateway', client_secret: SECRET, scope: 'read', token_endpoint_auth_method: method };
      const server = await startAuthorizationServer({ clients: [client] });
      const { object } = registration({ issuer: server.issuer, ...withSecret(method) });
      const { status, content } = await object.post('token', FORM, null);
      expect([status, JSON.parse(String(content))]).toMatchObject([200, { token_type: 'Bearer', scope: 'read' }]);
      const wrong = { secretsProvider: inlineSecrets({ secret: `${SECRET}-of-somebody-else` }) };
      const other = registration({ issuer: server.issuer, ...withSecret(method), ...wrong });
      expect((await other.object.post('token', FORM, null)).status).toBe(401);
    },
  );

  it('gets a token from a real issuer with private_key_jwt, which is the default with a key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const server = await startAuthorizationServer({
      clients: [
        {
          client_id: 'gateway',
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'key' }] },
          scope: 'read',
        },
      ],
    });
    const directory = secretFolder({ key: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string });
    const secretsProvider = {
      type: 'FileSystemSecretStore',
      config: { directory, format: { type: 'PemPropertyFormat' } },
    };
    const { object } = registration({
      issuer: server.issuer,
      privateKeyJwtSecretId: 'key',
      tokenEndpointAuthSigningAlg: 'ES256',
      secretsProvider,
    });
    expect((await object.post('token', FORM, null)).status).toBe(200);
  });

  it('verifies tokens with the keys of the issuer, also after a rotation', async () => {
    const server = await startAuthorizationServer();
    const { object } = registration({ issuer: server.issuer, scopes: ['openid'] });
    const isVerified = async (): Promise<boolean> => {
      const jws = readJws(await server.token({ jwt: true }));
      return jws !== null && verifyWithSecrets(jws, object.keys!.provider, object.keys!.secretId);
    };
    expect(await isVerified()).toBe(true);
    await server.rotateKeys();
    expect(await isVerified()).toBe(true);
  });

  it('sends only its id without a secret, in place of whatever the form says of the client', async () => {
    const endpoint = await startTokenEndpoint(() => ({}));
    const issuer = {
      type: 'Issuer',
      config: { authorizeEndpoint: 'https://as.test/authorize', tokenEndpoint: endpoint.url },
    };
    const { object } = registration({ issuer, name: 'mine', redirect_uris: ['https://gw.test/callback'] });
    expect([object.name, object.redirectUris, object.keys]).toEqual(['mine', ['https://gw.test/callback'], null]);
    await object.post('token', [...FORM, ['client_id', 'other']], null);
    expect(endpoint.requests.map(({ form }) => form.toString())).toEqual([
      'grant_type=client_credentials&scope=read&client_id=gateway',
    ]);
    await expect(object.post('revocation', [], null)).rejects.toThrow('has no revocation endpoint');
  });

  it('uses the endpoints for certificates with tls_client_auth', async () => {
    const endpoint = await startTokenEndpoint(() => ({}));
    const server = await startMetadataServer({
      [OPENID_PATH]: metadata({ mtls_endpoint_aliases: { token_endpoint: endpoint.url } }),
    });
    const { object } = registration({ issuer: server.url, tokenEndpointAuthMethod: 'tls_client_auth' });
    await object.post('token', FORM, null);
    expect(endpoint.requests.map(({ form }) => form.get('client_id'))).toEqual(['gateway']);
    expect(server.asked).toEqual([OPENID_PATH]);
  });

  it('shows the certificate of its handler to an endpoint that knows clients by it', async () => {
    const authorities = certificateAuthority('clients');
    const server = authorities.issue({ names: ['localhost'] });
    const client = authorities.issue({ names: ['gateway.example.com'], client: true });
    const directory = secretFolder({
      'authorities.pem': authorities.certificate,
      'own.pem': client.pem,
    });
    const subjects: string[] = [];
    const endpoint = createServer(
      { cert: server.chain, key: server.key, ca: authorities.certificate, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        subjects.push(String((request.socket as TLSSocket).getPeerCertificate().subjectaltname));
        response.setHeader('Content-Type', 'application/json').end('{"access_token":"t","token_type":"Bearer"}');
      },
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void endpoint.close());
    await once(endpoint, 'listening');
    const secretsProvider = {
      type: 'FileSystemSecretStore',
      config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
    };
    const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'own', secretsProvider } };
    const trust = { verificationSecretId: 'authorities', secretsProvider, checkRevocation: false };
    const withCertificate = (shown: boolean) =>
      registration({
        issuer: {
          type: 'Issuer',
          config: {
            authorizeEndpoint: 'https://as.test/authorize',
            tokenEndpoint: `https://localhost:${(endpoint.address() as AddressInfo).port}/token`,
          },
        },
        tokenEndpointAuthMethod: 'tls_client_auth',
        authenticatedRegistrationHandler: {
          type: 'ClientHandler',
          config: {
            tls: {
              type: 'ClientTlsOptions',
              config: {
                trustManager: { type: 'SecretsTrustManager', config: trust },
                ...(shown && { keyManager }),
              },
            },
          },
        },
      }).object;
    expect((await withCertificate(true).post('token', FORM, null)).status).toBe(200);
    await expect(withCertificate(false).post('token', FORM, null)).rejects.toThrow();
    expect(subjects).toEqual(['DNS:gateway.example.com']);
  });

  it('warns of scopes without openid, which give no ID token', () => {
    const { problems } = registration({ issuer: 'https://login.example.com', scopes: ['email'] });
    expect(problems).toMatchObject([{ code: 'insecure', path: ['heap', 0, 'config', 'scopes'] }]);
  });

  it('refuses an issuer that lies, and one that is down, and logs no secret', async () => {
    const liar = await startMetadataServer({ [OPENID_PATH]: metadata({ issuer: 'https://other.test' }) });
    const lied = registration({ issuer: liar.url, ...withSecret('client_secret_post') });
    await expect(lied.object.post('token', FORM, null)).rejects.toThrow('not the issuer that was asked for');
    const server = await startAuthorizationServer();
    await server.close();
    const down = registration({ issuer: server.issuer, ...withSecret('client_secret_post') });
    await expect(down.object.post('token', FORM, null)).rejects.toThrow('no answer');
    expect(JSON.stringify([lied.logged, down.logged])).not.toContain(SECRET);
  });

  it('cannot be built where ID tokens could not be verified', () => {
    const issuer = {
      type: 'Issuer',
      name: 'plain',
      config: { authorizeEndpoint: 'https://as.test/authorize', tokenEndpoint: 'https://as.test/token' },
    };
    expect(() => registration({ issuer, scopes: ['openid'] })).toThrow('has no keys that verify ID tokens');
    const { object, problems } = registration({ issuer, scopes: ['openid'], skipSignatureVerification: true });
    expect(object.keys).toBeNull();
    expect(problems).toMatchObject([{ code: 'insecure', path: ['heap', 0, 'config', 'skipSignatureVerification'] }]);
  });

  it('refers to an Issuer of the heap by its name', async () => {
    const objects = buildObjects([
      {
        name: 'login',
        type: 'Issuer',
        config: { issuer: 'https://as.test', supportedDomains: ['.*[.]example[.]com'] },
      },
      { name: 'it', type: TYPE, config: { clientId: 'gateway', issuer: 'login' } },
    ]);
    const { issuer } = objects.get('clientRegistration', 'it');
    expect([issuer.name, issuer.supports('a.example.com'), issuer.supports('example.org')]).toEqual([
      'login',
      true,
      false,
    ]);
  });

  const given = { clientId: 'gateway', issuer: 'https://as.test' };
  const secretsProvider: JsonValue = { type: 'Base64EncodedSecretStore', config: { secrets: {} } };
  it.each<[string, JsonObject, readonly string[]]>([
    ['nothing', {}, ['config.clientId: is required', 'config.issuer: is required']],
    [
      'an issuer with a query',
      { ...given, issuer: 'https://as.test/?a' },
      ['config.issuer: must not contain a query, a fragment or spaces'],
    ],
    [
      'an issuer that is a list',
      { ...given, issuer: [] },
      ["config.issuer: must be a URL, the name of an Issuer or an object with 'type', not an array"],
    ],
    [
      'a secret in the document',
      { ...given, clientSecret: 'x' },
      ["config.clientSecret: cannot be given here: secrets do not belong into a document: use 'clientSecretId'"],
    ],
    [
      'a method without its secret',
      { ...given, tokenEndpointAuthMethod: 'client_secret_jwt' },
      ['config.clientSecretId: is required: the method client_secret_jwt needs it'],
    ],
    [
      'a method without its key',
      { ...given, tokenEndpointAuthMethod: 'private_key_jwt' },
      ['config.privateKeyJwtSecretId: is required: the method private_key_jwt needs it'],
    ],
    [
      'a secret without a provider',
      { ...given, clientSecretId: 'a' },
      ["config.secretsProvider: is required: 'clientSecretId' needs it"],
    ],
    [
      'an algorithm of another method',
      {
        ...given,
        secretsProvider,
        clientSecretId: 'a',
        tokenEndpointAuthMethod: 'client_secret_jwt',
        tokenEndpointAuthSigningAlg: 'RS256',
      },
      ['config.tokenEndpointAuthSigningAlg: must be HS256, HS384 or HS512 for client_secret_jwt'],
    ],
    [
      'an HMAC algorithm for a key',
      { ...given, secretsProvider, privateKeyJwtSecretId: 'a', tokenEndpointAuthSigningAlg: 'HS256' },
      ['config.tokenEndpointAuthSigningAlg: must not be an HMAC algorithm for private_key_jwt'],
    ],
  ])('refuses %s', (_, config, expected) => {
    expect(refusals({ type: TYPE, config })).toEqual(expected);
  });
});
