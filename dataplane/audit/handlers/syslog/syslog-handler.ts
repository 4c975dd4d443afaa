import { z } from 'zod';
import { choice, flag, integer, text } from '../../../../contract/vocabulary/configured.ts';
import { noEffect } from '../../../../contract/vocabulary/field-notes.ts';
import { printable } from '../../../../contract/vocabulary/printable.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../../contract/vocabulary/rules-about.ts';
import type { Remark } from '../../../heap/definition.ts';
import { missingField } from '../../events/filter-policies.ts';
import { auditHandler } from '../audit-handler.ts';
import { hostField, portField } from '../connection/connection-fields.ts';
import { serverTls } from '../connection/server-credentials.ts';
import { handlerFields, idleMapping } from '../handler-fields.ts';
import { pointerField } from '../pointer-field.ts';
import { FACILITIES, SEVERITIES } from './syslog-codes.ts';
import type { SyslogOptions } from './syslog-sender.ts';

const MOST_DATAGRAM = 65_507;
const WRITE_TIMEOUT = 30_000;
const QUEUED = 'events always wait in the queue of the handler, which `queue` limits';

const severityMapping = z.strictObject({
  topic: text().describe('Topic of the events.'),
  field: pointerField().describe('Field of the event, such as `/response/status` or `response.status`.'),
  valueMappings: z
    .record(z.string(), choice(SEVERITIES))
    .describe('Severities by the value of the field, such as `{"FAILED": "WARNING"}`.'),
});

/** Sends events to a syslog server. */
export const syslogAuditEventHandler = auditHandler({
  className: 'SyslogAuditEventHandler',
  summary:
    'Sends events to a syslog server as messages of RFC 5424, over UDP, TCP (octet counting, RFC 6587) or TLS ' +
    '(RFC 5425). The whole event is in the structured data; `"`, `\\` and `]` are escaped, and control characters ' +
    'are written as `\\u000a`. A message that is too long has its longest values cut and gets `truncated="true"`. ' +
    'Syslog has no acknowledgement: an event counts as delivered when the operating system has taken it. If a server ' +
    'stops without reading everything, these events are lost; over UDP, so are datagrams that the network drops. A ' +
    'closed connection is noticed before the next event is written.',
  config: z
    .strictObject({
      ...handlerFields(),
      protocol: choice(['TCP', 'UDP', 'TLS']).describe('Transport.'),
      host: hostField().describe('Host name or address of the server.'),
      port: portField().describe('Port of the server; usually 514 for UDP and TCP, 6514 for TLS.'),
      tls: ref('tlsOptions')
        .optional()
        .describe('TLS options for `TLS`; by default the CA certificates of the platform and strict host names.'),
      connectTimeout: integer({ min: 1, max: 600_000 })
        .default(10_000)
        .describe('How long connecting may take, with TLS, in milliseconds.'),
      facility: choice(FACILITIES).describe('Facility of the messages.'),
      severityFieldMappings: z
        .array(severityMapping)
        .default([])
        .describe(
          'Severity of events by a field of theirs. The first that matches counts; without one, `INFORMATIONAL`.',
        ),
      appName: printable()
        .default('gatewarden')
        .describe('APP-NAME of the messages, and part of the id of their structured data.'),
      maxMessageSize: integer({ min: 1024, max: 1024 ** 2 })
        .optional()
        .describe(
          'Maximum size of a message in bytes; by default 8192 for UDP, otherwise 65536. At most 65507 for UDP.',
        ),
      buffering: z
        .strictObject({
          enabled: noEffect(flag(), QUEUED).describe('Whether events are buffered.'),
          maxSize: noEffect(integer({ min: 1 }), QUEUED).describe('Maximum number of events in the buffer.'),
        })
        .optional()
        .describe('Buffer of earlier versions.'),
    })
    .check(
      rulesAbout(['protocol', 'tls', 'maxMessageSize'], ({ protocol, tls, maxMessageSize = 0 }, add) => {
        if (tls !== undefined && protocol !== 'TLS') {
          add(['tls'], `is only for the protocol TLS: with ${protocol} events would travel unencrypted`);
        }
        if (protocol === 'UDP' && maxMessageSize > MOST_DATAGRAM) {
          add(['maxMessageSize'], `must be at most ${MOST_DATAGRAM} for UDP, not ${maxMessageSize}`);
        }
      }),
    ),
  examples: [
    {
      title: 'Failed requests as warnings, over TLS',
      config: {
        name: 'syslog',
        topics: ['access'],
        protocol: 'TLS',
        host: 'logs.example.com',
        port: 6514,
        facility: 'LOCAL0',
        severityFieldMappings: [{ topic: 'access', field: '/response/status', valueMappings: { FAILED: 'WARNING' } }],
      },
    },
  ],
  remarks({ protocol, topics, severityFieldMappings }) {
    const remarks: Remark[] = [];
    for (const [at, { topic, field }] of severityFieldMappings.entries()) {
      remarks.push(...idleMapping(['severityFieldMappings', at], 'topic', topic, topics));
      const why = missingField(topic, field);
      if (why === null) continue;
      const message = `has no effect: ${why}`;
      remarks.push({ at: ['severityFieldMappings', at, 'field'], code: 'no-effect', message });
    }
    if (protocol === 'TLS') return remarks;
    const message = `${protocol} has no encryption: anyone on the path can read and change events; use TLS`;
    return [...remarks, { at: ['protocol'], code: 'insecure', message }];
  },
  async options(config, { resolve }) {
    const { protocol, host, port, tls, connectTimeout, appName } = config;
    const options: SyslogOptions = {
      protocol,
      host,
      port,
      appName,
      connectTimeout,
      writeTimeout: WRITE_TIMEOUT,
      facility: FACILITIES.indexOf(config.facility),
      mappings: config.severityFieldMappings.map(({ topic, field, valueMappings }) => ({
        topic,
        field,
        severities: Object.entries(valueMappings).map(([value, name]) => [value, SEVERITIES.indexOf(name)]),
      })),
      maxMessageSize: config.maxMessageSize ?? (protocol === 'UDP' ? 8192 : 65_536),
      tls: await serverTls(protocol === 'TLS', tls, resolve),
    };
    return options;
  },
});
