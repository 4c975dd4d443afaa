import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { CompactEncrypt, CompactSign, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { tokenPart, tokenText } from '../../../support/identity/token-text.ts';

const TYPE = 'JwtValidationFilter';
const now = (): number => Math.floor(Date.now() / 1000);

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');
const secret = randomBytes(32);
const keys = {
  sig: rsa.publicKey,
  other: ed.publicKey,
  enc: rsa.privateKey,
  aes: { bytes: secret, algorithm: 'AES' as const },
};

function signed(claims: object, key: KeyObject = rsa.privateKey, alg = 'RS256', header: object = {}): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, ...header }).sign(key);
}

function encrypted(text: string, key: KeyObject = rsa.publicKey, alg = 'RSA-OAEP-256'): Promise<string> {
  return new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg, enc: 'A128CBC-HS256' }).encrypt(key);
}

const SHOW_SOUND = {
  type: 'HeaderFilter',
  config: {
    messageType: 'REQUEST',
    add: {
      'X-Sub': ['${contexts.jwtValidation.claims.sub}', '${contexts.jwtValidation.info.sub}'],
      'X-Alg': ['${contexts.jwtValidation.header.alg}'],
      'X-Value': ['${contexts.jwtValidation.value}'],
    },
  },
};
const SHOW_FAULTS = {
  type: 'StaticResponseHandler',
  config: {
    status: 418,
    headers: { 'X-Jwt': ['${contexts.jwtValidationError.jwt}'] },
    entity:
      '${contexts.jwtValidationError.violations[0].description}; ${contexts.jwtValidationError.violations[1].description}',
  },
};

async function start(config: object = {}) {
  const required = {
    jwt: "${request.headers['X-Token'][0]}",
    secretsProvider: keyFolder(keys),
    failureHandler: SHOW_FAULTS,
  };
  const filters = [{ type: TYPE, config: { ...required, ...config } }, SHOW_SOUND];
  const gateway = await startFiltered(JSON.parse(JSON.stringify(filters)));
  /** What the filter says to a token. */
  const judge = async (token: string | null): Promise<string> => {
    const before = gateway.seen.length;
    const { status, body } = await gateway.ask('/', { headers: token === null ? [] : [`X-Token: ${token}`] });
    if (status === 200) return 'passes';
    expect([status, gateway.seen.length]).toEqual([418, before]);
    return body.replace(/; (?:null)?$/, '');
  };
  return { ...gateway, judge };
}

const SIGNED = { verificationSecretId: 'sig' };
const ENCRYPTED = { decryptionSecretId: 'enc' };
const BOTH = { ...SIGNED, ...ENCRYPTED };

