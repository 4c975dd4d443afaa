import { createHmac, createPrivateKey, pbkdf2Sync, randomBytes } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { KeystoreProblem, WrongPassword } from '../../../../dataplane/secrets/keystore/keystore-problem.ts';
import { readKeystore, recoverKey } from '../../../../dataplane/secrets/keystore/read-keystore.ts';
import { element, explicit, integer, octets, oid, sequence } from '../../../support/identity/der.ts';
import {
  type KeystoreRow,
  keystoreFile,
  keystoreRows,
  knownKeystores,
  sorted,
} from '../../../support/identity/keystore-rows.ts';

/** The rows of others do not tell certificates. */
function withoutCertificates(rows: readonly KeystoreRow[] | null): unknown {
  return rows?.map(({ alias, entry, key, chain }) => ({ alias, entry, key, chain })) ?? null;
}

describe('a keystore', () => {
  it.each(knownKeystores('manifest.json'))('$file is read as Java reads it', async (known) => {
    const rows = await keystoreRows(known.type, keystoreFile(known.file), known.storePassword);
    expect(withoutCertificates(rows)).toEqual(known.java17 === null ? null : sorted(known.java17));
  });

  it.each(knownKeystores('made.json'))(
    '$file of keytool or openssl with $storePassword and $entryPassword is read as Java reads it',
    async (known) => {
      const { type, file, storePassword, entryPassword = storePassword, java17, here = java17 } = known;
      expect(await keystoreRows(type, keystoreFile(file), storePassword, entryPassword)).toEqual(here);
    },
  );

  it('reports the entries that it leaves out', async () => {
    const { entries, notes } = await readKeystore('PKCS12', keystoreFile('made/plain.p12'), 'password');
    expect(entries.size).toBe(0);
    expect(notes).toEqual([
      'a certificate that belongs to no key and that Java did not mark as trusted',
      'a private key that is not encrypted',
    ]);
  });

  it.each([
    ['PKCS12', 'made/all.p12'],
    ['PKCS12', 'made/legacy.p12'],
    ['PKCS12', 'made/sha1-rc2-40.p12'],
    ['PKCS12', 'made/sha1-rc4-128.p12'],
    ['PKCS12', 'made/empty-password.p12'],
    ['JKS', 'made/all.jks'],
    ['JCEKS', 'made/all.jceks'],
  ] as const)('of the type %s, %s, is not opened with another password', async (type, file) => {
    for (const password of ['', 'Password', 'password\n']) {
      if (file.includes('empty') && password === '') continue;
      await expect(readKeystore(type, keystoreFile(file), password)).rejects.toThrow(WrongPassword);
    }
  });

  it.each([
    ['PKCS12', 'made/all.jceks', "it is a JCEKS file, and 'storeType' is PKCS12"],
    ['JKS', 'made/all.jceks', "it is a JCEKS file, and 'storeType' is JKS"],
    ['JCEKS', 'made/all.p12', "it is a PKCS12 file, and 'storeType' is JCEKS"],
    ['PKCS12', 'SOURCES.md', 'it is neither a PKCS12 nor a JKS nor a JCEKS file'],
    ['PKCS12', 'made/all.p12', 'it is protected by a password, and none is given'],
  ] as const)('read as %s: %s says that %s', async (type, file, message) => {
    await expect(readKeystore(type, keystoreFile(file), null)).rejects.toThrow(new KeystoreProblem(message));
  });

  it.each([
    ['JKS', 'PKCS12', 'made/all.p12'],
    ['PKCS12', 'JKS', 'made/all.jks'],
  ] as const)('is read under the type %s although it is a %s file, as Java does', async (given, type, file) => {
    const known = knownKeystores('made.json').find((one) => one.file === file)!;
    const { storePassword, entryPassword = storePassword } = known;
    const rows = await keystoreRows(given, keystoreFile(file), storePassword, entryPassword);
    expect(rows).toEqual(await keystoreRows(type, keystoreFile(file), storePassword, entryPassword));
  });

  it('with an empty password opens without a password', async () => {
    const rows = await keystoreRows('PKCS12', keystoreFile('made/empty-password.p12'), null);
    expect(rows).toEqual(await keystoreRows('PKCS12', keystoreFile('made/empty-password.p12'), ''));
    expect(rows).toHaveLength(1);
  });
});

/** The parts of a PKCS #12 file: its version and what the MAC is over. */
function partsOf(file: string): { readonly content: Buffer } {
  const bytes = keystoreFile(file);
  const at = bytes.indexOf(Buffer.from('06092a864886f70d010701a0', 'hex'));
  const start = bytes.indexOf(0x04, at + 12);
  const size = bytes.readUInt16BE(start + 2);
  return { content: bytes.subarray(start + 4, start + 4 + size) };
}

