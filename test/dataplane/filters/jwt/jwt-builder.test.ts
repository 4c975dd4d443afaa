import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { compactDecrypt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { keyFolder, type SymmetricKey } from '../../../support/identity/key-folder.ts';

const TYPE = 'JwtBuilderFilter';
const SHOW = {
  type: 'HeaderFilter',
  config: {
    messageType: 'REQUEST',
    add: {
      'X-Jwt': ['${contexts.jwtBuilder.value}'],
      'X-Sub': ['${contexts.jwtBuilder.claims.sub}', '${contexts.jwtBuilder.claimsAsJsonValue.sub}'],
    },
  },
};

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
const ed = generateKeyPairSync('ed25519').privateKey;
const x25519 = generateKeyPairSync('x25519').privateKey;
const aes = (size: number): SymmetricKey => ({ bytes: randomBytes(size), algorithm: 'AES' });
const hmac: SymmetricKey = { bytes: randomBytes(32), algorithm: 'HmacSHA256' };

async function built(config: object, before: object[] = []) {
  const filters = [...before, { type: TYPE, config }, SHOW];
  const { ask, seen, logged } = await startFiltered(JSON.parse(JSON.stringify(filters)));
  const answer = await ask('/some/path', { headers: ['X-User: eve'] });
  const headers = seen[0]?.headers ?? [];
  const jwt = headers.find(([name]) => name === 'x-jwt')?.[1] ?? '';
  return {
    status: answer.status,
    jwt,
    subjects: headers.filter(([name]) => name === 'x-sub').map(([, value]) => value),
    logged,
  };
}

const partOf = (jwt: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split('.')[index]!, 'base64url').toString());

