import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';
import { watchDirectory } from '../../platform/watched-directory.ts';
import type { KeyManager, TlsKey } from '../heap/objects/secrets.ts';
import { pemSecrets } from '../secrets/pem-secrets.ts';

/** A certificate with its chain, and its key, in a PEM file each. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

/** How often files are read again although nothing was heard of them, in milliseconds. */
const POLL = 60_000;
/** How long a change may take to be whole: one of two files is always the first. */
const SETTLING = 100;
/** How often files are read until they are the same twice. */
const MOST_READINGS = 5;

/** The key of a pair of files as they are now. @throws an error that names the files, with no part of the key. */
export async function readCertificateFiles(files: CertificateFiles): Promise<TlsKey> {
  const { certificate, key } = await settledTexts(files);
  if (!key.includes('PRIVATE KEY-----')) throw new Error(`${files.key} contains no PEM private key`);
  if (!certificate.includes('CERTIFICATE-----')) throw new Error(`${files.certificate} contains no PEM certificate`);
  if (certificate.includes('PRIVATE KEY-----'))
    throw new Error(`${files.certificate} holds a private key: that of the certificate is in ${files.key}`);
  if (isEncrypted(key)) throw new Error(`${files.key} is encrypted, and nothing says with which passphrase`);
  try {
    const [own] = await pemSecrets('certificate files', `${key}\n${certificate}`, null);
    return { privateKey: own!.key, certificates: own!.certificates };
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`${files.certificate} with ${files.key} cannot be used: ${reason}`);
  }
}

/** Gives what the files hold, and tells when they change, also where Kubernetes puts a new version of both in place. */
export function certificateFileKeys(files: CertificateFiles, log: Logger): KeyManager {
  return {
    keys: async () => [await readCertificateFiles(files)],
    watch: (listener) => watchFiles(files, listener, log),
  };
}

function watchFiles({ certificate, key }: CertificateFiles, listener: () => void, log: Logger): () => void {
  let settling: NodeJS.Timeout | null = null;
  const heard = (): void => {
    settling ??= setTimeout(() => {
      settling = null;
      listener();
    }, SETTLING).unref();
  };
  const failed = (error: unknown): void =>
    log.warn({ err: error }, `cannot watch the certificate directory; certificates are checked every ${POLL / 1000} s`);
  const directories = new Set([certificate, key].map((path) => dirname(resolve(path))));
  const watches = [...directories].map((directory) => watchDirectory(directory, heard, failed));
  const poll = setInterval(listener, POLL).unref();
  return () => {
    for (const end of watches) end();
    clearInterval(poll);
    if (settling !== null) clearTimeout(settling);
  };
}

/** Both files as they were at one time: new ones may be put in place between the one and the other. */
async function settledTexts(files: CertificateFiles): Promise<CertificateFiles> {
  let before = await texts(files);
  for (let reading = 1; reading < MOST_READINGS; reading++) {
    const now = await texts(files);
    if (now.certificate === before.certificate && now.key === before.key) return now;
    before = now;
  }
  return before;
}

async function texts({ certificate, key }: CertificateFiles): Promise<CertificateFiles> {
  return { certificate: await text(certificate), key: await text(key) };
}

async function text(path: string): Promise<string> {
  return readFile(path, 'latin1').catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${errorCode(error) ?? String(error)}`);
  });
}

function isEncrypted(key: string): boolean {
  return /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type:.*ENCRYPTED/m.test(key);
}
