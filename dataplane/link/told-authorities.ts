import { X509Certificate } from 'node:crypto';

/** Most characters of what a controller tells: room for dozens of certificates. */
const LONGEST = 256 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the authorities that a controller told of. Each must be a certificate, since something else would make every
 * later connection fail.
 * @returns them in PEM and nothing else of what was told
 * @throws Error that says what is wrong
 */
export function toldAuthorities(text: string): string {
  if (text.length > LONGEST) throw new Error('they are too long');
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error('they contain no certificate');
  if (!found.every(isCertificate)) throw new Error('one is not a certificate');
  return found.map((pem) => `${pem}\n`).join('');
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
