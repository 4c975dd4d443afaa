import { getCiphers } from 'node:tls';

/** The suites of TLS 1.3, which have the same name everywhere. */
const SUITES_13 = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
];

/** Suites of TLS 1.2: how Java names them after `TLS_`, and how OpenSSL does. */
const SUITES_12: Readonly<Record<string, string>> = {
  ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  DHE_RSA_WITH_AES_256_GCM_SHA384: 'DHE-RSA-AES256-GCM-SHA384',
  DHE_RSA_WITH_AES_128_GCM_SHA256: 'DHE-RSA-AES128-GCM-SHA256',
  DHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'DHE-RSA-CHACHA20-POLY1305',
  ECDHE_ECDSA_WITH_AES_256_CBC_SHA384: 'ECDHE-ECDSA-AES256-SHA384',
  ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: 'ECDHE-ECDSA-AES128-SHA256',
  ECDHE_RSA_WITH_AES_256_CBC_SHA384: 'ECDHE-RSA-AES256-SHA384',
  ECDHE_RSA_WITH_AES_128_CBC_SHA256: 'ECDHE-RSA-AES128-SHA256',
  DHE_RSA_WITH_AES_256_CBC_SHA256: 'DHE-RSA-AES256-SHA256',
  DHE_RSA_WITH_AES_128_CBC_SHA256: 'DHE-RSA-AES128-SHA256',
  ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  DHE_RSA_WITH_AES_256_CBC_SHA: 'DHE-RSA-AES256-SHA',
  DHE_RSA_WITH_AES_128_CBC_SHA: 'DHE-RSA-AES128-SHA',
  RSA_WITH_AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  RSA_WITH_AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  RSA_WITH_AES_256_CBC_SHA256: 'AES256-SHA256',
  RSA_WITH_AES_128_CBC_SHA256: 'AES128-SHA256',
  RSA_WITH_AES_256_CBC_SHA: 'AES256-SHA',
  RSA_WITH_AES_128_CBC_SHA: 'AES128-SHA',
};

/** Not a suite: it says that renegotiation is safe, which is always said. */
const SIGNAL = 'TLS_EMPTY_RENEGOTIATION_INFO_SCSV';
/** Suites that Java knows and OpenSSL does not have any more, or not without being told to forget about security. */
const GONE = /_(?:anon|NULL|EXPORT|DES|3DES|RC4|KRB5|DSS)_|_(?:DH|ECDH)_(?:RSA|ECDSA|anon)_|^SSL_/;

/** One suite, as OpenSSL names it, and the version that it is for. */
export interface CipherSuite {
  readonly name: string;
  readonly protocol: 'TLSv1.2' | 'TLSv1.3';
}

/** The suite that Java knows by this name; null for the signal that is no suite, undefined for what does not exist. */
export function cipherSuite(name: string): CipherSuite | null | undefined {
  if (name === SIGNAL) return null;
  if (SUITES_13.includes(name)) return { name, protocol: 'TLSv1.3' };
  const openssl = name.startsWith('TLS_') ? SUITES_12[name.slice('TLS_'.length)] : undefined;
  if (openssl === undefined || !getCiphers().includes(openssl.toLowerCase())) return undefined;
  return { name: openssl, protocol: 'TLSv1.2' };
}

/** Whether a name is that of a suite which is no longer offered, because it protects nothing. */
export function isGone(name: string): boolean {
  return GONE.test(name);
}

/** Names of supported cipher suites. */
export function cipherSuiteNames(): string[] {
  return [...SUITES_13, ...Object.keys(SUITES_12).map((name) => `TLS_${name}`)];
}

/** Java's name of a suite that was written as OpenSSL writes it, or undefined. */
export function javaName(openssl: string): string | undefined {
  const found = Object.entries(SUITES_12).find(([, name]) => name === openssl.toUpperCase());
  return found === undefined ? undefined : `TLS_${found[0]}`;
}
