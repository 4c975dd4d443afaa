import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import {
  bits,
  commonName,
  element,
  integer,
  isTrue,
  moment,
  objectIdentifier,
  octets,
  pemBlock,
  sequence,
} from './der.ts';

/** A private key with its certificate, as PEM texts. The key is secret: never logged, never shown. */
export interface CertifiedKey {
  readonly certificate: string;
  readonly key: string;
}

/** An authority that signs. */
export interface Signer extends CertifiedKey {
  /** Its common name. */
  readonly name: string;
}

/** When a certificate is valid, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

const ECDSA_WITH_SHA256 = sequenceOf('1.2.840.10045.4.3.2');

/** A new authority, certified by itself, that may certify servers and the authority that comes after it. */
export function issueAuthority(name: string, validity: Validity): Signer {
  const { publicKey, privateKey } = newKeys();
  const certificate = certify({ name, key: privateKey }, name, publicKey, validity, authorityExtensions(1));
  return { name, certificate, key: pemOf(privateKey) };
}

/** A certificate by which whoever trusts one authority trusts what another one has certified. */
export function vouchFor(other: Signer, by: Signer, validity: Validity): string {
  const publicKey = createPublicKey(other.certificate);
  const signer = { name: by.name, key: createPrivateKey(by.key) };
  return certify(signer, other.name, publicKey, validity, authorityExtensions(0));
}

/** A certificate for a server, with a new key. @param names host names and addresses, at least one */
export function issueServing(signer: Signer, names: readonly string[], validity: Validity): CertifiedKey {
  const [first] = names;
  if (first === undefined) throw new Error('a server certificate needs a name');
  const { publicKey, privateKey } = newKeys();
  const extensions = [
    extension('2.5.29.19', sequence(), true),
    extension('2.5.29.15', bits(Buffer.from([0b1000_0000]), 7), true),
    extension('2.5.29.37', sequenceOf('1.3.6.1.5.5.7.3.1')),
    extension('2.5.29.17', sequence(...names.map(alternativeName))),
  ];
  const by = { name: signer.name, key: createPrivateKey(signer.key) };
  // Common names have a limit that host names have not; what counts are the alternative names.
  const certificate = certify(by, first.slice(0, 64), publicKey, validity, extensions);
  return { certificate, key: pemOf(privateKey) };
}

function certify(
  by: { readonly name: string; readonly key: KeyObject },
  name: string,
  publicKey: KeyObject,
  { from, to }: Validity,
  extensions: readonly Buffer[],
): string {
  const serial = randomBytes(16);
  serial.writeUInt8(serial.readUInt8(0) & 0x7f, 0);
  const content = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    commonName(by.name),
    sequence(moment(from), moment(to)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(
      0xa3,
      sequence(
        ...extensions,
        extension('2.5.29.14', octets(keyIdentifier(publicKey))),
        extension('2.5.29.35', sequence(element(0x80, keyIdentifier(createPublicKey(by.key))))),
      ),
    ),
  );
  return pemBlock('CERTIFICATE', sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, by.key))));
}

/** @param below how many authorities may stand between it and a server */
function authorityExtensions(below: number): Buffer[] {
  return [
    extension('2.5.29.19', sequence(isTrue(), integer(Buffer.from([below]))), true),
    extension('2.5.29.15', bits(Buffer.from([0b0000_0110]), 1), true),
  ];
}

function newKeys(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Tells authorities of one name apart (RFC 7093, the first of its ways). */
function keyIdentifier(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(spki).digest().subarray(0, 20);
}

function sequenceOf(identifier: string): Buffer {
  return sequence(objectIdentifier(identifier));
}

function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectIdentifier(identifier), ...(isCritical ? [isTrue()] : []), octets(value));
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return element(0x82, Buffer.from(name));
  return element(0x87, isIPv4(name) ? Buffer.from(name.split('.').map(Number)) : addressBytes(name));
}

/** The bytes of an IPv6 address, which URLs write in its shortest form. */
function addressBytes(address: string): Buffer {
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
