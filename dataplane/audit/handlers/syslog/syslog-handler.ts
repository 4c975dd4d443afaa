import { z } from 'zod';
import { choice, flag, integer, text } from '../../../../contract/vocabulary/configured.ts';
import { noEffect } from '../../../../contract/vocabulary/field-notes.ts';
import { printable } from '../../../../contract/vocabulary/printable.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { platformTls } from '../../../tls/portable-tls.ts';
import { auditHandler } from '../audit-handler.ts';
import { portField } from '../connection/connection-fields.ts';
import { handlerFields } from '../handler-fields.ts';
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
    '(RFC 5425). The whole event is in the structured data; `"`, `\\\\` and `]` are escaped, and control characters ' +
    'are written as `\\\\u000a`. A message that is too long has its longest values cut and gets `truncated="true"`. ' +
    'Syslog has no acknowledgement: an event counts as delivered when the operating system has taken it. If a server ' +
    'stops without reading everything, these events are lost; over UDP, so are datagrams that the network drops. A ' +
    'closed connection is noticed before the next event is written.',
  config: z
    .strictObject({
      ...handlerFields(),
      protocol: choice(['TCP', 'UDP', 'TLS']).describe('Transport.'),
      host: text().describe('Host name or address of the server.'),
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
    .check(({ value, issues }) => {
      const { protocol, tls, maxMessageSize = 0 } = value;
      if (tls !== undefined && protocol !== 'TLS') {
        const message = `is only for the protocol TLS: with ${protocol} events would travel unencrypted`;
        issues.push({ code: 'custom', message, input: value, path: ['tls'], params: { code: 'value' } });
      }
      if (protocol === 'UDP' && maxMessageSize > MOST_DATAGRAM) {
        const message = `must be at most ${MOST_DATAGRAM} for UDP, not ${maxMessageSize}`;
        issues.push({ code: 'custom', message, input: value, path: ['maxMessageSize'], params: { code: 'value' } });
      }
    }),
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
  remarks({ protocol }) {
    if (protocol === 'TLS') return [];
    const message = `${protocol} has no encryption: anyone on the path can read and change events; use TLS`;
    return [{ at: ['protocol'], code: 'insecure', message }];
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
      tls: protocol !== 'TLS' ? null : tls === undefined ? platformTls() : await resolve(tls).portable(),
    };
    return options;
  },
});
