import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeValue } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';
import { setShownThumbprint } from '../heap/objects/certificate-thumbprint.ts';
import { denials } from '../heap/objects/denials.ts';
import { shownCertificate } from './shown-certificate.ts';

/** Tells which certificate a client has shown to a proxy in front of the gateway. */
export const certificateThumbprintFilter = defineFilter({
  type: 'CertificateThumbprintFilter',
  summary:
    'Says which certificate a client has shown where TLS ends before the gateway, so that a ' +
    'ConfirmationKeyVerifierAccessTokenResolver can compare it with the one that an access token is bound to. The ' +
    'thumbprint is in `${contexts.certificateThumbprint.value}`, and counts more than the certificate of the ' +
    'connection. The gateway believes the header that it is told to read: the proxy has to take it out of what ' +
    'clients send, and nobody but the proxy may reach the gateway.',
  config: z.strictObject({
    certificate: runtimeValue().describe(
      'The certificate: one of `contexts.client.certificates`, its bytes in DER, PEM that may be percent-encoded as ' +
        'NGINX and Envoy do it, or base64 of DER, also in the form of the header `Client-Cert` (RFC 9440).',
    ),
    failureHandler: ref('handler')
      .optional()
      .describe('Answers requests without a certificate; by default with an empty 403.'),
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
