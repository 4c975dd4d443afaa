import { X509Certificate } from 'node:crypto';
import type { Value } from '../../contract/expression/value.ts';

/** The first certificate of a text in PEM; headers have spaces or tabs where there were line breaks. */
const PEM = /^-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/;
/** PEM in which a proxy has escaped what cannot stand in a header. */
const ESCAPED_PEM = /^-----BEGIN(?:%20| )CERTIFICATE-----/;
/** Base64, perhaps between the colons of RFC 8941, as the header `Client-Cert` of RFC 9440 has it. */
const BASE64 = /^(?::([A-Za-z0-9+/]+={0,2}):|([A-Za-z0-9+/]+={0,2}))$/;

/** The certificate that a value is: itself, its bytes in DER, PEM that may be percent-encoded, or base64; else null. */
export function shownCertificate(value: Value): X509Certificate | null {
  if (value instanceof X509Certificate) return value;
  if (value instanceof Uint8Array) return certificateOf(value);
  return typeof value === 'string' ? certificateOf(bytesOf(value.trim())) : null;
}

function bytesOf(text: string): Buffer | null {
  const pem = PEM.exec(ESCAPED_PEM.test(text) ? unescaped(text) : text);
  if (pem !== null) return Buffer.from(pem[1]!, 'base64');
  const [, between, plain] = BASE64.exec(text) ?? [];
  const base64 = between ?? plain;
  return base64 === undefined ? null : Buffer.from(base64, 'base64');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function certificateOf(der: Uint8Array | null): X509Certificate | null {
  if (der === null) return null;
  try {
    const certificate = new X509Certificate(der);
    return certificate.raw.equals(der) ? certificate : null; // nothing may follow it
  } catch {
    return null;
  }
}
