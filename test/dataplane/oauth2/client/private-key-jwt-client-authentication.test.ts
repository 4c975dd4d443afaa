import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readJws } from '../../../../dataplane/jose/compact-jws.ts';
import { verifies } from '../../../../dataplane/jose/signature.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { type ClientMetadata, startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';
import { newKey } from '../../../support/identity/signing-keys.ts';

const TYPE = 'PrivateKeyJwtClientAuthenticationFilter';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const ASKED = { method: 'POST', headers: [FORM], body: 'grant_type=client_credentials&scope=read' };
const TOKEN_ENDPOINT = 'https://as.example:443/token';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = (namedCurve: string) => () => generateKeyPairSync('ec', { namedCurve }).privateKey;
const ed25519 = () => generateKeyPairSync('ed25519').privateKey;

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function filterFor(directory: string, config: object = {}) {
  const store = { type: 'FileSystemSecretStore', config: { directory, format: { type: 'PemPropertyFormat' } } };
  const required = {
    clientId: 'gateway',
    tokenEndpoint: TOKEN_ENDPOINT,
    signingSecretId: 'key',
    secretsProvider: store,
  };
  return JSON.parse(JSON.stringify({ type: TYPE, config: { ...required, ...config } }));
}

function registered(key: KeyObject, alg: string): ClientMetadata {
  return {
    client_id: 'gateway',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: alg,
    jwks: { keys: [{ ...publicJwkOf(key), kid: 'key' }] },
    scope: 'read',
  };
}

function publicJwkOf(key: KeyObject): Record<string, unknown> {
  const { d: _, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...rest } = key.export({ format: 'jwk' });
  return rest;
}

interface Assertion {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

function read(body: string): { form: URLSearchParams } & Assertion {
  const form = new URLSearchParams(body);
  const [header, claims] = form
    .get('client_assertion')!
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString());
  return { form, header: JSON.parse(header!), claims: JSON.parse(claims!) };
}

