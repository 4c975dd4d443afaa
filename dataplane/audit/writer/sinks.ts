import { openCsvSink } from '../handlers/csv/csv-sink.ts';
import { openElasticsearchSink } from '../handlers/elasticsearch/elasticsearch-sink.ts';
import { openJdbcSink } from '../handlers/jdbc/jdbc-sink.ts';
import { openJmsSink } from '../handlers/jms/jms-sink.ts';
import { openJsonFileSink } from '../handlers/json/json-file-sink.ts';
import { openJsonStdoutSink } from '../handlers/json/json-stdout-sink.ts';
import { openSplunkSink } from '../handlers/splunk/splunk-sink.ts';
import { openSyslogSink } from '../handlers/syslog/syslog-sink.ts';
import type { OpenSink } from './audit-sink.ts';

/** What opens the sinks of handlers, by the short name of their class. Loaded in the thread of the writer only. */
export const sinks: ReadonlyMap<string, OpenSink> = new Map<string, OpenSink>([
  ['CsvAuditEventHandler', openCsvSink],
  ['ElasticsearchAuditEventHandler', openElasticsearchSink],
  ['JdbcAuditEventHandler', openJdbcSink],
  ['JmsAuditEventHandler', openJmsSink],
  ['JsonAuditEventHandler', openJsonFileSink],
  ['JsonStdoutAuditEventHandler', openJsonStdoutSink],
  ['SplunkAuditEventHandler', openSplunkSink],
  ['SyslogAuditEventHandler', openSyslogSink],
]);
