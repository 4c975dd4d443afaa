import { createCipheriv, createHmac, createPrivateKey, pbkdf2Sync, randomBytes, X509Certificate } from 'node:crypto';
import { element, explicit, integer, octets, oid, sequence, set } from './der.ts';

/** What is wanted in a PKCS #12 file. */
export interface Pkcs12Wish {
  readonly password: string;
  /** Of the keys; by default that of the store. */
  readonly entryPassword?: string;
  /** Private keys with their certificates, by alias; the texts are PEM, the chain in one text. */
  readonly keys?: Readonly<Record<string, { readonly key: string; readonly chain?: string }>>;
  /** Certificates to be trusted, by alias. */
  readonly trusted?: Readonly<Record<string, string>>;
  /** Secret keys by alias: the object identifier of the algorithm, and the bytes. */
  readonly secrets?: Readonly<Record<string, readonly [string, string | Uint8Array]>>;
  readonly iterations?: number;
}

/** Algorithms of secret keys, as Java names them in PKCS #12. */
export const SECRET_KEY = {
  AES: '2.16.840.1.101.3.4.1',
  HmacSHA256: '1.2.840.113549.2.9',
  password: '1.2.840.113549.1.5.3',
} as const;

const BAG = '1.2.840.113549.1.12.10.1';
const NULL = element(0x05);
const HMAC_SHA256 = sequence(oid('1.2.840.113549.2.9'), NULL);

/** A PKCS #12 file as Java would write it, with AES and PBMAC1, made without another program. */
export function pkcs12File(wish: Pkcs12Wish): Buffer {
  const { password, entryPassword = password, iterations = 100 } = wish;
  const bags: Buffer[] = [];
  const sealed = (plain: Buffer): Buffer => encryptedInfo(plain, entryPassword, iterations);
  for (const [alias, { key, chain = '' }] of Object.entries(wish.keys ?? {})) {
    const id = attribute('1.2.840.113549.1.9.21', octets(Buffer.from(alias)));
    const pkcs8 = createPrivateKey(key).export({ type: 'pkcs8', format: 'der' });
    bags.push(sequence(oid(`${BAG}.2`), explicit(0, sealed(pkcs8)), set(friendlyName(alias), id)));
    for (const [at, certificate] of certificatesIn(chain).entries()) {
      bags.push(certificateBag(certificate, at === 0 ? [id] : []));
    }
  }
  for (const [alias, certificate] of Object.entries(wish.trusted ?? {})) {
    const trusted = attribute('2.16.840.1.113894.746875.1.1', oid('2.5.29.37.0'));
    bags.push(certificateBag(new X509Certificate(certificate).raw, [friendlyName(alias), trusted]));
  }
  for (const [alias, [algorithm, bytes]] of Object.entries(wish.secrets ?? {})) {
    const info = sequence(integer(0), sequence(oid(algorithm)), octets(Buffer.from(bytes)));
    const secret = sequence(oid(`${BAG}.2`), explicit(0, octets(sealed(info))));
    bags.push(sequence(oid(`${BAG}.5`), explicit(0, secret), set(friendlyName(alias))));
  }
  const content = sequence(dataInfo(sequence(...bags)));
  return sequence(integer(3), dataInfo(content), pbmac1(content, password, iterations));
}

function dataInfo(content: Buffer): Buffer {
  return sequence(oid('1.2.840.113549.1.7.1'), explicit(0, octets(content)));
}

function certificateBag(raw: Buffer, attributes: readonly Buffer[]): Buffer {
  const value = sequence(oid('1.2.840.113549.1.9.22.1'), explicit(0, octets(raw)));
  return sequence(oid(`${BAG}.3`), explicit(0, value), set(...attributes));
}

function attribute(id: string, value: Buffer): Buffer {
  return sequence(oid(id), set(value));
}

function friendlyName(alias: string): Buffer {
  return attribute('1.2.840.113549.1.9.20', element(0x1e, Buffer.from(alias, 'utf16le').swap16()));
}

function certificatesIn(chain: string): Buffer[] {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).raw);
}

function derivation(salt: Buffer, iterations: number, size: number): Buffer {
  const parameters = sequence(octets(salt), integer(iterations), integer(size), HMAC_SHA256);
  return sequence(oid('1.2.840.113549.1.5.12'), parameters);
}

function encryptedInfo(plain: Buffer, password: string, iterations: number): Buffer {
  const salt = randomBytes(16);
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', pbkdf2Sync(password, salt, iterations, 32, 'sha256'), iv);
  const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
  const encryption = sequence(oid('2.16.840.1.101.3.4.1.42'), octets(iv));
  const parameters = sequence(derivation(salt, iterations, 32), encryption);
  return sequence(sequence(oid('1.2.840.113549.1.5.13'), parameters), octets(encrypted));
}

function pbmac1(content: Buffer, password: string, iterations: number): Buffer {
  const salt = randomBytes(16);
  const key = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const code = createHmac('sha256', key).update(content).digest();
  const algorithm = sequence(oid('1.2.840.113549.1.5.14'), sequence(derivation(salt, iterations, 32), HMAC_SHA256));
  return sequence(sequence(algorithm, octets(code)), octets(salt), integer(1));
}
