import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Certificates that an operator gives, in place of self-made ones. */
export interface GivenCertificates {
  readonly certificate: string;
  readonly key: string;
  /** The authority of the certificates of the other controllers. */
  readonly authority: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads certificates that an operator gives. @throws Error when a file cannot be read or has no certificate in it */
export function givenCertificates(certificate: string, key: string, authority: string): GivenCertificates {
  const read = (path: string): string => readFileSync(path, 'utf8');
  return { certificate: read(certificate), key: read(key), authority: certificatesOf(read(authority), authority) };
}

/** Nothing but the certificates: planes, Pods and the API server are told of the authority, and a key may lie beside it. */
function certificatesOf(text: string, path: string): string {
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error(`${path} contains no PEM certificate`);
  for (const [at, pem] of found.entries()) {
    try {
      new X509Certificate(pem);
    } catch {
      throw new Error(`certificate ${at + 1} of ${path} is damaged`);
    }
  }
  return found.map((pem) => `${pem}\n`).join('');
}
