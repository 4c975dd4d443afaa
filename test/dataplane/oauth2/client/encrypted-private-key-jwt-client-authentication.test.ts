import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { compactDecrypt, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';

const TYPE = 'EncryptedPrivateKeyJwtClientAuthenticationFilter';
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const own = generateKeyPairSync('ed25519').privateKey;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const required = {
  clientId: 'gateway',
  tokenEndpoint: 'https://as.example/token',
  signingSecretId: 'own',
  signingAlgorithm: 'EdDSA',
  encryptionSecretId: 'theirs',
};

async function sentWith(theirs: KeyObject, config: object) {
  const secretsProvider = keyFolder({ own, theirs: createPublicKey(theirs) });
  const filter = { type: TYPE, config: { ...required, secretsProvider, ...config } };
  const { ask, seen } = await startFiltered(JSON.parse(JSON.stringify([filter])));
  const { status } = await ask('/', { method: 'POST', headers: [FORM], body: 'grant_type=x' });
  return { status, form: new URLSearchParams(seen[0]?.body) };
}

describe(TYPE, () => {
  it.each<[KeyObject, string, string | undefined]>([
    [rsa, 'RSA-OAEP-256', 'A256GCM'],
    [rsa, 'RSA-OAEP', undefined],
    [ec, 'ECDH-ES+A128KW', 'A128GCM'],
  ])('sends a JWT that was signed and then encrypted: %#', async (theirs, encryptionAlgorithm, encryptionMethod) => {
    const { form } = await sentWith(theirs, { encryptionAlgorithm, encryptionMethod });
    expect([...form.keys()]).toEqual(['grant_type', 'client_id', 'client_assertion_type', 'client_assertion']);
    const outer = await compactDecrypt(form.get('client_assertion')!, theirs);
    const enc = encryptionMethod ?? 'A128CBC-HS256';
    expect(outer.protectedHeader).toMatchObject({ alg: encryptionAlgorithm, enc, cty: 'JWT' });
    const inner = await jwtVerify(Buffer.from(outer.plaintext).toString(), createPublicKey(own), {
      issuer: 'gateway',
      subject: 'gateway',
      audience: 'https://as.example/token',
      requiredClaims: ['jti', 'iat', 'exp'],
    });
    expect(inner.protectedHeader).toEqual({ typ: 'JWT', alg: 'EdDSA', kid: 'own' });
  });

  it('answers 500 when a key does not allow the usage', async () => {
    expect((await sentWith(ec, { encryptionAlgorithm: 'RSA-OAEP' })).status).toBe(500);
    expect((await sentWith(rsa, { encryptionAlgorithm: 'RSA-OAEP', signingAlgorithm: 'ES256' })).status).toBe(500);
    expect((await sentWith(rsa, { encryptionAlgorithm: 'RSA-OAEP', encryptionSecretId: 'none' })).status).toBe(500);
  });

  const secretsProvider = { type: 'SystemAndEnvSecretStore' };
  it.each<[object, RegExp[]]>([
    [{}, [/^missing encryptionAlgorithm: is required$/]],
    [{ encryptionAlgorithm: 'RSA1_5' }, [/^value encryptionAlgorithm: must be one of RSA-OAEP/]],
    [{ encryptionAlgorithm: 'dir', encryptionMethod: 'A1' }, [/^value encryptionMethod: must be one of A128CBC-HS256/]],
    [{ encryptionAlgorithm: 'dir' }, []],
  ])('validates the configuration %j', (config, problems) => {
    const found = problemsOf(TYPE, { ...required, secretsProvider, ...config });
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});
