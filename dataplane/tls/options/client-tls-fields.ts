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
      .describe('The key and the certificate that backends are shown if they ask; by default none.'),
    trustManager: oneOrMore('trustManager')
      .optional()
      .describe(
        'Whom backends have to be issued by; by default the authorities of the platform, otherwise these alone. ' +
          'As soon as one of several managers checks revocation, it is checked for all.',
      ),
    hostnameVerifier: hostnameVerifier
      .default('STRICT')
      .describe(
        '`STRICT`: the first common name of the certificate or one of its alternative names is the host that is asked ' +
          'for, where a wildcard stands for one label. `ALLOW_ALL`: any name will do.',
      ),
    ...protocolFields,
    alpn: alpnField,
    offloadHandshake: noEffect(
      flag(),
      'a handshake runs in the event loop of the unit, and there are as many units as `gatewayUnits` says',
    ).describe('Whether handshakes run apart from the event loop.'),
  })
  .check(somethingSpoken);

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
