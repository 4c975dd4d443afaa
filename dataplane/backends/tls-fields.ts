import { unavailable } from '../../contract/vocabulary/field-notes.ts';

/** Deprecated fields about TLS, which handlers and their WebSockets both know. */
export const deprecatedTlsFields = {
  keyManager: unavailable('KeyManager reference(s)').describe('Client key and certificate.'),
  sslCipherSuites: unavailable('array of strings').describe('Allowed cipher suites.'),
  sslContextAlgorithm: unavailable('string').describe('Name of the SSLContext algorithm.'),
  sslEnabledProtocols: unavailable('array of strings').describe('Allowed TLS protocols.'),
  trustManager: unavailable('TrustManager reference(s)').describe('Trust of peer certificates.'),
};

/** Fields of a handler about TLS. */
export const tlsFields = {
  tls: unavailable('ClientTlsOptions reference').describe('Options for TLS connections.'),
  hostnameVerifier: unavailable('enumeration').describe('Check of the name in the certificate of a backend.'),
  ...deprecatedTlsFields,
};
