import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { errorText } from '../../../platform/error-text.ts';
import type { TlsKey } from '../../heap/objects/secrets.ts';
import { certificateChain } from '../../secrets/certificate-chain.ts';
import { refuseCostlyKey } from '../../secrets/keystore/costly-key.ts';
import { type PemBlock, pemBlocks } from '../../secrets/pem-blocks.ts';
import { certifiedNames, isFor } from '../host-name.ts';

/** A certificate for hosts, with its private key. */
export interface HostCertificate {
  readonly keys: readonly [TlsKey];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Whether it is for a host, or for all hosts that a wildcard stands for. */
  covers(host: string): boolean;
}

/** Chains are sent in every handshake, and a tenant chooses what others have to carry. */
const MOST_CHAIN = 64 * 1024;
/** Every handshake signs with the key while other connections wait: RSA with 8192 bits takes ten times as long. */
const MOST_RSA_BITS = 4096;
/** OpenSSL takes no shorter ones. */
const LEAST_RSA_BITS = 2048;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/**
 * Reads a certificate with its chain and its private key in PEM, as a Secret of the type kubernetes.io/tls has them.
 * @throws an error that says what is wrong, with no part of the key
 */
export function readHostCertificate(chain: string, privateKey: string): HostCertificate {
  if (chain.length > MOST_CHAIN) throw new Error(`the certificate chain is longer than ${MOST_CHAIN} bytes`);
  const key = keyOf(privateKey);
  const certificates = blocksOf(chain, 'the certificate').map(certificateOf);
  if (certificates.length === 0) throw new Error('there is no certificate in PEM');
  const own = certificates.find((one) => one.checkPrivateKey(key));
  if (own === undefined) throw new Error('the private key does not belong to the certificate');
  const keys = [{ privateKey: key, certificates: certificateChain(key, certificates) }] as const;
  const { hosts } = certifiedNames(own);
  const names = { commonName: null, hosts, addresses: [] };
  const wildcards = new Set(hosts.map((host) => host.toLowerCase()));
  return {
    keys,
    notBefore: own.validFromDate.getTime(),
    notAfter: own.validToDate.getTime(),
    covers: (host) => (host.startsWith('*.') ? wildcards.has(host) : isFor(names, host)),
  };
}

function keyOf(text: string): KeyObject {
  const blocks = blocksOf(text, 'the private key').filter(({ label }) => label !== 'EC PARAMETERS');
  const [block] = blocks;
  if (block === undefined || !block.label.endsWith('PRIVATE KEY')) throw new Error('there is no private key in PEM');
  if (blocks.length > 1) throw new Error('there is more than one private key');
  if (block.label.startsWith('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(block.text)) {
    throw new Error('the private key is encrypted');
  }
  if (block.label === 'PRIVATE KEY') refuseCostly(block);
  const key = readable('the private key', () => createPrivateKey(block.text));
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
  if (type === 'rsa' || type === 'rsa-pss') {
    if (modulusLength > MOST_RSA_BITS) throw new Error(`the RSA key has more than ${MOST_RSA_BITS} bits`);
    if (modulusLength < LEAST_RSA_BITS) throw new Error(`the RSA key has fewer than ${LEAST_RSA_BITS} bits`);
  } else if (type === 'ec') {
    if (!CURVES.includes(namedCurve)) throw new Error('the curve of the key is none of P-256, P-384 and P-521');
  } else if (type !== 'ed25519') throw new Error(`the private key is of the type ${type}, not RSA, EC or Ed25519`);
  return key;
}

function refuseCostly({ der }: PemBlock): void {
  try {
    refuseCostlyKey(der);
  } catch (error) {
    throw new Error(`the private key cannot be used: ${errorText(error)}`);
  }
}

function blocksOf(text: string, what: string): readonly PemBlock[] {
  try {
    return pemBlocks(text);
  } catch (error) {
    throw new Error(`${what}: ${errorText(error)}`);
  }
}

function certificateOf({ label, der, name }: PemBlock): X509Certificate {
  if (label.endsWith('PRIVATE KEY')) throw new Error(`${name} of the certificate chain is a private key`);
  if (label !== 'CERTIFICATE' && label !== 'X509 CERTIFICATE') throw new Error(`${name} is not a certificate`);
  return readable(name, () => {
    const certificate = new X509Certificate(der);
    if (certificate.publicKey.type !== 'public') throw new Error('a certificate has a public key');
    return certificate;
  });
}

/** Messages of the library may say something of what it read. */
function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${what} cannot be read`);
  }
}
