import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { bits, boolean, element, explicit, integer, octets, oid, pemBlock, sequence, set, time, utf8 } from './der.ts';

export type KeyType = 'ec' | 'rsa' | 'ed25519';

/** What is wanted of a certificate. Without `expired` and `early` it is valid for a day. */
export interface CertificateWish {
  /** Host names and addresses that it is for, as subject-alt names; none leaves them out. */
  readonly names?: readonly string[];
  /** By default the first of the names. */
  readonly commonName?: string;
  /** For a client instead of a server. */
  readonly client?: boolean;
  /** It was valid until an hour ago. */
  readonly expired?: boolean;
  /** It is valid in an hour only. */
  readonly early?: boolean;
  readonly keyType?: KeyType;
  /** Length of an RSA key; by default one that TLS takes. */
  readonly modulusLength?: number;
}

/** A key with its certificate, as PEM texts. */
export interface Certified {
  /** The private key, PKCS#8. */
  readonly key: string;
  /** The certificate alone. */
  readonly certificate: string;
  /** The certificate and those of the authorities below the root, the form that TLS servers send. */
  readonly chain: string;
  /** The chain and the key in one text. */
  readonly pem: string;
}

export interface CertificateAuthority {
  /** Its own certificate in PEM. */
  readonly certificate: string;
  issue(wish?: CertificateWish): Certified;
  /** An authority that this one certifies. */
  intermediate(name: string): CertificateAuthority;
  /** A certificate of this authority for the name and the key of another one, in PEM. */
  cross(other: Pick<CertificateAuthority, 'certificate'>): string;
  /** Puts a certificate on the list of those that are revoked. */
  revoke(certificate: Pick<Certified, 'certificate'>): void;
  /** The list in PEM. With `expired` it should have been replaced an hour ago. */
  crl(options?: { readonly expired?: boolean }): string;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A root authority, made without a network or another program. */
export function certificateAuthority(name: string, keyType: KeyType = 'ec'): CertificateAuthority {
  const pair = newPair(keyType);
  const subject = nameOf(name);
  const self: Issuer = { subject, pair, chain: '' };
  const certificate = certify(self, subject, pair.publicKey, valid(-HOUR, 10 * DAY), authorityExtensions());
  return authority(self, certificate);
}

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Issuer {
  readonly subject: Buffer;
  readonly pair: Pair;
  /** The certificates between what it issues and the root. */
  readonly chain: string;
}

function authority(issuer: Issuer, certificate: string): CertificateAuthority {
  const revoked: string[] = [];
  return {
    certificate,
    issue(wish = {}) {
      const pair = newPair(wish.keyType ?? 'ec', wish.modulusLength);
      const subject = nameOf(wish.commonName ?? wish.names?.[0] ?? 'anybody');
      const own = certify(issuer, subject, pair.publicKey, validityOf(wish), leafExtensions(wish));
      const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const chain = own + issuer.chain;
      return { key, certificate: own, chain, pem: chain + key };
    },
    intermediate(name) {
      const pair = newPair('ec');
      const subject = nameOf(name);
      const own = certify(issuer, subject, pair.publicKey, valid(-HOUR, 5 * DAY), authorityExtensions());
      return authority({ subject, pair, chain: own + issuer.chain }, own);
    },
    cross(other) {
      const { subject, publicKey } = new X509Certificate(other.certificate);
      const name = nameOf(subject.replace('CN=', ''));
      return certify(issuer, name, publicKey, valid(-HOUR, DAY), authorityExtensions());
    },
    revoke: (one) => void revoked.push(new X509Certificate(one.certificate).serialNumber),
    crl: ({ expired = false } = {}) => revocationList(issuer, revoked, expired),
  };
}

function certify(
  issuer: Issuer,
  subject: Buffer,
  publicKey: KeyObject,
  validity: Buffer,
  extensions: readonly Buffer[],
): string {
  const serial = randomBytes(12);
  serial[0]! &= 0x7f;
  const content = sequence(
    explicit(0, integer(2)),
    integer(BigInt(`0x${serial.toString('hex')}`)),
    algorithmOf(issuer.pair.privateKey),
    issuer.subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions, ...identifiers(issuer, publicKey))),
  );
  return pemBlock('CERTIFICATE', signed(content, issuer.pair.privateKey));
}