describe(TYPE, () => {
  it('passes a valid JWT on with its claims in the context', async () => {
    const { ask, seen } = await start(SIGNED);
    const token = await signed({ sub: 'eve', exp: now() + 60, nbf: now() - 1, iat: now() - 1 });
    expect((await ask('/', { headers: [`X-Token: ${token}`] })).status).toBe(200);
    const sent = seen[0]!.headers.filter(([name]) => /^x-(?:sub|alg|value)$/.test(name)).map(([, value]) => value);
    expect(sent).toEqual(['eve', 'eve', 'RS256', token]);
  });

  it.each<[string, object, () => string | null | Promise<string | null>, string]>([
    ['no JWT', SIGNED, () => null, 'there is no JWT'],
    ['an empty one', SIGNED, () => '', 'there is no JWT'],
    ['something else', SIGNED, () => 'a.b.c', 'this is not a JWT'],
    [
      'the signature of another',
      SIGNED,
      () => signed({}, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
      'the signature is not valid',
    ],
    ['another key of the store', SIGNED, () => signed({}, ed.privateKey, 'EdDSA'), 'the signature is not valid'],
    [
      'the name of another key',
      SIGNED,
      () => signed({}, ed.privateKey, 'EdDSA', { kid: 'other' }),
      'the signature is not valid',
    ],
    [
      'the public key as a secret',
      SIGNED,
      () => signed({}, createSecretKey(Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }))), 'HS256'),
      'the signature is not valid',
    ],
    [
      'a changed payload',
      SIGNED,
      async () => (await signed({ sub: 'a' })).replace(/\.[^.]*\./, `.${tokenPart({ sub: 'b' })}.`),
      'the signature is not valid',
    ],
    ['no signature', SIGNED, () => `${tokenPart({ alg: 'none' })}.${tokenPart({})}.`, 'the JWT is not signed'],
    ['none in other letters', SIGNED, () => `${tokenPart({ alg: 'nOnE' })}.${tokenPart({})}.`, 'this is not a JWT'],
    ['none with a signature', SIGNED, () => tokenText({ alg: 'none' }, {}), 'this is not a JWT'],
    ['encryption alone', BOTH, () => encrypted('{}'), 'the JWT is not signed'],
    ['a signature alone', BOTH, () => signed({}), 'the JWT is not encrypted'],
    ['signed, then encrypted', BOTH, async () => encrypted(await signed({})), 'passes'],
    ['encrypted, then signed', BOTH, async () => nested(await encrypted('{}')), 'passes'],
    [
      'signed by another, then encrypted',
      BOTH,
      async () => encrypted(await signed({}, ed.privateKey, 'EdDSA')),
      'the signature is not valid',
    ],
    [
      'unsecured, then encrypted',
      BOTH,
      () => encrypted(`${tokenPart({ alg: 'none' })}.${tokenPart({})}.`),
      'the JWT is not signed',
    ],
    [
      'unsecured, then signed',
      SIGNED,
      () => nested(`${tokenPart({ alg: 'none' })}.${tokenPart({})}.`),
      'the JWT is not signed',
    ],
    [
      'signed by another, then signed',
      SIGNED,
      async () => nested(await signed({}, ed.privateKey, 'EdDSA')),
      'the signature is not valid',
    ],
    ['three layers', BOTH, async () => encrypted(await encrypted(await signed({}))), 'the JWT holds no claims'],
    ['encrypted where nobody decrypts', SIGNED, async () => encrypted(await signed({})), 'the JWT is encrypted'],
    [
      'encrypted with another key',
      ENCRYPTED,
      () => encrypted('{}', generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
      'the JWT cannot be decrypted',
    ],
    ['encrypted', ENCRYPTED, () => encrypted('{}'), 'passes'],
    [
      'encrypted with a secret',
      { decryptionSecretId: 'aes' },
      () => encrypted('{}', createSecretKey(secret), 'dir'),
      'passes',
    ],
    ['not encrypted', ENCRYPTED, () => signed({}), 'the JWT is not encrypted'],
    ['no claims', SIGNED, () => nested('[]'), 'this is not a JWT'],
    ['a claim twice', SIGNED, () => nested('{"a":1,"a":2}'), 'this is not a JWT'],
    ['anything, where nothing is asked for', {}, () => tokenText({ alg: 'RS256' }, { sub: 'a' }), 'passes'],
    ['unsecured, where nothing is asked for', {}, () => `${tokenPart({ alg: 'none' })}.${tokenPart({})}.`, 'passes'],
    [
      'a secret that is not there',
      { verificationSecretId: 'missing' },
      () => signed({}),
      'the JWT cannot be validated',
    ],
  ])('validates %s', async (_, config, token, verdict) => {
    const { judge } = await start(config);
    expect(await judge(await token())).toBe(verdict);
  });

  it.each<[string, (time: number) => object, string]>([
    ['no times', () => ({}), 'passes'],
    ['over', (time) => ({ exp: time - 1 }), 'the JWT has expired'],
    ['over long ago', (time) => ({ exp: time - 3600 }), 'the JWT has expired'],
    ['still to come', (time) => ({ nbf: time + 3600 }), 'the JWT is not valid yet'],
    ['issued in the future', (time) => ({ iat: time + 3600 }), 'the JWT was issued in the future'],
    ['a text', (time) => ({ exp: String(time + 60) }), "'exp', 'nbf' or 'iat' is no date"],
    ['null', () => ({ exp: null }), "'exp', 'nbf' or 'iat' is no date"],
    ['too far', () => ({ exp: 1e300 }), "'exp', 'nbf' or 'iat' is no date"],
  ])('checks the times: %s', async (_, claims, verdict) => {
    const { judge } = await start(SIGNED);
    expect(await judge(await nested(JSON.stringify(claims(now()))))).toBe(verdict);
    if (!/expired|yet|future/.test(verdict)) return;
    const lenient = await start({ ...SIGNED, skewAllowance: '2 hours' });
    expect(await lenient.judge(await nested(JSON.stringify(claims(now()))))).toBe('passes');
  });

  it('answers 403 without a failure handler, and hides the JWT from the log', async () => {
    const { ask, logged } = await start({ verificationSecretId: 'missing', failureHandler: undefined });
    const token = await signed({ sub: 'eve' });
    const answers = await Promise.all(Array.from({ length: 9 }, () => ask('/', { headers: [`X-Token: ${token}`] })));
    for (const { status, body } of answers) expect([status, body]).toEqual([403, '']);
    const warnings = logged.filter(({ msg }) => msg === 'JWT validation is not possible');
    expect(warnings[0]).toMatchObject({ reason: expect.stringContaining('missing') });
    expect(warnings.length).toBeLessThan(9); // clients must not be able to fill the log
    expect(JSON.stringify(logged)).not.toContain(token.split('.')[1]!);
  });

  it('passes the JWT and its violations to the failure handler', async () => {
    const { ask } = await start(SIGNED);
    expect((await ask('/', { headers: ['X-Token: abc'] })).values('x-jwt')).toEqual(['abc']);
    expect((await ask('/')).values('x-jwt')).toEqual([]);
  });

  const store = { type: 'SystemAndEnvSecretStore' };
  it.each<[object, RegExp[]]>([
    [{}, [/^missing jwt: is required$/]],
    [
      { jwt: 'a', verificationSecretId: 'b' },
      [/^missing secretsProvider: is required: 'verificationSecretId' needs it$/],
    ],
    [
      { jwt: 'a', verificationSecretId: 'b', decryptionSecretId: 'c' },
      [/'verificationSecretId' needs it$/, /'decryptionSecretId' needs it$/],
    ],
    [{ jwt: 'a' }, [/^insecure : accepts forged JWTs/]],
    [{ jwt: 'a', secretsProvider: store }, [/^insecure : accepts/, /^no-effect secretsProvider: has no effect/]],
    [{ jwt: 'a', secretsProvider: store, decryptionSecretId: 'c' }, [/^insecure : accepts JWTs without a signature/]],
    [{ jwt: 'a', secretsProvider: store, verificationSecretId: 'c' }, []],
    [{ jwt: 'a', secretsProvider: store, verificationSecretId: 'c', customizer: {} }, [/^missing customizer\.type: /]],
    [
      { jwt: 'a', secretsProvider: store, verificationSecretId: 'c', skewAllowance: 'unlimited' },
      [/^duration skewAllowance: must not be unlimited/],
    ],
  ])('validates the configuration %j', (config, problems) => {
    const found = problemsOf(TYPE, JSON.parse(JSON.stringify(config)));
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});

/** Any text, signed. */
function nested(text: string): Promise<string> {
  return new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'RS256' }).sign(rsa.privateKey);
}
