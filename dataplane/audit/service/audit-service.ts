import { defineService } from '../../heap/definition.ts';
import { topicFiles, topicSchemas } from './custom-topics.ts';
import { RunningService } from './running-service.ts';
import { serviceFields, serviceRemarks } from './service-fields.ts';

/** Records accesses and custom events, and delivers them through event handlers. */
export const auditService = defineService({
  type: 'AuditService',
  kind: 'auditService',
  summary:
    'Records audit events and delivers them through event handlers. A route or `config.json` names it under ' +
    '`auditService`. The topic `access` gets one event for each exchange, when the response has left; custom topics ' +
    'have schemas. See [audit](../audit.md) for the handlers, the events and what is recorded of them.',
  config: serviceFields(),
  lendsCredentials: true,
  // A directory that is read later may have topics, too.
  parts: () => [topicSchemas],
  examples: [
    {
      title: 'Access events to a syslog server, with one more header',
      config: {
        config: { filterPolicies: { field: { includeIf: ['/access/http/request/headers/x-correlation-id'] } } },
        eventHandlers: [
          {
            class: 'SyslogAuditEventHandler',
            config: {
              name: 'syslog',
              topics: ['access'],
              protocol: 'TCP',
              host: 'syslog.example.com',
              port: 514,
              facility: 'LOCAL0',
            },
          },
        ],
      },
    },
  ],
  remarks: serviceRemarks,
  filesOf: ({ config }, reach) => topicFiles(config.topicsSchemasDirectory, reach),
  create: (config, parts) => new RunningService(config, parts),
});