describe(TYPE, () => {
  it.each<[string, KeyObject | SymmetricKey]>([
    ['RS256', rsa],
    ['PS384', rsa],
    ['ES256', p256],
    ['ES384', p384],
    ['EdDSA', ed],
    ['HS256', hmac],
  ])('signs with %s, verified by another library', async (algorithm, key) => {
    const config = {
      template: { sub: "${request.headers['X-User'][0]}", exp: '${now.plusMinutes(5).epochSeconds}' },
      secretsProvider: keyFolder({ 'my.key': key }),
      signature: { secretId: 'my.key', algorithm },
    };
    const { jwt, subjects } = await built(config);
    const verifier = 'bytes' in key ? createSecretKey(key.bytes) : createPublicKey(key);
    const { payload, protectedHeader } = await jwtVerify(jwt, verifier, { algorithms: [algorithm] });
    expect(protectedHeader).toEqual({ typ: 'JWT', alg: algorithm, kid: 'my.key' });
    expect(payload).toEqual({ sub: 'eve', exp: expect.any(Number) });
    expect(subjects).toEqual(['eve', 'eve']);
  });

  it('uses RS256 and leaves out the kid if configured', async () => {
    const signature = { secretId: 'k', includeKeyId: false };
    const { jwt } = await built({ template: { a: 1 }, secretsProvider: keyFolder({ k: rsa }), signature });
    expect(partOf(jwt, 0)).toEqual({ typ: 'JWT', alg: 'RS256' });
  });

  it.each<[string, string, KeyObject | SymmetricKey]>([
    ['RSA-OAEP-256', 'A256GCM', rsa],
    ['RSA-OAEP', 'A128CBC-HS256', rsa],
    ['ECDH-ES', 'A128GCM', p256],
    ['ECDH-ES+A256KW', 'A256CBC-HS512', p384],
    ['ECDH-ES+A128KW', 'A128GCM', x25519],
    ['A256KW', 'A256GCM', aes(32)],
    ['A128GCMKW', 'A128GCM', aes(16)],
    ['dir', 'A256GCM', aes(32)],
    ['dir', 'A256CBC-HS512', aes(64)],
  ])('encrypts with %s and %s, also a signed JWT', async (algorithm, method, key) => {
    const secretsProvider = keyFolder({ enc: key, sig: ed });
    const opener = 'bytes' in key ? createSecretKey(key.bytes) : key;
    const encryption = { secretId: 'enc', algorithm, method };
    const bare = await built({ template: { sub: 'a' }, secretsProvider, encryption });
    const opened = await compactDecrypt(bare.jwt, opener);
    expect(opened.protectedHeader).toMatchObject({ typ: 'JWT', alg: algorithm, enc: method });
    expect(JSON.parse(Buffer.from(opened.plaintext).toString())).toEqual({ sub: 'a' });
    const signature = { secretId: 'sig', algorithm: 'EdDSA' };
    for (const config of [{ signature, encryption }, { signature: { ...signature, encryption } }]) {
      const { jwt } = await built({ template: { sub: 'a' }, secretsProvider, ...config });
      const outer = await compactDecrypt(jwt, opener);
      expect(outer.protectedHeader).toMatchObject({ cty: 'JWT' });
      const inner = await jwtVerify(Buffer.from(outer.plaintext).toString(), createPublicKey(ed));
      expect(inner.payload).toEqual({ sub: 'a' });
    }
  });

  it('encrypts with the public half alone', async () => {
    const secretsProvider = keyFolder({ enc: createPublicKey(rsa) });
    const { jwt } = await built({
      template: { a: 1 },
      secretsProvider,
      encryption: { secretId: 'enc', algorithm: 'RSA-OAEP', method: 'A128GCM' },
    });
    expect(Buffer.from((await compactDecrypt(jwt, rsa)).plaintext).toString()).toBe('{"a":1}');
  });

  it.each<[string, unknown, object]>([
    [
      'values of all kinds',
      { a: 1, b: true, c: 'x', d: [1, '${1 + 1}'], e: { f: '${request.method}' } },
      { a: 1, b: true, c: 'x', d: [1, 2], e: { f: 'GET' } },
    ],
    ['what is null not', { a: null, b: '${attributes.none}', c: 1 }, { c: 1 }],
    ['a long number', { exp: '${now.epochMillis}' }, { exp: expect.any(Number) }],
    [
      'names that could be taken for something else',
      { constructor: 'a', toString: 'b' },
      { constructor: 'a', toString: 'b' },
    ],
  ])('takes %s', async (_, template, claims) => {
    const { jwt, status } = await built({ template });
    expect(status).toBe(200);
    expect(jwt).toMatch(/^[\w-]+\.[\w-]+\.$/);
    expect(partOf(jwt, 0)).toEqual({ typ: 'JWT', alg: 'none' });
    expect(partOf(jwt, 1)).toEqual(claims);
  });

  it('accepts one expression for all claims', async () => {
    const config = { onRequest: [{ target: '${attributes.name}', value: 'Eve' }] };
    const { jwt } = await built({ template: '${attributes}' }, [{ type: 'AssignmentFilter', config }]);
    expect(partOf(jwt, 1)).toEqual({ name: 'Eve' });
  });

  it.each<[string, object]>([
    ['an expression for all of it is null', { template: '${attributes.none}' }],
    ['an expression for all of it gives a text', { template: '${request.method}' }],
    ['an expression fails', { template: { a: '${1 % 0}' } }],
    ['a number is none', { template: { a: '${1 / 0}' } }],
    ['a value is no JSON', { template: { a: '${request.headers}' } }],
    ['the end is null', { template: { exp: '${attributes.none}' } }],
    ['the end is a text', { template: { exp: 'soon' } }],
    ['the start is a text', { template: { nbf: '${toString(now.epochSeconds)}' } }],
    [
      'there is no key',
      { template: { a: 1 }, secretsProvider: { type: 'SystemAndEnvSecretStore' }, signature: { secretId: 'none' } },
    ],
  ])('answers 500 when %s', async (_, config) => {
    expect(await built(config)).toMatchObject({ status: 500, jwt: '' });
  });

  it('answers 500 when the key does not allow the usage', async () => {
    const signature = { secretId: 'k', algorithm: 'RS256' };
    expect((await built({ template: { a: 1 }, secretsProvider: keyFolder({ k: ed }), signature })).status).toBe(500);
    const encryption = { secretId: 'k', algorithm: 'RSA-OAEP', method: 'A128GCM' };
    expect((await built({ template: { a: 1 }, secretsProvider: keyFolder({ k: ed }), encryption })).status).toBe(500);
    const short = { secretId: 'k', algorithm: 'dir', method: 'A256GCM' };
    expect(
      (await built({ template: { a: 1 }, secretsProvider: keyFolder({ k: aes(16) }), encryption: short })).status,
    ).toBe(500);
  });

  const store = { type: 'SystemAndEnvSecretStore' };
  const key = { secretId: 'a' };
  const encryption = { secretId: 'a', algorithm: 'dir', method: 'A128GCM' };
  it.each<[object, RegExp[]]>([
    [{}, [/^missing template: is required$/]],
    [{ template: 'text' }, [/^value template: must be a map or an expression, not 'text'$/]],
    [{ template: ['a'] }, [/^value template: must be a map or an expression, not an array$/]],
    [{ template: { a: { b: ['${'] } } }, [/^expression template: .* \(in 'a\.b\[0\]'\)$/]],
    [
      { template: { a: '${reqest.method}' }, secretsProvider: store, signature: key },
      [/^expression template\.a: 'reqest' is not known here/],
    ],
    [{ template: {}, signature: key }, [/^missing secretsProvider: is required: 'signature' needs it$/]],
    [{ template: {}, encryption }, [/^missing secretsProvider: is required: 'encryption' needs it$/]],
    [
      { template: {}, secretsProvider: store, signature: { ...key, encryption }, encryption },
      [/^exclusive encryption: cannot be given twice/],
    ],
    [
      { template: {}, secretsProvider: store, signature: { ...key, algorithm: 'none' } },
      [/^value signature\.algorithm: must be one of HS256/],
    ],
    [
      { template: {}, secretsProvider: store, encryption: { ...encryption, algorithm: 'RSA1_5' } },
      [/^value encryption\.algorithm: must be one of RSA-OAEP/],
    ],
    [{ template: {} }, [/^insecure : makes JWTs without a signature: anyone can/]],
    [{ template: {}, secretsProvider: store }, [/^insecure : makes JWTs/, /^no-effect secretsProvider: has no effect/]],
    [{ template: {}, secretsProvider: store, encryption }, [/^insecure : makes JWTs without a signature/]],
    [{ template: {}, secretsProvider: store, signature: key }, []],
  ])('validates the configuration %j', (config, problems) => {
    const found = problemsOf(TYPE, JSON.parse(JSON.stringify(config)));
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});
