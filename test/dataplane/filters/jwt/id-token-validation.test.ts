import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';

const TYPE = 'IdTokenValidationFilter';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const now = (): number => Math.floor(Date.now() / 1000);
const sound = () => ({ iss: 'https://as.example', sub: 'eve', aud: 'me', exp: now() + 60, iat: now() });

function signed(claims: object, key = privateKey): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(key);
}

const violations = [0, 1, 2, 3].map((at) => `\${contexts.jwtValidationError.violations[${at}].description}|`).join('');
const failureHandler = { type: 'StaticResponseHandler', config: { status: 418, entity: violations } };

async function verdict(config: object, token: string): Promise<string[]> {
  const required = {
    idToken: "${request.headers['X-Token'][0]}",
    audience: 'me',
    verificationSecretId: 'sig',
    secretsProvider: keyFolder({ sig: publicKey }),
    failureHandler,
  };
  const filter = { type: TYPE, config: { ...required, ...config } };
  const show = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', add: { 'X-Sub': ['${contexts.jwtValidation.info.sub}'] } },
  };
  const { ask, seen } = await startFiltered(JSON.parse(JSON.stringify([filter, show])));
  const { status, body } = await ask('/', { headers: [`X-Token: ${token}`] });
  if (status === 200) expect(new Map(seen[0]!.headers).get('x-sub')).toBe('eve');
  else expect([status, seen]).toEqual([418, []]);
  return body.split('|').filter((one) => one !== '' && one !== 'null');
}

const ANOTHER = ['the ID token is for another audience'];

describe(TYPE, () => {
  it.each<[string, object, () => object, string[]]>([
    ['sound', {}, sound, []],
    ['of the issuer', { issuer: 'https://as.example' }, sound, []],
    ['of another issuer', { issuer: 'https://as.example/' }, sound, ['the ID token is of another issuer']],
    [
      'of no issuer',
      { issuer: 'https://as.example' },
      () => ({ ...sound(), iss: undefined }),
      ['the ID token is of another issuer'],
    ],
    ['for another', {}, () => ({ ...sound(), aud: 'you' }), ANOTHER],
    ['for a longer name', {}, () => ({ ...sound(), aud: 'me too' }), ANOTHER],
    ['for nobody', {}, () => ({ ...sound(), aud: undefined }), ANOTHER],
    ['for an empty list', {}, () => ({ ...sound(), aud: [] }), ANOTHER],
    ['for a list of one', {}, () => ({ ...sound(), aud: ['me'] }), []],
    ['for one, on behalf of another', {}, () => ({ ...sound(), azp: 'you' }), []],
    ['for several', {}, () => ({ ...sound(), aud: ['you', 'me'], azp: 'me' }), []],
    [
      'for several, of which nobody is named',
      {},
      () => ({ ...sound(), aud: ['you', 'me'] }),
      ["'azp' does not name this client"],
    ],
    [
      'for several, of which another is named',
      {},
      () => ({ ...sound(), aud: ['you', 'me'], azp: 'you' }),
      ["'azp' does not name this client"],
    ],
    ['without an end', {}, () => ({ ...sound(), exp: undefined }), ["'exp' is missing"]],
    ['without a beginning', {}, () => ({ ...sound(), iat: undefined }), ["'iat' is missing"]],
    ['over', {}, () => ({ ...sound(), exp: now() - 10 }), ['the JWT has expired']],
    ['over by less than allowed', { skewAllowance: '1 hour' }, () => ({ ...sound(), exp: now() - 10 }), []],
    ['issued in the future', {}, () => ({ ...sound(), iat: now() + 600 }), ['the JWT was issued in the future']],
    [
      'wrong in all',
      { issuer: 'x' },
      () => ({ aud: 'you', iat: now() + 600 }),
      ['the JWT was issued in the future', ...ANOTHER, 'the ID token is of another issuer', "'exp' is missing"],
    ],
  ])('validates a token that is %s', async (_, config, claims, expected) => {
    expect(await verdict(config, await signed(claims()))).toEqual(expected);
  });

  it('verifies the signature only if a key is configured', async () => {
    const token = await signed(sound(), stranger);
    expect(await verdict({}, token)).toEqual(['the signature is not valid']);
    expect(await verdict({ verificationSecretId: undefined, secretsProvider: undefined }, token)).toEqual([]);
  });

  const required = {
    idToken: 'a',
    audience: 'b',
    verificationSecretId: 'c',
    secretsProvider: { type: 'SystemAndEnvSecretStore' },
  };
  it.each<[object, RegExp[]]>([
    [{}, [/^missing idToken: is required$/, /^missing audience: is required$/]],
    [required, []],
    [
      { ...required, verificationSecretId: undefined },
      [/^insecure : accepts forged JWTs/, /^no-effect secretsProvider/],
    ],
    [{ ...required, audience: '' }, [/^value audience: must not be empty$/]],
    [{ ...required, customizer: 'x' }, [/^reference customizer: there is no object 'x'/]],
  ])('validates the configuration %j', (config, problems) => {
    const found = problemsOf(TYPE, JSON.parse(JSON.stringify(config)));
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});