describe(TYPE, () => {
  it('signs a new unique JWT for each request', async () => {
    const directory = secretFolder({ key: pemOf(rsa()) });
    const { ask, seen } = await startFiltered([filterFor(directory)]);
    const before = Math.floor(Date.now() / 1000);
    const body = 'grant_type=authorization_code&code=abc&client_id=other&client_assertion=forged';
    for (let i = 0; i < 3; i++) await ask('/', { ...ASKED, headers: [FORM, 'Authorization: Basic x'], body });
    const after = Math.floor(Date.now() / 1000);
    const assertions = seen.map((request) => read(request.body));
    for (const { form, header, claims } of assertions) {
      expect([...form.keys()]).toEqual([
        'grant_type',
        'code',
        'client_id',
        'client_assertion_type',
        'client_assertion',
      ]);
      expect(form.get('client_id')).toBe('gateway');
      expect(form.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      expect(header).toEqual({ typ: 'JWT', alg: 'RS256', kid: 'key' });
      expect(claims).toMatchObject({ iss: 'gateway', sub: 'gateway', aud: TOKEN_ENDPOINT });
      expect(claims['iat']).toBeGreaterThanOrEqual(before);
      expect(claims['iat']).toBeLessThanOrEqual(after);
      expect(claims['exp']).toBe(Number(claims['iat']) + 60);
      expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub']);
    }
    expect(new Set(assertions.map(({ claims }) => claims['jti'])).size).toBe(3);
    expect(seen.flatMap(({ headers }) => headers.filter(([name]) => name === 'authorization'))).toEqual([]);
  });

  it.each([
    [
      { claims: { acr: '1', n: 2, list: ['${1 + 1}', { deep: "${toUpperCase('a')}" }] } },
      { acr: '1', n: 2, list: [2, { deep: 'A' }] },
    ],
    [{ claims: { aud: ['https://as.example', 'b'] } }, { aud: ['https://as.example', 'b'] }],
    [{ claims: "${keyMatch(system, 'x')}" }, null],
    [{ jwtExpirationTimeout: '5 minutes' }, {}],
    [{ jwtExpirationTimeout: '1 ms' }, {}],
  ])('adds the claims of %j', async (config, expected) => {
    if (expected === null) {
      expect(problemsOf(TYPE, filterFor('/nowhere', config).config)[0]).toMatch(/^(value|expression) claims:/);
      return;
    }
    const directory = secretFolder({ key: pemOf(rsa()) });
    const { ask, seen } = await startFiltered([filterFor(directory, config)]);
    await ask('/', ASKED);
    const { claims } = read(seen[0]!.body);
    expect(claims).toMatchObject(expected);
    const lasts = { '5 minutes': 300, '1 ms': 1 }[
      String('jwtExpirationTimeout' in config && config.jwtExpirationTimeout)
    ];
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(lasts ?? 60);
  });

  it.each([
    ['RS256', rsa],
    ['RS384', rsa],
    ['RS512', rsa],
    ['PS256', rsa],
    ['PS384', rsa],
    ['PS512', rsa],
    ['ES256', ec('P-256')],
    ['ES384', ec('P-384')],
    ['ES512', ec('P-521')],
    ['EdDSA', ed25519],
    ['Ed25519', ed25519],
  ])('authenticates to a real server with %s', async (signingAlgorithm, newKey) => {
    const key = newKey();
    const server = await startAuthorizationServer({ clients: [registered(key, signingAlgorithm)] });
    const directory = secretFolder({ key: pemOf(key) });
    const config = { signingAlgorithm, tokenEndpoint: server.endpoints.token };
    const handler = { type: 'ReverseProxyHandler', baseURI: server.issuer };
    const { ask } = await startFiltered([filterFor(directory, config)], handler);
    const asked = { ...ASKED, host: new URL(server.issuer).host };
    const answer = await ask('/token', asked);
    expect([answer.status, answer.body]).toEqual([200, expect.stringContaining('access_token')]);
    const other = await startFiltered([filterFor(secretFolder({ key: pemOf(newKey()) }), config)], handler);
    expect((await other.ask('/token', asked)).status).toBe(401);
  });

  it.each(['HS256', 'HS512', 'ES256K', 'Ed448', 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'] as const)(
    'signs with %s, which the real server does not support',
    async (signingAlgorithm) => {
      const { own, other } = newKey(signingAlgorithm);
      const algorithm = signingAlgorithm === 'HS256' ? 'HmacSHA256' : 'HmacSHA512';
      const key = own.key.type === 'secret' ? ({ bytes: own.key.export(), algorithm } as const) : own.key;
      const { ask, seen } = await startFiltered([
        filterFor('/nowhere', { signingAlgorithm, secretsProvider: keyFolder({ key }) }),
      ]);
      await ask('/', ASKED);
      const jws = readJws(read(seen[0]!.body).form.get('client_assertion')!)!;
      expect([jws.alg, verifies(jws, other)]).toEqual([signingAlgorithm, true]);
    },
  );

  it('uses a rotated key during requests without failures', async () => {
    const [first, second] = [rsa(), rsa()];
    const directory = secretFolder({ key: pemOf(first) });
    const server = await startAuthorizationServer({ clients: [registered(first, 'RS256')] });
    const both = { keys: [first, second].map((key) => ({ ...publicJwkOf(key), kid: 'key' })) };
    server.setClient({ ...registered(first, 'RS256'), jwks: both });
    const handler = { type: 'ReverseProxyHandler', baseURI: server.issuer };
    const { ask } = await startFiltered([filterFor(directory, { tokenEndpoint: server.endpoints.token })], handler);
    const asked = { ...ASKED, host: new URL(server.issuer).host };
    const statuses = new Set<number>();
    const askSome = async () => {
      for (const { status } of await Promise.all(Array.from({ length: 4 }, () => ask('/token', asked))))
        statuses.add(status);
    };
    await askSome();
    writeFileSync(join(directory, '.new'), pemOf(second));
    const rotating = askSome();
    renameSync(join(directory, '.new'), join(directory, 'key'));
    await rotating;
    await askSome();
    expect([...statuses]).toEqual([200]);
    server.setClient({ ...registered(second, 'RS256'), jwks: { keys: [{ ...publicJwkOf(second), kid: 'key' }] } });
    await vi.waitFor(async () => expect((await ask('/token', asked)).status).toBe(200));
  });

  it.each([
    ['the key is for another algorithm', { key: pemOf(ed25519()) }, {}],
    ['there is no key', {}, {}],
    ['there is only the public half', { key: publicPem() }, {}],
    ['the file holds no key', { key: 'hidden-text' }, {}],
  ])('answers 500 when %s', async (_, files, config) => {
    const { ask, seen, logged } = await startFiltered([filterFor(secretFolder(files), config)]);
    const answer = await ask('/', ASKED);
    expect([answer.status, seen]).toEqual([500, []]);
    expect(`${answer.body}${JSON.stringify(logged)}`).not.toMatch(/hidden-text|PRIVATE/);
  });

  it('rejects a request that is not a form', async () => {
    const { ask, logged } = await startFiltered([filterFor(secretFolder({ key: pemOf(rsa()) }))]);
    const answer = await ask('/', { method: 'POST', headers: ['Content-Type: application/json'], body: '{}' });
    expect(answer.status).toBe(500);
    expect(JSON.stringify(logged)).toContain(`a ${TYPE} needs a POST request with a form`);
  });

  it.each([
    [{ signingAlgorithm: 'none' }, /^value signingAlgorithm: must be one of HS256, .*, not 'none'$/],
    [{ jwtExpirationTimeout: 'zero' }, /^duration jwtExpirationTimeout: must be longer than zero$/],
    [{ jwtExpirationTimeout: 'unlimited' }, /^duration jwtExpirationTimeout: must not be unlimited$/],
    [{ tokenEndpoint: '/token' }, /^value tokenEndpoint: is not an absolute URL: '\/token'$/],
    [{ tokenEndpoint: 'ftp://as/token' }, /^value tokenEndpoint: must have the scheme http or https, not ftp$/],
    [{ tokenEndpoint: 'https://u:p@as/token' }, /^value tokenEndpoint: must hold no credentials/],
    ...['iss', 'sub', 'jti', 'iat', 'exp'].map((name): [object, RegExp] => [
      { claims: { [name]: 1 } },
      new RegExp(`^value claims: must not hold '${name}', which the filter sets itself$`),
    ]),
    [{ claims: { aud: 1 } }, /^value claims: must hold as 'aud' a text or an array of texts$/],
    [{ claims: ['a'] }, /^value claims: must be a map, not an array$/],
    [{ claims: '${1}' }, /^value claims: must be a map, not a number$/],
    [{ claims: 'a' }, /^value claims: must be a map, not 'a'$/],
  ])('refuses %j', (config, problem) => {
    expect(problemsOf(TYPE, filterFor('/nowhere', config).config)[0]).toMatch(problem);
  });
});

function publicPem(): string {
  return generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
}
