import type { JsonObject } from '../../../contract/document/json-value.ts';

/** The declaration of an audit service for the topic `access`, with these settings for all handlers. */
export function accessService(config: JsonObject = {}): JsonObject {
  return {
    type: 'AuditService',
    config: {
      config,
      eventHandlers: [{ class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['access'] } }],
    },
  };
}
