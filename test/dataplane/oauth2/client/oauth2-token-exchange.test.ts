import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { EXCHANGE_GRANT } from '../../../support/identity/custom-grants.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

const TYPE = 'OAuth2TokenExchangeFilter';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const subjectToken = "${request.headers['X-Token'][0]}";
const issued = (token: string, more: object = { expires_in: 600 }): object => ({
  access_token: token,
  issued_token_type: ACCESS_TOKEN,
  token_type: 'Bearer',
  ...more,
});

/** Tells what is in the context. */
const SENDS: JsonValue = {
  type: 'HeaderFilter',
  config: {
    messageType: 'REQUEST',
    add: {
      'X-Issued': [
        '${contexts.oauth2TokenExchange.issuedToken} ${contexts.oauth2TokenExchange.issuedTokenType} ' +
          "${join(contexts.oauth2TokenExchange.scopes, ',')} ${contexts.OAuth2TokenExchangeContext.issuedToken}",
      ],
    },
  },
};

function filter(endpoint: string, config: JsonObject = {}): JsonObject {
  return { type: TYPE, config: { endpoint, subjectToken, endpointHandler: 'ClientHandler', ...config } };
}

const bearing = (token: string): { headers: string[] } => ({ headers: [`X-Token: ${token}`] });
const issuedIn = (seen: Awaited<ReturnType<typeof startFiltered>>['seen']) =>
  seen.map(({ headers }) => headers.find(([name]) => name === 'x-issued')?.[1]);

