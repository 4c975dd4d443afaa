import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BoundedWork } from '../../../../dataplane/secrets/keystore/bounded-work.ts';
import { KeystoreProblem, WrongPassword } from '../../../../dataplane/secrets/keystore/keystore-problem.ts';
import { type KeystoreType, readKeystore, recoverKey } from '../../../../dataplane/secrets/keystore/read-keystore.ts';
import { element, explicit, integer, octets, oid, sequence, set } from '../../../support/identity/der.ts';
import { keystoreFile } from '../../../support/identity/keystore-rows.ts';
import { pkcs12File } from '../../../support/identity/pkcs12-file.ts';

/** Reads a keystore with all its keys. What comes of it is an error that is ours, or nothing. */
async function read(
  type: KeystoreType,
  bytes: Uint8Array,
  password: string | null,
  keys = true,
): Promise<Error | null> {
  try {
    const { entries } = await readKeystore(type, bytes, password);
    for (const entry of keys ? entries.values() : []) {
      if (entry.kind !== 'certificate') await recoverKey(entry, password);
    }
    return null;
  } catch (error) {
    if (error instanceof KeystoreProblem || error instanceof WrongPassword) return error;
    throw error;
  }
}

/** Everything that a message may consist of: nothing of it comes from a file, object identifiers aside. */
const PLAIN = /^[a-z0-9 :,.#'()-]+$/i;

/** Those that ask for no work, and hold a bit of everything. */
const SAMPLES: readonly (readonly [KeystoreType, string, string | null, boolean])[] = [
  ['PKCS12', 'made/quick-new.p12', 'password', true],
  ['PKCS12', 'made/quick-old.p12', 'password', true],
  ['PKCS12', 'made/bare.p12', null, false],
  ['JKS', 'made/all.jks', null, false],
  ['JKS', 'pyjks_jks_RSA1024.jks', null, true],
  ['JCEKS', 'made/secret-keys.jceks', null, false],
  ['JCEKS', 'pyjks_jceks_DESede.jceks', null, false],
];

/** Where what the MAC is over ends. */
const PBMAC1 = oid('1.2.840.113549.1.5.14');

describe('a damaged keystore', () => {
  it.each(SAMPLES)(
    'of the type %s, %s, truncated anywhere, is rejected',
    async (type, file, password) => {
      const whole = keystoreFile(file);
      for (let size = 0; size < whole.length; size++) {
        const error = await read(type, whole.subarray(0, size), password, false);
        expect(error, `${size} bytes`).not.toBeNull();
        expect(error?.message).toMatch(PLAIN);
      }
    },
    60_000,
  );

  it.each(SAMPLES)(
    'of the type %s, %s, with any byte changed, is read or refused',
    async (type, file, password, keys) => {
      const whole = keystoreFile(file);
      for (const mask of whole.length < 1500 ? [0x01, 0x80, 0xff] : [0x41]) {
        for (let at = 0; at < whole.length; at++) {
          const changed = Buffer.from(whole);
          changed[at]! ^= mask;
          const error = await read(type, changed, password, keys);
          if (error !== null) expect(error.message, `byte ${at}`).toMatch(PLAIN);
        }
      }
    },
    120_000,
  );

  it('is detected by the MAC or the digest for every changed byte', async () => {
    const samples = [
      ['PKCS12', pkcs12File({ password: 'p', secrets: { a: ['2.16.840.1.101.3.4.1', 'sixteen bytes of'] } })],
      ['JCEKS', keystoreFile('pyjks_jceks_AES128.jceks')],
    ] as const;
    for (const [type, whole] of samples) {
      const end = type === 'PKCS12' ? whole.indexOf(PBMAC1) - 6 : whole.length;
      for (let at = 0; at < end; at++) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 0x10;
        const password = type === 'JCEKS' ? '12345678' : 'p';
        expect(await read(type, changed, password, false), `byte ${at} of ${type}`).not.toBeNull();
      }
    }
  });
});

const DATA = oid('1.2.840.113549.1.7.1');
const file = (...infos: readonly Buffer[]): Buffer =>
  sequence(integer(3), sequence(DATA, explicit(0, octets(sequence(...infos)))));
const data = (content: Buffer): Buffer => sequence(DATA, explicit(0, octets(content)));
const encrypted = (algorithm: Buffer): Buffer =>
  sequence(
    oid('1.2.840.113549.1.7.6'),
    explicit(0, sequence(integer(0), sequence(DATA, algorithm, element(0x80, Buffer.alloc(64))))),
  );
const salt = octets(Buffer.alloc(8, 1));
const pbes2 = (iterations: number | bigint): Buffer =>
  sequence(
    oid('1.2.840.113549.1.5.13'),
    sequence(
      sequence(oid('1.2.840.113549.1.5.12'), sequence(salt, integer(iterations))),
      sequence(oid('2.16.840.1.101.3.4.1.42'), octets(Buffer.alloc(16))),
    ),
  );
const oldPbe = (iterations: number | bigint, its = salt): Buffer =>
  sequence(oid('1.2.840.113549.1.12.1.6'), sequence(its, integer(iterations)));
const mac = (iterations: number | bigint): Buffer =>
  sequence(
    sequence(sequence(oid('1.3.14.3.2.26'), element(0x05)), octets(Buffer.alloc(20))),
    salt,
    integer(iterations),
  );

