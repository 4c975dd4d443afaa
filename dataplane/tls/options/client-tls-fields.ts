import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { noEffect } from '../../../contract/vocabulary/field-notes.ts';
import type { Parts } from '../../heap/definition.ts';
import type { ClientTls } from '../../heap/objects/tls.ts';
import { clientTls } from '../client-credentials.ts';
import { allOf, alpnField, hostnameVerifier, oneOrMore, protocolFields, somethingSpoken } from './tls-fields.ts';
import { tlsRules } from './tls-rules.ts';

/** The configuration of TLS to backends. */
export const clientTlsConfig = z
  .strictObject({
    keyManager: oneOrMore('keyManager')
      .optional()
      .describe('Client key and certificate for backends that request one; by default none.'),
    trustManager: oneOrMore('trustManager')
      .optional()
      .describe(
        'CA certificates that backends are verified with; by default those of the platform, otherwise only these. If ' +
          'one of several managers checks revocation, it is checked for all.',
      ),
    hostnameVerifier: hostnameVerifier
      .default('STRICT')
      .describe(
        'Host name verification. `STRICT`: the first common name or one of the alternative names of the certificate ' +
          'must match the host; a wildcard matches one label. `ALLOW_ALL`: any name is accepted.',
      ),
    ...protocolFields,
    alpn: alpnField,
    offloadHandshake: noEffect(
      flag(),
      'a handshake runs in the event loop of the unit, and there are as many units as `gatewayUnits` says',
    ).describe('Whether handshakes run outside of the event loop.'),
  })
  .check(somethingSpoken());

export type ClientTlsConfig = z.output<typeof clientTlsConfig>;

/** Builds what the configuration says. */
export function createClientTls(
  config: ClientTlsConfig,
  { resolve, onClose, log }: Pick<Parts, 'resolve' | 'onClose' | 'log'>,
): ClientTls {
  return clientTls({
    keyManagers: allOf(config.keyManager).map((one) => resolve(one)),
    trustManagers: allOf(config.trustManager).map((one) => resolve(one)),
    rules: tlsRules(config),
    alpn: config.alpn.enabled,
    checksNames: config.hostnameVerifier === 'STRICT',
    log,
    onClose,
  });
}
