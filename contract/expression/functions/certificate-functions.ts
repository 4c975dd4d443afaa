import { X509Certificate } from 'node:crypto';
import type { FunctionRows, Shape } from '../language.ts';
import type { Value } from '../value.ts';
import { CertificateName, certificateNameShape } from './certificate-name.ts';
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
    subjectDN: { get: ({ subject }) => new CertificateName(subject, ', '), shape: certificateNameShape },
    issuerDN: { get: ({ issuer }) => new CertificateName(issuer, ', '), shape: certificateNameShape },
    subjectX500Principal: { get: ({ subject }) => new CertificateName(subject, ','), shape: certificateNameShape },
    issuerX500Principal: { get: ({ issuer }) => new CertificateName(issuer, ','), shape: certificateNameShape },
    subjectAlternativeNames: {
      get: (certificate) => certificate.subjectAltName?.split(', ') ?? null,
      kind: 'list',
    },
    serialNumber: { get: (certificate) => BigInt(`0x${certificate.serialNumber}`).toString(), kind: 'text' },
    notBefore: { get: (certificate) => certificate.validFromDate.toISOString(), kind: 'text' },
    notAfter: { get: (certificate) => certificate.validToDate.toISOString(), kind: 'text' },
    encoded: { get: (certificate) => new Uint8Array(certificate.raw), kind: 'bytes' },
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
