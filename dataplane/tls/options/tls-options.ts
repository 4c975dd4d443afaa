import { defineService } from '../../heap/definition.ts';
import { clientTlsConfig, createClientTls } from './client-tls-fields.ts';
import { verifierRemarks } from './tls-fields.ts';

/** The earlier name of ClientTlsOptions. */
export const tlsOptions = defineService({
  type: 'TlsOptions',
  kind: 'tlsOptions',
  summary: 'The earlier name of ClientTlsOptions, which is to be used instead: it is the same with another name.',
  config: clientTlsConfig,
  examples: [{ title: 'The authorities of the platform', config: {} }],
  remarks: ({ hostnameVerifier }) => [
    { at: [], code: 'deprecated-field', message: "TlsOptions is deprecated: use 'ClientTlsOptions'" },
    ...verifierRemarks(hostnameVerifier),
  ],
  create: createClientTls,
});
