import { z } from 'zod';
import { flag, secretId, text } from '../../../../contract/vocabulary/configured.ts';
import { exclusive, needs, oneRequired } from '../../../../contract/vocabulary/groups.ts';
import { printable } from '../../../../contract/vocabulary/printable.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { auditHandler } from '../audit-handler.ts';
import { answerTimeoutField, bufferingFields, hostField, portField } from '../connection/connection-fields.ts';
import { NO_SSL, secretText, serverRemarks, serverTls } from '../connection/server-credentials.ts';
import { handlerFields } from '../handler-fields.ts';
import type { SplunkOptions } from './splunk-sink.ts';

const connectionFields = z.strictObject({
  host: hostField().default('localhost').describe('Host name or address of the collector.'),
  port: portField().default(8088).describe('Port of the collector.'),
  useSSL: flag().default(false).describe('Whether the collector is reached over https.'),
});

/** Sends events to Splunk. */
export const splunkAuditEventHandler = auditHandler({
  className: 'SplunkAuditEventHandler',
  summary:
    'Sends events to the HTTP Event Collector of Splunk (`/services/collector/event`). An event counts as delivered ' +
    'when the collector has accepted it; indexer acknowledgement is not used. Events that the collector rejects are ' +
    'dropped one by one and counted; a rejected token, a busy indexer and an outage let events wait. Splunk does not ' +
    'recognise repeated events: after a failure some may be there twice, with the same `_id`.',
  config: z
    .strictObject({
      ...handlerFields(),
      connection: connectionFields.prefault({}).describe('The collector.'),
      tls: ref('tlsOptions')
        .optional()
        .describe('TLS options for `useSSL`; by default the CA certificates of the platform and strict host names.'),
      authzToken: printable().optional().describe('Token of the collector. Prefer `authzTokenSecretId`.'),
      authzTokenSecretId: secretId().optional().describe('Id of the token of the collector, a GenericSecret.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the token.'),
      index: text().optional().describe('Index of the events; by default that of the token.'),
      source: printable().default('gatewarden').describe('Source of the events.'),
      sourcetype: printable().default('_json').describe('Source type of the events.'),
      timeout: answerTimeoutField(),
      buffering: bufferingFields(500),
    })
    .check(oneRequired('authzToken', 'authzTokenSecretId'))
    .check(exclusive('authzToken', 'authzTokenSecretId'))
    .check(needs('authzTokenSecretId', 'secretsProvider')),
  examples: [
    {
      title: 'A token of a secret store',
      config: {
        name: 'splunk',
        topics: ['access'],
        connection: { host: 'splunk.example.com', useSSL: true },
        authzTokenSecretId: 'splunk.token',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks(config) {
    const { connection, authzToken, authzTokenSecretId } = config;
    const { host, useSSL } = connection;
    return serverRemarks(
      config,
      { host, useTls: useSSL, at: ['connection', 'useSSL'], whyNoTls: NO_SSL },
      { at: ['authzToken'], written: authzToken, id: authzTokenSecretId },
      'the token and events',
    );
  },
  async options(config, { resolve }) {
    const { connection, authzToken, authzTokenSecretId, secretsProvider, index = null, source, sourcetype } = config;
    const provider = secretsProvider === undefined ? null : resolve(secretsProvider);
    const token = await secretText(authzToken, authzTokenSecretId, provider);
    if (!/^[!-~]+$/.test(token))
      throw new Error('the token of the collector holds other characters than printable ASCII');
    const { host, port, useSSL } = connection;
    const tls = await serverTls(useSSL, config.tls, resolve);
    const { maxBatchedEvents } = config.buffering;
    const timeout = config.timeout.milliseconds;
    const options: SplunkOptions = { host, port, tls, token, index, source, sourcetype, maxBatchedEvents, timeout };
    return options;
  },
});
