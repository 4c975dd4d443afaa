import { X509Certificate } from 'node:crypto';
import type { FunctionRows, Shape } from '../language.ts';
import type { Value } from '../value.ts';
import { decodedBase64 } from './encoding-functions.ts';

/** Functions that read certificates; what is not one gives null. */
export const certificateFunctions: FunctionRows = [
  ['derCertificate', { takes: 'one', first: 'content', call: derCertificate }],
  ['pemCertificate', { takes: 'one', first: 'text', call: pemCertificate }],
];

/** A certificate as expressions see it, under the names that Java gives its parts. */
export const certificateShape: Shape<X509Certificate> = {
  name: 'X509Certificate',
  properties: {
    subjectDN: { get: (certificate) => nameOf(certificate.subject) },
    issuerDN: { get: (certificate) => nameOf(certificate.issuer) },
    subjectX500Principal: { get: (certificate) => principalOf(certificate.subject) },
    issuerX500Principal: { get: (certificate) => principalOf(certificate.issuer) },
    subjectAlternativeNames: { get: (certificate) => certificate.subjectAltName?.split(', ') ?? null },
    serialNumber: { get: (certificate) => BigInt(`0x${certificate.serialNumber}`).toString() },
    notBefore: { get: (certificate) => certificate.validFromDate.toISOString() },
    notAfter: { get: (certificate) => certificate.validToDate.toISOString() },
    encoded: { get: (certificate) => new Uint8Array(certificate.raw) },
  },
  text: (certificate) => certificate.toString(),
};

function pemCertificate(text: Value): Value {
  return typeof text === 'string' && text.includes('-----BEGIN') ? readCertificate(text) : null;
}

/** The bytes themselves, or base64 of them. */
function derCertificate(value: Value): Value {
  const bytes = value instanceof Uint8Array ? value : decodedBase64(value);
  return bytes === null ? null : readCertificate(bytes);
}

function readCertificate(content: string | Uint8Array): Value {
  try {
    return new X509Certificate(content);
  } catch {
    return null;
  }
}

/** The most specific part comes first, as RFC 2253 writes names. */
function nameOf(lines: string): string {
  return lines.split('\n').reverse().join(', ');
}

function principalOf(lines: string): Value {
  return { name: lines.split('\n').reverse().join(',') };
}
