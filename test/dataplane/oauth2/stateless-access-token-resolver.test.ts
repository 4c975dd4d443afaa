import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import type { AccessTokenResolver, Resolution } from '../../../dataplane/heap/objects/access-tokens.ts';
import { type SecretsProvider, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { secretsInOrder } from '../../../dataplane/heap/objects/secrets-in-order.ts';
import { encrypt } from '../../../dataplane/jose/compact-jwe.ts';
import { sign } from '../../../dataplane/jose/signature.ts';
import { statelessAccessTokenResolver } from '../../../dataplane/oauth2/stateless-access-token-resolver.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { plainExchange } from '../../support/gateways/plain-exchange.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { startAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { startProtected } from '../../support/identity/resource-server.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';
import { newKey, secretHalves, storeOf } from '../../support/identity/signing-keys.ts';
import { tokenPart, tokenText } from '../../support/identity/token-text.ts';

const TYPE = 'StatelessAccessTokenResolver';
const ISSUER = 'https://as.example.com/';
const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
const rsa = newKey('RS256', 'rsa');
const ec = newKey('ES256', 'ec');
const secret = secretHalves(Buffer.alloc(32, 7), 'secret');
const keys = storeOf('as.keys', [rsa.own, rsa.other, ec.other, secret.other]);

function resolverOf(config: JsonObject = {}, provider: SecretsProvider = keys): AccessTokenResolver {
  const given = { issuer: ISSUER, secretsProvider: 'p', ...config };
  const hasId = Object.keys(config).some((name) => name.endsWith('SecretId'));
  const reading = documentReading(operatorReach(), [], () => {});
  const whole = hasId ? given : { ...given, verificationSecretId: 'as.keys' };
  const { value } = parseConfig(statelessAccessTokenResolver.config, whole, reading, []);
  return statelessAccessTokenResolver.create(value!, objectParts({ secretsProvider: provider }).parts);
}

const resolver = resolverOf();
const resolved = async (token: string, by = resolver): Promise<Resolution> => await by.resolve(token, plainExchange());
const claims = (changes: object = {}): string =>
  JSON.stringify({ iss: ISSUER, exp: seconds(600), scope: 'read write', ...changes });
const signed = (payload: string, header: object = {}, key = rsa, alg = 'RS256'): string =>
  sign({ ...header }, payload, key.own, alg);

const UNSOUND = { kind: 'refusal', error: 'invalid_token', description: 'the token is not valid' };

describe(TYPE, () => {
  it('returns the claims of a token', async () => {
    const exp = seconds(600);
    const cnf = { 'x5t#S256': 'abc' };
    const token = signed(claims({ exp, sub: 'user', cnf }));
    expect(await resolved(token)).toEqual({
      kind: 'token',
      token,
      info: { iss: ISSUER, exp, scope: 'read write', sub: 'user', cnf },
      carriesInfo: true,
      scopes: new Set(['read', 'write']),
      expiresAt: exp * 1000,
    });
  });

  it.each<[string, object, readonly string[]]>([
    ['none', { scope: undefined }, []],
    ['an empty text', { scope: '' }, []],
    ['several spaces', { scope: ' read  write ' }, ['read', 'write']],
    ['an array', { scope: ['read', 'admin'] }, ['read', 'admin']],
    ['an empty array', { scope: [] }, []],
  ])('reads scopes: %s', async (_, changes, expected) => {
    expect(await resolved(signed(claims(changes)))).toMatchObject({ kind: 'token', scopes: new Set(expected) });
  });

  it.each<[string, object]>([
    ['no exp', { exp: undefined }],
    ['nbf and iat in the past', { nbf: seconds(-5), iat: seconds(-5) }],
    ['the tokenName of the access manager', { tokenName: 'access_token' }],
    ['names that objects have', { constructor: 'a', toString: 1 }],
  ])('accepts claims with %s', async (_, changes) => {
    expect(await resolved(signed(claims(changes)))).toMatchObject({ kind: 'token' });
  });

  it('never expires a token without exp', async () => {
    expect(await resolved(signed(claims({ exp: undefined })))).toMatchObject({ expiresAt: Number.POSITIVE_INFINITY });
  });

  it.each<[string, unknown, boolean]>([
    ['the one', 'orders', true],
    ['one of several', ['stock', 'orders'], true],
    ['another', 'stock', false],
    ['part of the name', 'orders-admin', false],
    ['a longer text around it', 'stock orders', false],
    ['others only', ['stock', ['orders']], false],
    ['an object', { orders: true }, false],
    ['none', undefined, false],
  ])('requires an audience if one is configured: %s', async (_, aud, isGood) => {
    const resolution = await resolved(signed(claims({ aud })), resolverOf({ audience: 'orders' }));
    expect(resolution).toMatchObject(isGood ? { kind: 'token' } : UNSOUND);
    expect(await resolved(signed(claims({ aud })))).toMatchObject({ kind: 'token' });
  });

  it('accepts one of several audiences', async () => {
    const either = resolverOf({ audience: ['orders', 'stock'] });
    expect(await resolved(signed(claims({ aud: ['other', 'stock'] })), either)).toMatchObject({ kind: 'token' });
    expect(await resolved(signed(claims({ aud: 'other' })), either)).toMatchObject(UNSOUND);
  });

  it('rejects a token without exp with requireExpiry', async () => {
    const strict = resolverOf({ requireExpiry: true });
    expect(await resolved(signed(claims({ exp: undefined })), strict)).toMatchObject(UNSOUND);
    expect(await resolved(signed(claims()), strict)).toMatchObject({ kind: 'token' });
  });

  it.each<[string | undefined, boolean]>([
    ['at+jwt', true],
    ['application/AT+JWT', true],
    ['JWT', false],
    [undefined, false],
    ['dpop+jwt', false],
  ])('with requireAccessTokenType accepts typ %s: %s', async (typ, isGood) => {
    const strict = resolverOf({ requireAccessTokenType: true });
    const header = typ === undefined ? {} : { typ };
    expect(await resolved(signed(claims(), header), strict)).toMatchObject(isGood ? { kind: 'token' } : UNSOUND);
  });

  it.each<[string, string]>([
    ['JWT', 'JWT'],
    ['lower case', 'jwt'],
    ['RFC 9068', 'at+jwt'],
    ['RFC 9068 in full', 'application/at+jwt'],
    ['RFC 9068 in another case', 'Application/AT+JWT'],
  ])('accepts typ: %s', async (_, typ) => {
    expect(await resolved(signed(claims(), { typ }))).toMatchObject({ kind: 'token' });
  });

  it.each([
    'dpop+jwt',
    'logout+jwt',
    'secevent+jwt',
    'id_token+jwt',
    'token-introspection+jwt',
    'JWE',
    'JOSE',
    'at+jwt ',
    'application/application/jwt',
    '',
  ])('refuses typ %j', async (typ) => {
    expect(await resolved(signed(claims(), { typ }))).toMatchObject(UNSOUND);
  });

  it.each<[string, object]>([
    ['another issuer', { iss: 'https://other.example.com/' }],
    ['the issuer without its slash', { iss: ISSUER.slice(0, -1) }],
    ['the issuer in another case', { iss: ISSUER.toUpperCase() }],
    ['the issuer in a list', { iss: [ISSUER] }],
    ['no issuer', { iss: undefined }],
    ['iss null', { iss: null }],
    ['exp as a text', { exp: String(seconds(600)) }],
    ['exp null', { exp: null }],
    ['exp as a list', { exp: [seconds(600)] }],
    ['nbf as a text', { nbf: '0' }],
    ['iat in the future', { iat: seconds(60) }],
    ['iat as an object', { iat: {} }],
    ['scope as a number', { scope: 1 }],
    ['scope null', { scope: null }],
    ['scope as an object', { scope: { read: true } }],
    ['scope as a list with a list', { scope: [['read']] }],
    ['the tokenName of a refresh token', { tokenName: 'refresh_token' }],
    ['tokenName null', { tokenName: null }],
  ])('refuses %s', async (_, changes) => {
    expect(await resolved(signed(claims(changes)))).toMatchObject(UNSOUND);
  });

  it.each<[string, object, string]>([
    ['expired', { exp: seconds(-1) }, 'the token has expired'],
    ['expired before 1970', { exp: -1 }, 'the token has expired'],
    ['not valid yet', { nbf: seconds(60) }, 'the token is not valid yet'],
  ])('reports that a token is %s', async (_, changes, description) => {
    expect(await resolved(signed(claims(changes)))).toMatchObject({ ...UNSOUND, description });
  });

  it.each([
    ['exp beyond all numbers', `{"iss":"${ISSUER}","exp":1e400}`],
    ['iss twice', `{"iss":"evil","iss":"${ISSUER}"}`],
    ['iss twice, once with an escape', `{"iss":"${ISSUER}","\\u0069ss":"evil"}`],
    ['a list', '[]'],
    ['a text', '"claims"'],
    ['nothing', ''],
    ['a byte order mark', `\ufeff${claims()}`],
    ['deep nesting', `{"iss":"${ISSUER}","a":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ])('refuses claims that are or have %s', async (_, payload) => {
    expect(await resolved(signed(payload))).toMatchObject(UNSOUND);
  });

  it('accepts the header that the access manager writes', async () => {
    expect(await resolved(signed(claims(), { typ: 'JWT', zip: 'NONE', kid: 'rsa' }))).toMatchObject({ kind: 'token' });
  });

  it('allows for clock differences', async () => {
    const lenient = resolverOf({ skewAllowance: '30 seconds' });
    const exp = seconds(-10);
    expect(await resolved(signed(claims({ exp })), lenient)).toMatchObject({ expiresAt: exp * 1000 + 30_000 });
    expect(await resolved(signed(claims({ nbf: seconds(10), iat: seconds(10) })), lenient)).toMatchObject({
      kind: 'token',
    });
    expect(await resolved(signed(claims({ exp: seconds(-40) })), lenient)).toMatchObject({ kind: 'refusal' });
    expect(await resolved(signed(claims({ nbf: seconds(40) })), lenient)).toMatchObject({ kind: 'refusal' });
  });

  it('accepts the former name of the field', async () => {
    const earlier = resolverOf({ signatureSecretId: 'as.keys' });
    expect(await resolved(signed(claims()), earlier)).toMatchObject({ kind: 'token' });
  });
});

describe('forged tokens', () => {
  const good = signed(claims(), { kid: 'rsa' });
  const [header, payload, signature] = good.split('.') as [string, string, string];
  const pem = String(rsa.other.key.export({ type: 'spki', format: 'pem' }));
  const stranger = newKey('RS256', 'rsa');
  const confused = `${tokenPart({ alg: 'HS256', kid: 'rsa' })}.${payload}`;

  it.each<[string, string]>([
    ['an opaque token', 'mF_9.B5f-4.1JqM'],
    ['no signature', `${header}.${payload}.`],
    ['alg none', `${tokenPart({ alg: 'none' })}.${payload}.`],
    ['alg none with a signature', `${tokenPart({ alg: 'none' })}.${payload}.${signature}`],
    ['alg nOnE with a signature', `${tokenPart({ alg: 'nOnE' })}.${payload}.${signature}`],
    ['other claims', `${header}.${tokenPart(claims({ sub: 'admin' }))}.${signature}`],
    ['padding', `${good}==`],
    ['another part', `${good}.${signature}`],
    ['another key of the same name', signed(claims(), { kid: 'rsa' }, stranger)],
    ['another key without a name', signed(claims(), {}, stranger)],
    ['its own key', signed(claims(), { jwk: stranger.other.key.export({ format: 'jwk' }) }, stranger)],
    ['an address of keys', signed(claims(), { jku: 'http://127.0.0.1:1/keys', kid: 'x' }, stranger)],
    ['a certificate', signed(claims(), { x5c: ['AAAA'] }, stranger)],
    ['the public key as a secret', `${confused}.${createHmac('sha256', pem).update(confused).digest('base64url')}`],
    ['the name of another key', signed(claims(), { kid: 'ec' })],
    ['crit', tokenText({ alg: 'RS256', crit: ['x'], x: 1 }, claims())],
    ['a token inside', signed(good, { cty: 'JWT' })],
    ['claims with cty', signed(claims(), { cty: 'application/jwt' })],
    ['JSON', JSON.stringify({ protected: header, payload, signature })],
    ['an encrypted token', `${header}.AAAA.AAAA.AAAA.AAAA`],
    ['a very long token', signed(claims({ x: 'x'.repeat(65_536) }))],
  ])('with %s are refused', async (_, token) => {
    const refusal = await resolved(token);
    expect(refusal).toMatchObject(UNSOUND);
    expect(JSON.stringify(refusal)).not.toContain(token.slice(0, 12));
  });

  it('fails with an operator error when the keys are not available', async () => {
    const unreadable = new UnreadableSecret('as.keys', 'store', 'gone');
    const cannot = { keys: () => Promise.reject(unreadable), keysAtHand: () => null };
    const broken = { ...secretsInOrder([keys]), ...cannot };
    await expect(resolved(signed(claims()), resolverOf({}, broken))).rejects.toBe(unreadable);
    await expect(resolved(good, resolverOf({ verificationSecretId: 'other' }))).rejects.toThrow("no secret 'other'");
  });
});

describe('behind a resource server', () => {
  it('accepts valid tokens and reveals nothing about invalid ones', async () => {
    const server = await startProtected(resolver, {}, { says: '${contexts.oauth2.accessToken.info.sub}' });
    const good = signed(claims({ sub: 'someone' }));
    expect(await server.ask(`Authorization: Bearer ${good}`)).toMatchObject({ status: 200, body: 'someone' });
    const forged = `${good.slice(0, -8)}AAAAAAAA`;
    const refused = await server.ask(`Authorization: Bearer ${forged}`);
    expect(refused).toMatchObject({ status: 401, body: '' });
    expect(refused.challenges).toEqual([expect.stringContaining('error="invalid_token"')]);
    expect(JSON.stringify(server.logged)).not.toContain(forged.slice(-20));
  });
});

describe('encrypted tokens', () => {
  const opening = resolverOf({ decryptionSecretId: 'as.keys' });
  const header = { typ: 'JWT' };

  it.each([
    ['dir', 'A256GCM'],
    ['dir', 'A128CBC-HS256'],
    ['A256KW', 'A128GCM'],
    ['A256GCMKW', 'A256CBC-HS512'],
  ])('are accepted when they are encrypted with a secret key: %s, %s', async (alg, enc) => {
    const token = await encrypt(claims(), header, secret.other, alg, enc);
    expect(await resolved(token, opening)).toMatchObject({ kind: 'token', token, carriesInfo: false });
    expect(await resolved(token)).toMatchObject(UNSOUND);
  });

  it('are rejected when anyone could have encrypted them', async () => {
    const token = await encrypt(claims(), header, rsa.other, 'RSA-OAEP-256', 'A256GCM');
    expect(await resolved(token, opening)).toEqual({
      ...UNSOUND,
      cause: 'it is encrypted with a public key and not signed: anyone could have made it',
    });
  });

  it('may contain a signed token, whose signature is verified', async () => {
    const sealed = (inner: string, more: object = { cty: 'JWT' }): Promise<string> =>
      encrypt(inner, { ...header, ...more }, rsa.other, 'RSA-OAEP', 'A256GCM');
    expect(await resolved(await sealed(signed(claims())), opening)).toMatchObject({ kind: 'token' });
    expect(await resolved(await sealed(signed(claims()), {}), opening)).toMatchObject({ kind: 'token' });
    const strange = signed(claims(), {}, newKey('RS256'));
    expect(await resolved(await sealed(strange), opening)).toMatchObject(UNSOUND);
    expect(await resolved(await sealed(strange, {}), opening)).toMatchObject(UNSOUND);
    const unsigned = `${tokenPart({ alg: 'none' })}.${tokenPart(claims())}.`;
    expect(await resolved(await sealed(unsigned), opening)).toMatchObject(UNSOUND);
    expect(await resolved(await sealed(signed(claims(), { typ: 'dpop+jwt' })), opening)).toMatchObject(UNSOUND);
    const twice = await sealed(await sealed(signed(claims())));
    expect(await resolved(twice, opening)).toMatchObject(UNSOUND);
  });

  it('with requireAccessTokenType need the typ in the header of the claims', async () => {
    const strict = resolverOf({ decryptionSecretId: 'as.keys', requireAccessTokenType: true });
    const sealed = (inner: string, typ: string): Promise<string> =>
      encrypt(inner, { ...header, typ }, secret.other, 'dir', 'A256GCM');
    expect(await resolved(await sealed(claims(), 'at+jwt'), strict)).toMatchObject({ kind: 'token' });
    expect(await resolved(await sealed(claims(), 'JWT'), strict)).toMatchObject(UNSOUND);
    expect(await resolved(await sealed(signed(claims(), { typ: 'at+jwt' }), 'JWT'), strict)).toMatchObject({
      kind: 'token',
    });
    expect(await resolved(await sealed(signed(claims(), { typ: 'JWT' }), 'at+jwt'), strict)).toMatchObject(UNSOUND);
  });

  it('are rejected if the inner token is signed with an unknown key', async () => {
    const strange = signed(claims(), {}, newKey('RS256'));
    const token = await encrypt(strange, header, secret.other, 'dir', 'A256GCM');
    expect(await resolved(token, opening)).toMatchObject(UNSOUND);
  });

  it.each<[string, () => string | Promise<string>]>([
    ['are not encrypted', () => signed(claims())],
    ['have another key', () => encrypt(claims(), header, secretHalves(Buffer.alloc(32)).other, 'dir', 'A256GCM')],
    ['have another typ', () => encrypt(claims(), { typ: 'dpop+jwt' }, secret.other, 'dir', 'A256GCM')],
    ['say that a token is inside', () => encrypt(claims(), { cty: 'JWT' }, secret.other, 'dir', 'A256GCM')],
    ['have no claims', () => encrypt('[]', header, secret.other, 'dir', 'A256GCM')],
    ['have expired', () => encrypt(claims({ exp: 1 }), header, secret.other, 'dir', 'A256GCM')],
  ])('are refused when they %s', async (_, made) => {
    expect(await resolved(await made(), opening)).toMatchObject({ kind: 'refusal', error: 'invalid_token' });
  });

  it('are rejected as invalid when there is no key for their algorithm', async () => {
    const token = await encrypt(claims(), header, secret.other, 'dir', 'A256GCM');
    const onlyRsa = resolverOf({ encryptionSecretId: 'as.keys' }, storeOf('as.keys', [ec.other]));
    expect(await resolved(token, onlyRsa)).toMatchObject(UNSOUND);
  });
});

describe('its configuration', () => {
  const store = { type: 'Base64EncodedSecretStore', config: { secrets: {} } };
  const given = { issuer: ISSUER, secretsProvider: store };

  it.each<[string, JsonObject, readonly string[]]>([
    ['no issuer', { secretsProvider: store, verificationSecretId: 'a' }, ['config.issuer: is required']],
    [
      'no provider',
      { issuer: ISSUER, verificationSecretId: 'a' },
      ["config.secretsProvider: is required: 'verificationSecretId' needs it"],
    ],
    [
      'an issuer without keys that is no URL',
      { issuer: 'the-issuer' },
      [
        "config.issuer: is not an absolute URL: 'the-issuer'; without a 'secretsProvider' the keys are found by the URL of the issuer",
      ],
    ],
    [
      'no secret id',
      given,
      [
        "config: one of 'verificationSecretId', 'decryptionSecretId', 'signatureSecretId' and 'encryptionSecretId' is required",
      ],
    ],
    [
      'two secret ids',
      { ...given, verificationSecretId: 'a', decryptionSecretId: 'b' },
      ["config.decryptionSecretId: 'verificationSecretId' and 'decryptionSecretId' cannot be given together"],
    ],
    [
      'an old and a new one',
      { ...given, verificationSecretId: 'a', signatureSecretId: 'a' },
      ["config.signatureSecretId: 'verificationSecretId' and 'signatureSecretId' cannot be given together"],
    ],
    [
      'an unlimited skew',
      { ...given, verificationSecretId: 'a', skewAllowance: 'unlimited' },
      ['config.skewAllowance: must not be unlimited'],
    ],
  ])('is refused with %s', (_, config, expected) => {
    expect(refusals({ type: TYPE, config })).toEqual(expected);
  });

  it('warns of the earlier names', () => {
    const config = { ...given, signatureSecretId: 'a' };
    const heap = [{ name: 'it', type: TYPE, config }];
    const problems = checkConfigured({ heap, handler: 'ReverseProxyHandler' });
    expect(problems.map(({ code, message }) => [code, message])).toContainEqual([
      'deprecated-field',
      "is deprecated: use 'verificationSecretId'",
    ]);
  });

  it('works with keys in files', async () => {
    const jwk = { ...ec.other.key.export({ format: 'jwk' }), kid: 'ec', alg: 'ES256', use: 'sig' };
    const directory = secretFolder({ 'as.keys': JSON.stringify({ keys: [jwk] }) });
    const files = { type: 'FileSystemSecretStore', config: { directory, format: { type: 'JwkPropertyFormat' } } };
    const config = { issuer: ISSUER, secretsProvider: files, verificationSecretId: 'as.keys' };
    const fromFiles = buildObjects([{ name: 'it', type: TYPE, config }]).get('accessTokenResolver', 'it');
    expect(await resolved(signed(claims(), { kid: 'ec' }, ec, 'ES256'), fromFiles)).toMatchObject({ kind: 'token' });
    expect(await resolved(signed(claims(), { kid: 'ec' }), fromFiles)).toMatchObject(UNSOUND);
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
    'works with keys of an authorization server: %s',
    async (algorithm) => {
      const server = await startAuthorizationServer({ algorithm });
      const config = {
        issuer: server.issuer,
        secretsProvider: { type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks } },
        verificationSecretId: 'any',
      };
      const fromServer = buildObjects([{ name: 'it', type: TYPE, config }]).get('accessTokenResolver', 'it');
      const token = await server.token({ jwt: true });
      expect(await resolved(token, fromServer)).toMatchObject({ kind: 'token', scopes: new Set(['read', 'write']) });
      const other = await startAuthorizationServer({ algorithm });
      expect(await resolved(await other.token({ jwt: true }), fromServer)).toMatchObject(UNSOUND);
    },
  );
});
