import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Secret } from '../../contract/secret.ts';
import { errorText } from '../../platform/error-text.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { certificateChain } from './certificate-chain.ts';
import { usagesOf } from './key-usages.ts';
import { refuseCostlyEncryption, refuseCostlyKey } from './keystore/costly-key.ts';
import { type PemBlock, pemBlocks } from './pem-blocks.ts';

/** Gives what encrypted keys are decrypted with. */
type Passphrase = () => Promise<Secret>;

/** What a PEM text holds, in the order written. */
interface PemContent {
  readonly privateKeys: readonly KeyObject[];
  readonly publicKeys: readonly KeyObject[];
  readonly certificates: readonly X509Certificate[];
  readonly revocations: readonly string[];
}

/**
 * The keys of a PEM text. A private key gets the chain of its certificate and stands before its public half; without
 * one, every certificate and every public key is a key of its own. Lists of revoked certificates go with each of them.
 * @throws an error that says what is wrong, with no part of the text.
 */
export async function pemSecrets(
  id: string,
  text: string,
  passphrase: Passphrase | null,
): Promise<readonly CryptoKey[]> {
  const content = await contentOf(pemBlocks(text), passphrase);
  const { privateKeys, publicKeys, certificates, revocations } = content;
  const cryptoKey = (stableId: string, key: KeyObject, chain: readonly X509Certificate[]): CryptoKey => {
    return { kind: 'key', stableId, key, certificates: chain, usages: usagesOf(key), algorithm: null, revocations };
  };
  if (privateKeys.length > 1) throw new Error('it holds more than one private key');
  const [privateKey] = privateKeys;
  if (privateKey !== undefined) {
    const publicKey = createPublicKey(privateKey);
    if (!publicKeys.every((one) => one.equals(publicKey))) {
      throw new Error('it holds a public key that does not belong to its private key');
    }
    const chain = certificateChain(privateKey, certificates);
    return [cryptoKey(id, privateKey, chain), cryptoKey(id, publicKey, chain)];
  }
  const bare = publicKeys.map((key) => ({ key, chain: [], print: fingerprint(key) }));
  const certified = certificates.map((one) => ({ key: one.publicKey, chain: [one], print: plainPrint(one) }));
  const all = [...certified, ...bare];
  if (all.length === 0) throw new Error('it holds neither a key nor a certificate in PEM');
  return all.map(({ key, chain, print }, index) => cryptoKey(index === 0 ? id : print, key, chain));
}

async function contentOf(blocks: readonly PemBlock[], passphrase: Passphrase | null): Promise<PemContent> {
  const privateKeys: KeyObject[] = [];
  const publicKeys: KeyObject[] = [];
  const certificates: X509Certificate[] = [];
  const revocations: string[] = [];
  for (const block of blocks) {
    switch (block.label) {
      case 'PRIVATE KEY':
      case 'RSA PRIVATE KEY':
      case 'EC PRIVATE KEY':
      case 'DSA PRIVATE KEY':
      case 'ENCRYPTED PRIVATE KEY':
        privateKeys.push(await privateKeyOf(block, passphrase));
        break;
      case 'PUBLIC KEY':
      case 'RSA PUBLIC KEY':
        publicKeys.push(readable(block, () => createPublicKey(block.text)));
        break;
      case 'CERTIFICATE':
      case 'X509 CERTIFICATE':
        certificates.push(readable(block, () => certificateOf(block.der)));
        break;
      case 'X509 CRL':
        readable(block, () => createSecureContext({ crl: block.text }));
        revocations.push(block.text);
        break;
      case 'EC PARAMETERS': // the key says its curve itself
        break;
      default:
        throw new Error(`${block.name} is neither a key nor a certificate nor a list of revoked certificates`);
    }
  }
  return { privateKeys, publicKeys, certificates, revocations };
}

async function privateKeyOf(block: PemBlock, passphrase: Passphrase | null): Promise<KeyObject> {
  const isEncrypted = block.label.startsWith('ENCRYPTED') || /^Proc-Type:.*ENCRYPTED/m.test(block.text);
  refuseCostly(block, isEncrypted);
  if (!isEncrypted) return readable(block, () => createPrivateKey(block.text));
  if (passphrase === null) throw new Error(`${block.name} is encrypted, and there is no 'decryptionSecretId'`);
  const secret = await passphrase();
  try {
    return createPrivateKey({ key: block.text, passphrase: Buffer.from(secret.reveal()) });
  } catch {
    throw new Error(`${block.name} cannot be decrypted with the secret of 'decryptionSecretId'`);
  }
}

/** Other labels are of forms that hold all of their numbers. */
function refuseCostly({ label, der, name }: PemBlock, isEncrypted: boolean): void {
  try {
    if (label === 'ENCRYPTED PRIVATE KEY') refuseCostlyEncryption(der);
    else if (!isEncrypted && label === 'PRIVATE KEY') refuseCostlyKey(der);
  } catch (error) {
    throw new Error(`${name} cannot be used: ${errorText(error)}`);
  }
}

/** With its public key, so that one of an unknown algorithm fails here. */
function certificateOf(der: Buffer): X509Certificate {
  const certificate = new X509Certificate(der);
  if (certificate.publicKey.type !== 'public') throw new Error('a certificate has a public key');
  return certificate;
}

/** Messages of the library that reads may say something of what it read. */
function readable<T>(block: PemBlock, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${block.name} is damaged or of an unknown algorithm`);
  }
}

function fingerprint(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

function plainPrint({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(':', '').toLowerCase();
}