const DATA = oid('1.2.840.113549.1.7.1');
const HMACS: Readonly<Record<string, string>> = {
  sha1: '1.2.840.113549.2.7',
  sha256: '1.2.840.113549.2.9',
  sha384: '1.2.840.113549.2.10',
  sha512: '1.2.840.113549.2.11',
};

function pbmac1(content: Buffer, prf: string, mac: string, size: number): Buffer {
  const salt = randomBytes(16);
  const code = createHmac(mac, pbkdf2Sync('password', salt, 1000, size, prf))
    .update(content)
    .digest();
  const null_ = element(0x05);
  const derivation = sequence(octets(salt), integer(1000), integer(size), sequence(oid(HMACS[prf]!), null_));
  const parameters = sequence(sequence(oid('1.2.840.113549.1.5.12'), derivation), sequence(oid(HMACS[mac]!), null_));
  return sequence(
    sequence(sequence(oid('1.2.840.113549.1.5.14'), parameters), octets(code)),
    octets(Buffer.from('NOT USED')),
    integer(1),
  );
}

describe('PBMAC1', () => {
  const { content } = partsOf('made/chain.p12');
  const withMac = (mac: Buffer): Buffer => sequence(integer(3), sequence(DATA, explicit(0, octets(content))), mac);

  it.each([
    ['sha256', 'sha256', 32],
    ['sha512', 'sha256', 32],
    ['sha512', 'sha512', 64],
    ['sha1', 'sha384', 48],
  ])('with PBKDF2 over %s and HMAC over %s is checked, as OpenSSL does', async (prf, mac, size) => {
    const pfx = withMac(pbmac1(content, prf, mac, size));
    expect(() => createSecureContext({ pfx, passphrase: 'password' })).not.toThrow();
    expect(await keystoreRows('PKCS12', pfx, 'password')).toEqual(
      await keystoreRows('PKCS12', keystoreFile('made/chain.p12'), 'password'),
    );
    await expect(readKeystore('PKCS12', pfx, 'other')).rejects.toThrow(WrongPassword);
    const changed = withMac(pbmac1(Buffer.concat([content, content]), prf, mac, size));
    await expect(readKeystore('PKCS12', changed, 'password')).rejects.toThrow(WrongPassword);
  });

  it('is rejected with a MAC key that is too short', async () => {
    const pfx = withMac(pbmac1(content, 'sha256', 'sha256', 1));
    await expect(readKeystore('PKCS12', pfx, 'password')).rejects.toThrow('the size of the key of its MAC');
  });
});

describe('BER', () => {
  const endless = (tag: number, ...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.alloc(2)]);
  const inPieces = (bytes: Buffer, size: number): Buffer[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      octets(bytes.subarray(at * size, (at + 1) * size)),
    );

  it.each([1, 100, 1000])('with indefinite lengths and octet strings in pieces of %i is read', async (size) => {
    const { content } = partsOf('made/no-mac.p12');
    const data = endless(0xa0, endless(0x24, ...inPieces(content, size)));
    const file = endless(0x30, integer(3), endless(0x30, DATA, data));
    const expected = await keystoreRows('PKCS12', keystoreFile('made/no-mac.p12'), 'password');
    expect(await keystoreRows('PKCS12', file, 'password')).toEqual(expected);
  });

  it('with nested octet strings is read', async () => {
    const { content } = partsOf('made/no-mac.p12');
    const nested = endless(
      0x24,
      element(0x24, ...inPieces(content.subarray(0, 500), 200)),
      octets(content.subarray(500)),
    );
    const file = sequence(integer(3), endless(0x30, DATA, explicit(0, nested)));
    expect(await keystoreRows('PKCS12', file, 'password')).toHaveLength(1);
  });
});

describe('a key', () => {
  it('is decrypted on first use, with its own password', async () => {
    const { entries } = await readKeystore('JCEKS', keystoreFile('made/own.jceks'), 'password');
    const entry = entries.get('k');
    if (entry?.kind !== 'private') throw new Error('there should be a private key');
    await expect(recoverKey(entry, 'password')).rejects.toThrow(WrongPassword);
    await expect(recoverKey(entry, null)).rejects.toThrow(WrongPassword);
    await expect(recoverKey(entry, 'pässword')).rejects.toThrow('have passwords of ASCII');
    const key = await recoverKey(entry, 'of the entry');
    if (key.kind !== 'private') throw new Error('it should be a private key');
    const privateKey = createPrivateKey({ key: key.pkcs8, format: 'der', type: 'pkcs8' });
    expect(entry.certificates[0]?.checkPrivateKey(privateKey)).toBe(true);
  });

  it('has the chain of its issuers', async () => {
    const { entries } = await readKeystore('PKCS12', keystoreFile('made/chain.p12'), 'password');
    expect(entries.get('chain')?.certificates.map(({ subject }) => subject)).toEqual([
      'CN=here',
      'CN=Middle',
      'CN=Root',
    ]);
  });
});
