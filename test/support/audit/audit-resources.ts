import type { JsonObject } from '../../../contract/document/json-value.ts';

/** Spec of an AuditService that sends accesses to a syslog server. */
export function toSyslog(host: string, port = 514, more: JsonObject = {}): JsonObject {
  const config = { name: 'syslog', topics: ['access'], protocol: 'TCP', host, port, facility: 'LOCAL0', ...more };
  return { eventHandlers: [{ class: 'SyslogAuditEventHandler', config }] };
}

/** Spec of an AuditService that sends accesses to Splunk, with a token of this secrets provider. */
export function toSplunk(secretsProvider: string): JsonObject {
  const connection = { host: 'splunk.example.com', useSSL: true };
  const config = { name: 'splunk', topics: ['access'], connection, authzTokenSecretId: 'token', secretsProvider };
  return { eventHandlers: [{ class: 'SplunkAuditEventHandler', config }] };
}
