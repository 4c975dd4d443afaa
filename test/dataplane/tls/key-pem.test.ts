import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { withKeyPem } from '../../../dataplane/tls/key-pem.ts';

it.each([
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['Ed25519', generateKeyPairSync('ed25519')],
])('writes an %s key as PEM and leaves nothing of it', (_name, { privateKey }) => {
  let kept: Buffer | null = null;
  withKeyPem(privateKey, (pem) => {
    kept = pem;
    expect(pem.toString()).toBe(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(createPrivateKey(pem).equals(privateKey)).toBe(true);
  });
  expect(kept!.every((byte) => byte === 0)).toBe(true);
});
