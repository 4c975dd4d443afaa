import { defineService } from '../../heap/definition.ts';
import { clientTlsConfig, createClientTls } from './client-tls-fields.ts';
import { verifierRemarks } from './tls-fields.ts';

/** TLS to backends. */
export const clientTlsOptions = defineService({
  type: 'ClientTlsOptions',
  kind: 'tlsOptions',
  summary:
    'TLS options of a handler for its backends: client certificate, CA certificates, versions and cipher suites. ' +
    'Changed keys and certificates are used for new connections without a restart. TLS sessions are resumed.',
  config: clientTlsConfig,
  examples: [
    { title: 'CA certificates of the platform', config: {} },
    {
      title: 'TLS 1.3 with a private CA and a client certificate',
      config: {
        keyManager: {
          type: 'SecretsKeyManager',
          config: {
            signingSecretId: 'gateway.tls',
            secretsProvider: {
              type: 'FileSystemSecretStore',
              config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
            },
          },
        },
        trustManager: {
          type: 'SecretsTrustManager',
          config: {
            verificationSecretId: 'backend.authorities',
            secretsProvider: {
              type: 'FileSystemSecretStore',
              config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
            },
          },
        },
        sslEnabledProtocols: ['TLSv1.3'],
      },
    },
  ],
  remarks: ({ hostnameVerifier }) => verifierRemarks(hostnameVerifier),
  create: createClientTls,
});
