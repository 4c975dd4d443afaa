import type { AuditHandlerDefinition } from './audit-handler.ts';
import { csvAuditEventHandler } from './csv/csv-handler.ts';
import { elasticsearchAuditEventHandler } from './elasticsearch/elasticsearch-handler.ts';
import { jdbcAuditEventHandler } from './jdbc/jdbc-handler.ts';
import { jmsAuditEventHandler } from './jms/jms-handler.ts';
import { jsonAuditEventHandler } from './json/json-file-handler.ts';
import { jsonStdoutAuditEventHandler } from './json/json-stdout-handler.ts';
import { splunkAuditEventHandler } from './splunk/splunk-handler.ts';
import { syslogAuditEventHandler } from './syslog/syslog-handler.ts';

const classes: readonly AuditHandlerDefinition[] = [
  csvAuditEventHandler,
  elasticsearchAuditEventHandler,
  jdbcAuditEventHandler,
  jmsAuditEventHandler,
  jsonAuditEventHandler,
  jsonStdoutAuditEventHandler,
  splunkAuditEventHandler,
  syslogAuditEventHandler,
];

/** All classes of audit event handlers, by their short name. */
export const handlerClasses: ReadonlyMap<string, AuditHandlerDefinition> = new Map(
  classes.map((definition) => [definition.className, definition]),
);

/** The name of a class without its package. */
export function shortClassName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

/** The class that a document names, with or without a package such as `org.vendor.audit.handlers.jms` before it. */
export function handlerClass(name: string): AuditHandlerDefinition | undefined {
  return handlerClasses.get(shortClassName(name));
}
