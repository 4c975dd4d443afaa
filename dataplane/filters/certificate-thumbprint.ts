import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeValue } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';
import { setShownThumbprint } from '../heap/objects/certificate-thumbprint.ts';
import { denials } from '../heap/objects/denials.ts';
import { shownCertificate } from './shown-certificate.ts';

/** Provides the certificate that a client sent to a proxy before the gateway. */
export const certificateThumbprintFilter = defineFilter({
  type: 'CertificateThumbprintFilter',
  summary:
    'Computes the thumbprint of the client certificate if a proxy terminates TLS before the gateway. A ' +
    'ConfirmationKeyVerifierAccessTokenResolver compares it with the certificate that an access token is bound ' +
    'to. The thumbprint is in `${contexts.certificateThumbprint.value}` and overrides the certificate of the ' +
    'connection. The gateway trusts the header that it reads: the proxy must remove this header from client ' +
    'requests, and only the proxy may be able to reach the gateway.',
  config: z.strictObject({
    certificate: runtimeValue().describe(
      'The certificate: one of `contexts.client.certificates`, its bytes in DER, PEM that may be percent-encoded as ' +
        'NGINX and Envoy do it, or base64 of DER, also in the form of the header `Client-Cert` (RFC 9440).',
    ),
    failureHandler: ref('handler')
      .optional()
      .describe('Handler of requests without a certificate; by default an empty 403.'),
  }),
  examples: [
    {
      title: 'Behind NGINX with `proxy_set_header X-Client-Certificate $ssl_client_escaped_cert`',
      config: { certificate: "${request.headers['X-Client-Certificate'][0]}" },
    },
    { title: 'The certificate of the connection', config: { certificate: '${contexts.client.certificates[0]}' } },
  ],
  remarks({ certificate: { compiled } }) {
    if (compiled?.kind !== 'list') return [];
    const message = 'is always a list, never a certificate: name one of its items, [0]';
    return [{ at: ['certificate'], code: 'expression', message }];
  },
  create({ certificate, failureHandler }, parts) {
    const denied = denials(parts, ['no-certificate'], failureHandler);
    return function tell(exchange, next) {
      const shown = shownCertificate(certificate.read(exchange, null));
      if (shown === null) return denied.refuse(exchange, 'no-certificate', () => ({ certificate: certificate.source }));
      setShownThumbprint(exchange, shown);
      return next(exchange);
    };
  },
});