function revocationList(issuer: Issuer, serials: readonly string[], expired: boolean): string {
  const now = Date.now();
  const entries = serials.map((serial) => sequence(integer(BigInt(`0x${serial}`)), time(now - HOUR)));
  const content = sequence(
    integer(1),
    algorithmOf(issuer.pair.privateKey),
    issuer.subject,
    time(now - 2 * HOUR),
    time(expired ? now - HOUR : now + DAY),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    explicit(0, sequence(extension('2.5.29.20', integer(now)), issuerIdentifier(issuer))),
  );
  return pemBlock('X509 CRL', signed(content, issuer.pair.privateKey));
}

function signed(content: Buffer, key: KeyObject): Buffer {
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return sequence(content, algorithmOf(key), bits(sign(digest, content, key)));
}

function algorithmOf(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ed25519') return sequence(oid('1.3.101.112'));
  if (key.asymmetricKeyType === 'ec') return sequence(oid('1.2.840.10045.4.3.2'));
  return sequence(oid('1.2.840.113549.1.1.11'), element(0x05));
}

function newPair(type: KeyType, modulusLength = 2048): Pair {
  if (type === 'rsa') return generateKeyPairSync('rsa', { modulusLength });
  return type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
}

function nameOf(commonName: string): Buffer {
  return sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))));
}

function validityOf({ expired = false, early = false }: CertificateWish): Buffer {
  if (expired) return valid(-2 * DAY, -HOUR);
  return early ? valid(HOUR, DAY) : valid(-HOUR, DAY);
}

function valid(from: number, to: number): Buffer {
  const now = Date.now();
  return sequence(time(now + from), time(now + to));
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

const BASIC_CONSTRAINTS = '2.5.29.19';
const KEY_USAGE = '2.5.29.15';

/** Which key is certified and which key signed, as strict verifiers want to know it. */
function identifiers(issuer: Issuer, publicKey: KeyObject): Buffer[] {
  return [extension('2.5.29.14', octets(digestOf(publicKey))), issuerIdentifier(issuer)];
}

function issuerIdentifier({ pair }: Issuer): Buffer {
  return extension('2.5.29.35', sequence(element(0x80, digestOf(pair.publicKey))));
}

function digestOf(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function authorityExtensions(): Buffer[] {
  return [
    extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
    extension(KEY_USAGE, bits(Buffer.from([0b0000_0110]), 1), true),
  ];
}

function leafExtensions({ names = [], client = false }: CertificateWish): Buffer[] {
  const purpose = client ? '1.3.6.1.5.5.7.3.2' : '1.3.6.1.5.5.7.3.1';
  return [
    extension(BASIC_CONSTRAINTS, sequence(), true),
    extension(KEY_USAGE, bits(Buffer.from([0b1010_0000]), 5), true),
    extension('2.5.29.37', sequence(oid(purpose))),
    ...(names.length === 0 ? [] : [extension('2.5.29.17', sequence(...names.map(alternativeName)))]),
  ];
}

function alternativeName(name: string): Buffer {
  const version = isIP(name);
  if (version === 0) return element(0x82, Buffer.from(name));
  return element(0x87, version === 4 ? Buffer.from(name.split('.').map(Number)) : addressBytes(name));
}

/** The bytes of an IPv6 address. */
function addressBytes(address: string): Buffer {
  const groups = (part: string): string[] => part.split(':').filter((group) => group !== '');
  const [head = '', tail = ''] = address.split('::');
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0');
  const all = [...groups(head), ...(address.includes('::') ? zeros : []), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
