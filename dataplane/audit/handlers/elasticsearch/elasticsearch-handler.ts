import { z } from 'zod';
import { flag, secretId, text } from '../../../../contract/vocabulary/configured.ts';
import { exclusive, needs } from '../../../../contract/vocabulary/groups.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../../contract/vocabulary/rules-about.ts';
import { auditHandler } from '../audit-handler.ts';
import { answerTimeoutField, bufferingFields, hostField, portField } from '../connection/connection-fields.ts';
import { NO_SSL, secretText, serverRemarks, serverTls } from '../connection/server-credentials.ts';
import { handlerFields } from '../handler-fields.ts';
import type { ElasticsearchOptions } from './elasticsearch-sink.ts';

/** Names of indexes that both products accept. */
const INDEX = /^(?!\.{1,2}$)[^-_+A-Z\s"\\/*?<>|,#:][^A-Z\s"\\/*?<>|,#:]{0,254}$/;

const connectionFields = z
  .strictObject({
    host: hostField().default('localhost').describe('Host name or address of a node.'),
    port: portField().default(9200).describe('Port of the node.'),
    useSSL: flag().default(false).describe('Whether the node is reached over https.'),
    username: text()
      .refine((name) => !name.includes(':'), { error: 'must hold no colon' })
      .optional()
      .describe('User name for basic authentication.'),
    password: text({ allowEmpty: true }).optional().describe('Password. Prefer `passwordSecretId`.'),
    passwordSecretId: secretId().optional().describe('Id of the password, a GenericSecret.'),
  })
  .check(exclusive('password', 'passwordSecretId'))
  .check(needs('password', 'username'))
  .check(needs('passwordSecretId', 'username'));

/** Sends events to Elasticsearch or OpenSearch. */
export const elasticsearchAuditEventHandler = auditHandler({
  className: 'ElasticsearchAuditEventHandler',
  summary:
    'Stores events in an index of Elasticsearch or OpenSearch by bulk requests. The `_id` of an event is the id of its ' +
    'document, so a repeated event is stored once; in the document it is `_eventId`, and `_topic` is the topic. An ' +
    'event that the mapping of the index rejects, for example because a client chose a name of a query parameter that ' +
    'does not fit, is stored as text in `_unmapped`. If the index rejects this too, the event is dropped and counted. ' +
    'Events wait while the cluster is overloaded, read-only or away. Map `http.request.headers`, ' +
    '`http.request.queryParameters` and `http.request.cookies` as `flattened` (OpenSearch: `flat_object`), since ' +
    'clients choose their names.',
  config: z
    .strictObject({
      ...handlerFields(),
      connection: connectionFields.prefault({}).describe('The node.'),
      tls: ref('tlsOptions')
        .optional()
        .describe('TLS options for `useSSL`; by default the CA certificates of the platform and strict host names.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the password.'),
      indexMapping: z
        .strictObject({
          indexName: text()
            .refine((name) => INDEX.test(name), {
              error: 'is not the name of an index: use lower case letters, digits, - and _',
            })
            .default('audit')
            .describe('Name of the index, data stream or alias for writing.'),
        })
        .prefault({})
        .describe('Where documents go.'),
      timeout: answerTimeoutField(),
      buffering: bufferingFields(500),
    })
    .check(
      rulesAbout(['connection', 'secretsProvider'], ({ connection, secretsProvider }, add) => {
        if (connection.passwordSecretId === undefined || secretsProvider !== undefined) return;
        add(['secretsProvider'], "is required: 'passwordSecretId' needs it", 'missing');
      }),
    ),
  examples: [
    {
      title: 'A password of a secret store',
      config: {
        name: 'search',
        topics: ['access'],
        connection: {
          host: 'search.example.com',
          useSSL: true,
          username: 'gateway',
          passwordSecretId: 'search.password',
        },
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
        indexMapping: { indexName: 'audit' },
      },
    },
  ],
  remarks(config) {
    const { host, useSSL, password, passwordSecretId } = config.connection;
    return serverRemarks(
      config,
      { host, useTls: useSSL, at: ['connection', 'useSSL'], whyNoTls: NO_SSL },
      { at: ['connection', 'password'], written: password, id: passwordSecretId },
      'the password and events',
    );
  },
  async options(config, { resolve }) {
    const { host, port, useSSL, username, password, passwordSecretId } = config.connection;
    const provider = config.secretsProvider === undefined ? null : resolve(config.secretsProvider);
    const secret = await secretText(password, passwordSecretId, provider);
    const options: ElasticsearchOptions = {
      host,
      port,
      tls: await serverTls(useSSL, config.tls, resolve),
      credentials: username === undefined ? null : `${username}:${secret}`,
      indexName: config.indexMapping.indexName,
      maxBatchedEvents: config.buffering.maxBatchedEvents,
      timeout: config.timeout.milliseconds,
    };
    return options;
  },
});
