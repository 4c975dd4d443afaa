import { deprecated } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { hostnameVerifier, oneOrMore, protocolFields } from '../tls/options/tls-fields.ts';

const INSTEAD = "'tls' with a ClientTlsOptions";

/** Deprecated fields about TLS, which handlers and their WebSockets both know. */
export const deprecatedTlsFields = {
  keyManager: deprecated(oneOrMore('keyManager'), INSTEAD).describe('Client key and certificate.'),
  sslCipherSuites: deprecated(protocolFields.sslCipherSuites, INSTEAD).describe('Allowed cipher suites.'),
  sslContextAlgorithm: deprecated(protocolFields.sslContextAlgorithm, INSTEAD).describe(
    'Name of the SSLContext algorithm.',
  ),
  sslEnabledProtocols: deprecated(protocolFields.sslEnabledProtocols, INSTEAD).describe('Allowed TLS protocols.'),
  trustManager: deprecated(oneOrMore('trustManager'), INSTEAD).describe('CA certificates for backends.'),
};

export const tlsReference = ref('tlsOptions').optional();

/** Fields of a handler about TLS. */
export const tlsFields = {
  tls: tlsReference.describe(
    'TLS options for `https` backends; by default the CA certificates of the platform and strict host names. ' +
      'Overrides the deprecated fields except `hostnameVerifier`.',
  ),
  hostnameVerifier: deprecated(hostnameVerifier, "'hostnameVerifier' of a ClientTlsOptions").describe(
    'Host name verification of backend certificates; overrides that of `tls`.',
  ),
  ...deprecatedTlsFields,
};
