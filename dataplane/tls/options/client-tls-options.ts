import { defineService } from '../../heap/definition.ts';
import { clientTlsConfig, createClientTls } from './client-tls-fields.ts';
import { verifierRemarks } from './tls-fields.ts';

/** TLS to backends. */
export const clientTlsOptions = defineService({
  type: 'ClientTlsOptions',
  kind: 'tlsOptions',
  summary:
    'How a handler speaks TLS with its backends: what they are shown, whom they have to be issued by, and how it is ' +
    'spoken. Keys and certificates that change are used for new connections without a restart. Sessions are resumed.',
  config: clientTlsConfig,
  examples: [
    { title: 'The authorities of the platform', config: {} },
    {
      title: 'TLS 1.3 with backends of an own authority, and a client certificate',
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
