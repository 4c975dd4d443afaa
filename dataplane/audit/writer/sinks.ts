import { openSyslogSink } from '../handlers/syslog/syslog-sink.ts';
import type { OpenSink } from './audit-sink.ts';

/** What opens the sinks of handlers, by the short name of their class. Loaded in the thread of the writer only. */
export const sinks: ReadonlyMap<string, OpenSink> = new Map<string, OpenSink>([
  ['SyslogAuditEventHandler', openSyslogSink],
]);
