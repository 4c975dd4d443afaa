import { readFileSync } from 'node:fs';

/** Certificates that an operator gives, in place of self-made ones. */
export interface GivenCertificates {
  readonly certificate: string;
  readonly key: string;
  /** The authority of the certificates of the other controllers. */
  readonly authority: string;
}

/** Reads certificates that an operator gives. @throws Error when a file cannot be read */
export function givenCertificates(certificate: string, key: string, authority: string): GivenCertificates {
  const read = (path: string): string => readFileSync(path, 'utf8');
  return { certificate: read(certificate), key: read(key), authority: read(authority) };
}
