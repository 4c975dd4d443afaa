import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../contract/secret.ts';
import { refuseCostlyEncryption, refuseCostlyKey } from '../../../../dataplane/secrets/keystore/costly-key.ts';
import { entrySecrets } from '../../../../dataplane/secrets/keystore/entry-secrets.ts';
import { pemSecrets } from '../../../../dataplane/secrets/pem-secrets.ts';
import { element, integer, octets, oid, pemBlock, sequence } from '../../../support/identity/der.ts';

const DSA = '1.2.840.10040.4.1';
const DSA_OLD = '1.3.14.3.2.12';
const number = (bits: number): Buffer =>
  element(0x02, Buffer.from([0x7f]), randomBytes(bits / 8 - 2), Buffer.from([1]));

/** A DSA key without its public half, which takes two seconds to compute for 16384 bits and hours for more. */
function dsaKey(bits: number, algorithm = DSA): Buffer {
  const parameters = sequence(number(bits), number(bits), number(bits));
  return sequence(integer(0), sequence(oid(algorithm), parameters), octets(number(bits)));
}

function encryptedKey(iterations: bigint): Buffer {
  const derivation = sequence(oid('1.2.840.113549.1.5.12'), sequence(octets(Buffer.alloc(8)), integer(iterations)));
  const cipher = sequence(oid('2.16.840.1.101.3.4.1.42'), octets(Buffer.alloc(16)));
  const algorithm = sequence(oid('1.2.840.113549.1.5.13'), sequence(derivation, cipher));
  return sequence(algorithm, octets(Buffer.alloc(64)));
}

const oldEncryption = sequence(
  sequence(oid('1.2.840.113549.1.12.1.3'), sequence(octets(Buffer.alloc(8)), integer(2n ** 31n))),
  octets(Buffer.alloc(64)),
);

describe('a private key that takes long to read', () => {
  it.each([DSA, DSA_OLD])('is refused in a keystore, of the algorithm %s', async (algorithm) => {
    const pkcs8 = dsaKey(16_384, algorithm);
    const entry = {
      kind: 'private' as const,
      alias: 'a',
      certificates: [],
      recover: async () => ({ kind: 'private' as const, pkcs8 }),
    };
    await expect(entrySecrets(entry, 'a', null)).rejects.toThrow('its private key is too large');
  });

  it('is refused in PEM', async () => {
    const pem = pemBlock('PRIVATE KEY', dsaKey(16_384));
    await expect(pemSecrets('a', pem, null)).rejects.toThrow(
      'block 1 (PRIVATE KEY) cannot be used: its private key is too large',
    );
  });

  it.each([
    ['PBES2', encryptedKey(2n ** 31n)],
    ['PBES2 and a number that does not fit', encryptedKey(2n ** 70n)],
    ['an old algorithm', oldEncryption],
  ])('is rejected if its password hash has too many iterations, with %s', async (_, der) => {
    const pem = pemBlock('ENCRYPTED PRIVATE KEY', der);
    await expect(pemSecrets('a', pem, async () => new Secret('p'))).rejects.toThrow(
      'block 1 (ENCRYPTED PRIVATE KEY) cannot be used: its iteration count is higher than 2000000',
    );
  });

  it('is told apart from the largest keys in common use', () => {
    const large = generateKeyPairSync('ml-dsa-87').privateKey.export({ type: 'pkcs8', format: 'der' });
    const rsa = sequence(integer(0), sequence(oid('1.2.840.113549.1.1.1'), element(5)), octets(Buffer.alloc(9300)));
    for (const key of [large, rsa, dsaKey(4096)]) expect(() => refuseCostlyKey(key)).not.toThrow();
    expect(() => refuseCostlyEncryption(encryptedKey(1_000_000n))).not.toThrow();
  });
});