function nested(depth: number, inner: Buffer): Buffer {
  let bytes = inner;
  for (let level = 0; level < depth; level++) bytes = sequence(bytes);
  return bytes;
}

function javaHead(magic: number, count: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt32BE(magic, 0);
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count, 8);
  return head;
}

/** A JKS file, its digest right for the password `p`. */
function jks(content: Buffer): Buffer {
  const digest = createHash('sha1').update(Buffer.from('\0p')).update('Mighty Aphrodite').update(content).digest();
  return Buffer.concat([content, digest]);
}

const TOO_MANY = 'an iteration count is higher than 5000000';
const manyInfos = Array.from({ length: 10 }, () => data(sequence()));
const unknownBag = sequence(oid('1.2.3'), explicit(0, sequence()), set());

describe('a hostile keystore', () => {
  const cases: readonly (readonly [string, KeystoreType, Buffer, string])[] = [
    ['an iteration count of 2^31 in PBKDF2', 'PKCS12', file(encrypted(pbes2(2 ** 31))), TOO_MANY],
    ['an iteration count of 2^31 in an old algorithm', 'PKCS12', file(encrypted(oldPbe(2 ** 31))), TOO_MANY],
    ['an iteration count of 2^90', 'PKCS12', file(encrypted(pbes2(2n ** 90n))), TOO_MANY],
    ['an iteration count of nothing', 'PKCS12', file(encrypted(pbes2(0))), 'an iteration count is not positive'],
    [
      'an iteration count of 2^31 in the MAC',
      'PKCS12',
      sequence(...[integer(3), data(sequence()), mac(2 ** 31)]),
      TOO_MANY,
    ],
    [
      'a salt of 60,000 bytes',
      'PKCS12',
      file(encrypted(oldPbe(9, octets(Buffer.alloc(60_000))))),
      'longer than 1024 bytes',
    ],
    ['nothing but beginnings', 'PKCS12', Buffer.alloc(1 << 20, Buffer.from([0x30, 0x80])), 'nested too deeply'],
    ['a thousand levels', 'PKCS12', file(nested(1000, Buffer.alloc(0))), 'damaged'],
    ['an end mark that is missing', 'PKCS12', Buffer.from('3080020103', 'hex'), 'it ends too early'],
    ['a length of 2^40', 'PKCS12', Buffer.from('308501000000000201', 'hex'), 'a length goes past its end'],
    [
      'a length of 2^1000',
      'PKCS12',
      Buffer.concat([Buffer.from([0x30, 0xfd]), Buffer.alloc(200, 0xff)]),
      'past its end',
    ],
    [
      'a million elements',
      'PKCS12',
      Buffer.concat([Buffer.from('30831e8480', 'hex'), Buffer.alloc(2_000_000, Buffer.from([5, 0]))]),
      'too many elements',
    ],
    ['four thousand million entries', 'JKS', jks(javaHead(0xfeedfeed, 2 ** 32 - 1)), 'a length goes past its end'],
    [
      'a key of four thousand million bytes',
      'JKS',
      jks(
        Buffer.concat([
          javaHead(0xfeedfeed, 1),
          Buffer.from('00000001000161', 'hex'),
          Buffer.alloc(8),
          Buffer.alloc(4, 0xff),
        ]),
      ),
      'a length goes past its end',
    ],
    [
      'a secret key in JKS',
      'JKS',
      jks(Buffer.concat([javaHead(0xfeedfeed, 1), Buffer.from('00000003000161', 'hex'), Buffer.alloc(8)])),
      'a kind that is not known',
    ],
  ];

  it.each(cases)('with %s is refused', async (_, type, bytes, message) => {
    const error = await read(type, bytes, 'p');
    expect(error?.message).toContain(message);
  });

  it('of more than 16 MiB is refused', async () => {
    expect((await read('PKCS12', Buffer.alloc((16 << 20) + 1, 0x30), null))?.message).toBe('it is larger than 16 MiB');
  });

  it('cannot exceed the work limit of all its parts together', () => {
    const work = new BoundedWork();
    for (let part = 0; part < 4; part++) work.takeRounds(5_000_000);
    expect(() => work.takeRounds(1)).toThrow('its iteration counts are too high: more than 20000000 rounds of hashing');
  });

  it('with unknown bag types is read without these bags', async () => {
    const { entries, notes } = await readKeystore('PKCS12', file(...manyInfos, data(sequence(unknownBag))), null);
    expect(entries.size).toBe(0);
    expect(notes).toEqual(['a bag of the kind 1.2.3']);
  });

  it('does not block the event loop while it is read', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const error = await read('PKCS12', file(encrypted(oldPbe(300_000))), 'p');
    isOver = true;
    expect(error).toBeInstanceOf(WrongPassword);
    expect(turns).toBeGreaterThan(20);
  });

  it('with Java objects that are not keys is rejected before they are read', async () => {
    const known = keystoreFile('pyjks_jceks_AES128.jceks');
    const name = known.indexOf('SealedObjectForKeyProtector');
    const changed = Buffer.from(known);
    changed.write('ProcessBuilder', name);
    expect((await read('JCEKS', changed, null))?.message).toBe(
      'a secret key is an object of a class that is not known',
    );
  });
});
