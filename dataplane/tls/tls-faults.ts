import type { X509Certificate } from 'node:crypto';
import type { HandshakeFault } from '../engine/wire/secure-transport.ts';
import type { CertifiedNames } from './host-name.ts';

/** Certificates may name hundreds of hosts; a log line need not. */
const MOST_NAMES = 5;

const UNKNOWN_ISSUER = 'its issuer is not trusted';
const UNKNOWN_REVOCATION = 'its revocation status is unknown: there is no CRL of its issuer';

/** What OpenSSL holds against a certificate, in words for a log. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_REVOKED: 'it is revoked',
  UNABLE_TO_GET_CRL: UNKNOWN_REVOCATION,
  CRL_HAS_EXPIRED: 'its revocation status is unknown: the CRL of its issuer has expired',
  CRL_NOT_YET_VALID: 'its revocation status is unknown: the CRL of its issuer is not valid yet',
  INVALID_PURPOSE: 'it is for another purpose',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
};

/** Why a certificate is refused. */
export function certificateFault(code: string, certificate: X509Certificate | null): string {
  const reason = CERTIFICATE_FAULTS[code] ?? `OpenSSL says ${code}`;
  if (certificate === null) return `the certificate is rejected: ${reason}`;
  const { validFrom, validTo, issuer } = certificate;
  const detail =
    reason === UNKNOWN_ISSUER || reason === UNKNOWN_REVOCATION
      ? ` (issuer ${oneLine(issuer)})`
      : code === 'CERT_HAS_EXPIRED'
        ? ` (${validTo})`
        : code === 'CERT_NOT_YET_VALID'
          ? ` (${validFrom})`
          : '';
  return `the certificate is rejected: ${reason}${detail}`;
}

/** Why a certificate is not one for a host. */
export function nameFault(host: string, { commonName, hosts, addresses }: CertifiedNames): string {
  const names = [...new Set([...(commonName === null ? [] : [commonName]), ...hosts, ...addresses])].map(oneLine);
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  const said = names.length === 0 ? 'nobody' : names.slice(0, MOST_NAMES).join(', ') + more;
  return `the certificate is not valid for '${host}': it is for ${said}`;
}

/** What others wrote, in a form that cannot break a line or fill it. */
function oneLine(text: string): string {
  const printable = text.replaceAll(/\n/g, ', ').replaceAll(/[^ -~]/g, '?');
  return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable;
}

/** What the library says of a handshake, without what it says of itself. */
function saidOf(error: Error & { readonly reason?: unknown; readonly code?: unknown }): string {
  if (typeof error.reason === 'string') return error.reason;
  return typeof error.code === 'string' ? error.code : 'unknown error';
}

const SERVER_REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /wrong version number|packet length too long|bad record type|http request/,
    'the backend does not speak TLS on this port',
  ],
  [/alert protocol version|unsupported protocol/, 'the gateway and the backend have no TLS version in common'],
  [
    /alert handshake failure|no cipher|no shared cipher/,
    'the gateway and the backend have no cipher suite in common, or the backend requires a certificate',
  ],
  [
    /alert certificate required/,
    "the backend requires a certificate, but the TLS options of the handler have no 'keyManager' that provides one",
  ],
  [
    /alert (?:bad certificate|unknown ca|certificate|unsupported certificate)/,
    'the backend rejected the certificate of the gateway',
  ],
  [/no application protocol/, 'the gateway and the backend have no application protocol in common'],
];

/** Why a handshake with a backend failed. */
export function backendFault(error: Error): string {
  return `the handshake failed: ${reasonOf(saidOf(error))}`;
}

/** Why a backend gave up after the handshake, as it does in TLS 1.3 for want of a certificate; null if it said nothing. */
export function alertOf(error: Error): string | null {
  const said = saidOf(error);
  return said.includes('alert') ? `the backend aborted TLS: ${reasonOf(said)}` : null;
}

function reasonOf(said: string): string {
  const known = SERVER_REASONS.find(([pattern]) => pattern.test(said));
  return known === undefined ? said : `${known[1]} (${said})`;
}

const CLIENT_FAULTS: readonly (readonly [RegExp, HandshakeFault])[] = [
  [/http request|https proxy request/, 'plain-http'],
  [/did not return a certificate/, 'certificate-missing'],
  [/no application protocol/, 'alpn'],
  [/alert/, 'alert'],
  [/no shared cipher|no suitable (?:signature algorithm|key share|groups)|no cipher/, 'cipher'],
  [/unsupported protocol|version too low|unknown protocol/, 'protocol'],
];

/** Why a handshake with a client failed: the word that it is counted under, and what the library said. */
export function clientFault(error: Error): { readonly fault: HandshakeFault; readonly detail: string } {
  const detail = saidOf(error);
  return { fault: CLIENT_FAULTS.find(([pattern]) => pattern.test(detail))?.[1] ?? 'malformed', detail };
}
