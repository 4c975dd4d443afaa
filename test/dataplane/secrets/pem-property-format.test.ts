import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject, buildObjects } from '../../support/gateways/built-object.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const TYPE = 'PemPropertyFormat';
const root = certificateAuthority('Root');
const middle = root.intermediate('Middle');
const leaf = middle.issue({ names: ['localhost'] });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function decode(pem: string, config: JsonObject = {}) {
  return buildObject('propertyFormat', TYPE, config).object.decode('tls', Buffer.from(pem));
}

/** A format whose passphrase is in the environment. */
function decrypting(passphrase: string) {
  const objects = buildObjects(
    [
      { name: 'env', type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      { name: 'it', type: TYPE, config: { decryptionSecretId: 'pem.pass', secretsProvider: 'env' } },
    ],
    operatorReach({ PEM_PASS: passphrase }),
  );
  return (pem: string) => objects.get('propertyFormat', 'it').decode('tls', Buffer.from(pem));
}

function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
}

describe(TYPE, () => {
  it.each<readonly [string, string, readonly KeyUsage[], readonly KeyUsage[]]>([
    [
      'PKCS#8',
      ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      ['sign', 'agreeKey'],
      ['verify', 'agreeKey'],
    ],
    [
      'SEC1',
      ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
      ['sign', 'agreeKey'],
      ['verify', 'agreeKey'],
    ],
    [
      'PKCS#1',
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      ['sign', 'decrypt', 'unwrapKey'],
      ['verify', 'encrypt', 'wrapKey'],
    ],
    ['Ed25519', openssl('genpkey', '-algorithm', 'ed25519'), ['sign'], ['verify']],
    ['X25519', openssl('genpkey', '-algorithm', 'x25519'), ['agreeKey'], ['agreeKey']],
    ['RSA-PSS', openssl('genpkey', '-algorithm', 'rsa-pss', '-quiet'), ['sign'], ['verify']],
    [
      'what openssl writes with parameters',
      openssl('ecparam', '-name', 'prime256v1', '-genkey'),
      ['sign', 'agreeKey'],
      ['verify', 'agreeKey'],
    ],
    ['Windows line ends', leaf.key.replaceAll('\n', '\r\n'), ['sign', 'agreeKey'], ['verify', 'agreeKey']],
  ])('reads a private key: %s', async (_, pem, privately, publicly) => {
    const [secret, open, ...more] = await decode(pem);
    expect(more).toEqual([]);
    expect(secret).toMatchObject({ kind: 'key', stableId: 'tls', key: { type: 'private' }, certificates: [] });
    expect(open).toMatchObject({ kind: 'key', stableId: 'tls', key: { type: 'public' } });
    const usages = [secret, open].map((one) => (one?.kind === 'key' ? [...one.usages] : []));
    expect(usages).toEqual([privately, publicly]);
  });

  it('reads a private key with its matching public key and certificate', async () => {
    const [secret, open] = await decode(leaf.pem);
    if (secret?.kind !== 'key' || open?.kind !== 'key') throw new Error('no keys');
    const message = Buffer.from('message');
    expect(verify('sha256', message, open.key, sign('sha256', message, secret.key))).toBe(true);
    expect(secret.certificates[0]?.checkPrivateKey(secret.key)).toBe(true);
  });

  it.each([
    ['in order', leaf.certificate + middle.certificate + root.certificate + leaf.key],
    ['the key first', leaf.key + leaf.certificate + middle.certificate + root.certificate],
    ['in any order', root.certificate + leaf.key + middle.certificate + leaf.certificate],
    [
      'with remarks',
      `subject=me\n${leaf.certificate}\n# next\n${middle.certificate}text ${root.certificate}${leaf.key}end`,
    ],
  ])('puts the chain in order, its own certificate first: %s', async (_, pem) => {
    const [secret] = await decode(pem);
    const subjects = secret?.kind === 'key' ? secret.certificates.map(({ subject }) => subject) : [];
    expect(subjects).toEqual(['CN=localhost', 'CN=Middle', 'CN=Root']);
  });

  it('keeps an unrelated certificate at the end of the chain', async () => {
    const stranger = certificateAuthority('Stranger').certificate;
    const [secret] = await decode(stranger + leaf.pem);
    const subjects = secret?.kind === 'key' ? secret.certificates.map(({ subject }) => subject) : [];
    expect(subjects).toEqual(['CN=localhost', 'CN=Middle', 'CN=Stranger']);
  });

  it('reads trusted certificates, each with its own id, and revocation lists', async () => {
    const keys = await decode(root.certificate + middle.certificate + root.crl() + middle.crl());
    expect(keys).toMatchObject([
      { stableId: 'tls', certificates: [{ subject: 'CN=Root' }], usages: new Set(['verify', 'agreeKey']) },
      { stableId: expect.stringMatching(/^[0-9a-f]{64}$/), certificates: [{ subject: 'CN=Middle' }] },
    ]);
    for (const key of keys)
      expect(key.kind === 'key' && key.revocations).toEqual(
        [root.crl(), middle.crl()].map(() => expect.stringContaining('X509 CRL')),
      );
  });

  it.each([
    ['SPKI', rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['PKCS#1', rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
  ])('reads a public key: %s', async (_, pem) => {
    expect(await decode(pem)).toMatchObject([
      { stableId: 'tls', key: { type: 'public' }, certificates: [], usages: new Set(['verify', 'encrypt', 'wrapKey']) },
    ]);
  });

  it('accepts a public key beside its private key', async () => {
    const pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(await decode(pem + rsa.publicKey.export({ type: 'spki', format: 'pem' }))).toHaveLength(2);
  });

  describe('with an encrypted key', () => {
    const cipher = 'aes-256-cbc';
    const passphrase = 'open sésame';
    const encrypted = [
      ['PKCS#8', ec.privateKey.export({ type: 'pkcs8', format: 'pem', cipher, passphrase }).toString()],
      ['SEC1', ec.privateKey.export({ type: 'sec1', format: 'pem', cipher, passphrase }).toString()],
      ['PKCS#1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem', cipher, passphrase }).toString()],
    ] as const;

    it.each(encrypted)('of %s decrypts it', async (_, pem) => {
      const [secret] = await decrypting(passphrase)(pem);
      const expected = createPrivateKey({ key: pem, passphrase });
      expect(secret?.kind === 'key' && secret.key.equals(expected)).toBe(true);
    });

    it.each(encrypted)('of %s reports a wrong passphrase', async (_, pem) => {
      const said = /^block 1 \(.*\) cannot be decrypted with the secret of 'decryptionSecretId'$/;
      await expect(decrypting('wrong')(pem)).rejects.toThrow(said);
    });

    it.each(encrypted)('of %s reports that there is no passphrase secret', async (_, pem) => {
      await expect(decode(pem)).rejects.toThrow(/^block 1 \(.*\) is encrypted, and there is no 'decryptionSecretId'$/);
    });

    it('reports that the passphrase is not configured', async () => {
      const objects = buildObjects([
        { name: 'env', type: 'SystemAndEnvSecretStore' },
        { name: 'it', type: TYPE, config: { decryptionSecretId: 'pem.pass', secretsProvider: 'env' } },
      ]);
      const decoded = objects.get('propertyFormat', 'it').decode('tls', Buffer.from(encrypted[0][1]));
      await expect(decoded).rejects.toThrow("there is no secret 'pem.pass' of the kind GenericSecret in 'env'");
    });
  });

  it.each([
    ['no PEM', 'hunter2', 'it holds neither a key nor a certificate in PEM'],
    ['a list alone', root.crl(), 'it holds neither a key nor a certificate in PEM'],
    ['two private keys', leaf.key + middle.issue().key, 'it holds more than one private key'],
    [
      'the certificate of another key',
      leaf.key + middle.certificate,
      'none of its certificates belongs to its private key',
    ],
    [
      'another public key',
      leaf.key + ec.publicKey.export({ type: 'spki', format: 'pem' }),
      'it holds a public key that does not belong to its private key',
    ],
    ['half a block', leaf.certificate + leaf.key.slice(0, 90), 'block 2 (PRIVATE KEY) has no end'],
    ['a block in a block', leaf.key.slice(0, 90) + leaf.certificate + leaf.key, 'block 1 (PRIVATE KEY) has no end'],
    ['a damaged key', damaged(leaf.key), 'block 1 (PRIVATE KEY) is damaged or of an unknown algorithm'],
    ['a damaged certificate', damaged(leaf.certificate), 'block 1 (CERTIFICATE) is damaged or of an unknown algorithm'],
    [
      'a damaged list',
      root.certificate + damaged(root.crl()),
      'block 2 (X509 CRL) is damaged or of an unknown algorithm',
    ],
    [
      'something else',
      root.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'),
      'block 1 (CERTIFICATE REQUEST) is neither a key nor a certificate nor a list of revoked certificates',
    ],
  ])('refuses %s', async (_, pem, message) => {
    const error = await decode(pem).catch((one: unknown) => one);
    expect(error).toHaveProperty('message', message);
  });

  it.each([
    [{ decryptionSecretId: 'a' }, "config.secretsProvider: is required: 'decryptionSecretId' needs it"],
    [
      { decryptionSecretId: 'a', secretsProvider: 'Clock' },
      "config.secretsProvider: must be a SecretsProvider or a SecretStore, but 'Clock' is a Clock",
    ],
  ])('refuses the configuration %j', (config, said) => {
    expect(refusals({ type: TYPE, config }, [{ name: 'env', type: 'SystemAndEnvSecretStore' }])).toEqual([said]);
  });

  it('warns of a secretsProvider without a passphrase id', () => {
    const secretsProvider = { type: 'SystemAndEnvSecretStore' };
    const { problems } = buildObject('propertyFormat', TYPE, { secretsProvider });
    const path = ['heap', 0, 'config', 'secretsProvider'];
    expect(problems).toMatchObject([{ severity: 'warning', code: 'no-effect', path }]);
  });
});

/** The block with its first bytes changed. */
function damaged(pem: string): string {
  return pem.replace(/\n..../, '\nAAAA');
}
