import { defineService } from '../../heap/definition.ts';
import { clientTlsConfig, createClientTls } from './client-tls-fields.ts';
import { verifierRemarks } from './tls-fields.ts';

/** The earlier name of ClientTlsOptions. */
export const tlsOptions = defineService({
  type: 'TlsOptions',
  kind: 'tlsOptions',
  summary: 'Former name of ClientTlsOptions; use that name instead.',
  config: clientTlsConfig,
  examples: [{ title: 'CA certificates of the platform', config: {} }],
  remarks: ({ hostnameVerifier }) => [
    { at: [], code: 'deprecated-field', message: "TlsOptions is deprecated: use 'ClientTlsOptions'" },
    ...verifierRemarks(hostnameVerifier),
  ],
  create: createClientTls,
});
