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
  trustManager: deprecated(oneOrMore('trustManager'), INSTEAD).describe('Trust of peer certificates.'),
};

export const tlsReference = ref('tlsOptions').optional();

/** Fields of a handler about TLS. */
export const tlsFields = {
  tls: tlsReference.describe(
    'Options for `https` backends; by default the authorities of the platform and strict names. It wins over the ' +
      'deprecated fields but for `hostnameVerifier`.',
  ),
  hostnameVerifier: deprecated(hostnameVerifier, "'hostnameVerifier' of a ClientTlsOptions").describe(
    'Check of the name in the certificate of a backend; it wins over that of `tls`.',
  ),
  ...deprecatedTlsFields,
};