describe(TYPE, () => {
  it('sends every field of RFC 8693 and puts the result into its context', async () => {
    const endpoint = await startTokenEndpoint(() => issued('new'));
    const config = {
      actorToken: "${request.headers['X-Actor'][0]}",
      actorTokenType: 'URN_JWT',
      subjectTokenType: 'URN_ID_TOKEN',
      requestedTokenType: 'urn:x-company:token',
      scopes: ['a', '${request.headers["X-Scope"]}'],
      resource: ['https://one.test/${request.method}', 'https://two.test/'],
      audience: 'orders',
    };
    const { ask, seen } = await startFiltered([filter(endpoint.url, config), SENDS]);
    const headers = ['X-Token: old+/=', 'X-Actor: actor', 'X-Scope: b'];
    expect((await ask('/', { headers })).status).toBe(200);
    expect([...endpoint.requests[0]!.form]).toEqual([
      ['grant_type', EXCHANGE_GRANT],
      ['resource', 'https://one.test/GET'],
      ['resource', 'https://two.test/'],
      ['audience', 'orders'],
      ['scope', 'a b'],
      ['requested_token_type', 'urn:x-company:token'],
      ['subject_token', 'old+/='],
      ['subject_token_type', 'urn:ietf:params:oauth:token-type:id_token'],
      ['actor_token', 'actor'],
      ['actor_token_type', 'urn:ietf:params:oauth:token-type:jwt'],
    ]);
    expect(issuedIn(seen)).toEqual([`new ${ACCESS_TOKEN} a,b new`]);
  });

  it('sends only what is given, and takes the scopes of the answer', async () => {
    const endpoint = await startTokenEndpoint(() => issued('new', { scope: 'x  y', token_type: 'N_A' }));
    const { ask, seen } = await startFiltered([filter(endpoint.url, { actorToken: '${null}' }), SENDS]);
    await ask('/', bearing('old'));
    expect(endpoint.requests[0]!.form.toString()).toBe(
      new URLSearchParams({
        grant_type: EXCHANGE_GRANT,
        subject_token: 'old',
        subject_token_type: ACCESS_TOKEN,
      }).toString(),
    );
    expect(issuedIn(seen)).toEqual([`new ${ACCESS_TOKEN} x,y new`]);
  });

  it('exchanges the same token once for all who wait and until it expires, and each other token by itself', async () => {
    const held = Promise.withResolvers<void>();
    const endpoint = await startTokenEndpoint(async (count) => {
      await held.promise;
      return issued(`new${count}`);
    });
    const { ask, seen } = await startFiltered([filter(endpoint.url), SENDS]);
    const answers = Array.from({ length: 6 }, () => ask('/', bearing('one')));
    await expect.poll(() => endpoint.requests.length).toBe(1);
    held.resolve();
    await Promise.all(answers);
    await ask('/', bearing('one'));
    await ask('/', bearing('two'));
    expect(endpoint.requests.map(({ form }) => form.get('subject_token'))).toEqual(['one', 'two']);
    const of = (token: string): string => `${token} ${ACCESS_TOKEN}  ${token}`;
    expect(issuedIn(seen)).toEqual([...Array(7).fill(of('new0')), of('new1')]);
  });

  it.each([
    ['a token without an expiry', 'old', {}],
    ['a token that expires at once', 'old', { expires_in: 0 }],
    [
      'a token for a JWT that has expired',
      ['{"alg":"HS256"}', '{"exp":1}', 'x'.repeat(32)].map((part) => Buffer.from(part).toString('base64url')).join('.'),
      { expires_in: 600 },
    ],
  ])('does not cache %s', async (_, subject, more) => {
    const endpoint = await startTokenEndpoint((count) => issued(`new${count}`, more));
    const { ask } = await startFiltered([filter(endpoint.url)]);
    await ask('/', bearing(subject));
    await ask('/', bearing(subject));
    expect(endpoint.requests).toHaveLength(2);
  });

  it('authenticates to a real authorization server with private_key_jwt', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const server = await startAuthorizationServer({
      clients: [
        {
          client_id: 'gateway',
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'client.key' }] },
          grant_types: [EXCHANGE_GRANT],
          scope: 'read',
        },
      ],
    });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
    const directory = secretFolder({ 'client.key.pem': pem });
    const authentication = {
      type: 'PrivateKeyJwtClientAuthenticationFilter',
      config: {
        clientId: 'gateway',
        tokenEndpoint: server.endpoints.token,
        signingSecretId: 'client.key',
        signingAlgorithm: 'ES256',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
        },
      },
    };
    const endpointHandler = { type: 'Chain', config: { filters: [authentication], handler: 'ClientHandler' } };
    const { ask, seen, logged } = await startFiltered([
      filter(server.endpoints.token, { endpointHandler, scopes: ['read'] }),
      SENDS,
    ]);
    const old = await server.token();
    expect((await ask('/', bearing(old))).status).toBe(200);
    expect(issuedIn(seen)[0]).toMatch(new RegExp(`^\\S{20,} ${ACCESS_TOKEN} read `));
    expect(issuedIn(seen)[0]).not.toContain(old);
    const refused = await ask('/', bearing('made-up-token'));
    expect([refused.status, refused.body, seen.length]).toEqual([403, '', 1]);
    expect(JSON.stringify(logged)).not.toContain('made-up-token');
  });

  it.each<[string, (response: ServerResponse) => object | null, number, string]>([
    [
      'refuses the token',
      (response) => {
        response.statusCode = 400;
        return { error: 'invalid_target', error_description: 'SECRET' };
      },
      403,
      'invalid_target',
    ],
    [
      'does not know the gateway',
      (response) => {
        response.statusCode = 401;
        return { error: 'invalid_client', error_description: 'SECRET' };
      },
      502,
      'invalid_client',
    ],
    [
      'fails',
      (response) => {
        response.writeHead(500).end('SECRET');
        return null;
      },
      502,
      'server_error',
    ],
    [
      'redirects',
      (response) => {
        response.writeHead(302, { Location: 'http://127.0.0.1:1/SECRET' }).end();
        return null;
      },
      502,
      'server_error',
    ],
    ['names no type', () => ({ access_token: 'SECRET', token_type: 'Bearer' }), 502, 'server_error'],
    ['gives no token', () => issued('a b\nSECRET'), 502, 'server_error'],
    [
      'breaks off',
      (response) => {
        response.destroy();
        return null;
      },
      502,
      'server_error',
    ],
  ])('answers when the server %s, and shows nothing of the answer', async (_, answer, status, error) => {
    const endpoint = await startTokenEndpoint((_count, response) => answer(response));
    const plain = await startFiltered([filter(endpoint.url)]);
    expect((await plain.ask('/', bearing('old'))).status).toBe(status);
    const failureHandler = {
      type: 'StaticResponseHandler',
      config: {
        status: 418,
        headers: { 'Content-Type': ['text/plain'] },
        entity: '${contexts.oauth2Failure.error}|${contexts.oauth2Failure.description}',
      },
    };
    const handled = await startFiltered([filter(endpoint.url, { failureHandler })]);
    const { status: shown, body } = await handled.ask('/', bearing('old'));
    expect([shown, body.split('|')[0]]).toEqual([418, error]);
    expect(body + JSON.stringify([plain.logged, handled.logged])).not.toContain('SECRET');
    expect([plain.seen, handled.seen]).toEqual([[], []]);
  });

  it('answers a request without a subject token with 401 and asks nobody', async () => {
    const endpoint = await startTokenEndpoint(() => issued('new'));
    const { ask, seen } = await startFiltered([filter(endpoint.url)]);
    expect((await ask('/')).status).toBe(401);
    expect((await ask('/', bearing(''))).status).toBe(401);
    expect([endpoint.requests, seen]).toEqual([[], []]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      {},
      [
        'missing subjectToken: is required',
        'missing endpointHandler: is required',
        "missing : one of 'amService' and 'endpoint' is required",
      ],
    ],
    [
      'no endpoint',
      { subjectToken, endpointHandler: 'ClientHandler' },
      ["missing : one of 'amService' and 'endpoint' is required"],
    ],
    [
      'a type that is none, and an actor type without an actor',
      {
        subjectToken,
        endpoint: 'https://as.test/token',
        endpointHandler: 'ClientHandler',
        subjectTokenType: 'ACCESS',
      },
      [
        'value subjectTokenType: must be a URI or one of URN_ACCESS_TOKEN, URN_REFRESH_TOKEN, URN_ID_TOKEN, URN_JWT, URN_SAML1, URN_SAML2',
      ],
    ],
    [
      'an actor type without an actor, and clear text',
      {
        subjectToken,
        endpoint: 'http://as.test/token',
        endpointHandler: 'ClientHandler',
        actorTokenType: 'URN_JWT',
      },
      ["missing actorToken: is required: 'actorTokenType' needs it"],
    ],
  ])('reports %s', (_, config, problems) => {
    expect(problemsOf(TYPE, config)).toEqual(problems);
  });
});
