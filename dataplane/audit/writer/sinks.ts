import type { OpenSink } from './audit-sink.ts';

/** Loads what opens the sinks of handlers, by the short name of their class. */
const LOADS: ReadonlyMap<string, () => Promise<OpenSink>> = new Map<string, () => Promise<OpenSink>>([
  ['CsvAuditEventHandler', async () => (await import('../handlers/csv/csv-sink.ts')).openCsvSink],
  [
    'ElasticsearchAuditEventHandler',
    async () => (await import('../handlers/elasticsearch/elasticsearch-sink.ts')).openElasticsearchSink,
  ],
  ['JdbcAuditEventHandler', async () => (await import('../handlers/jdbc/jdbc-sink.ts')).openJdbcSink],
  ['JmsAuditEventHandler', async () => (await import('../handlers/jms/jms-sink.ts')).openJmsSink],
  ['JsonAuditEventHandler', async () => (await import('../handlers/json/json-file-sink.ts')).openJsonFileSink],
  [
    'JsonStdoutAuditEventHandler',
    async () => (await import('../handlers/json/json-stdout-sink.ts')).openJsonStdoutSink,
  ],
  ['SplunkAuditEventHandler', async () => (await import('../handlers/splunk/splunk-sink.ts')).openSplunkSink],
  ['SyslogAuditEventHandler', async () => (await import('../handlers/syslog/syslog-sink.ts')).openSyslogSink],
]);

/** Openers of the sinks that this thread needs: most data planes need one, and all of them would take 5 MB. */
export class LoadedSinks {
  private readonly sinks = new Map<string, OpenSink>();

  /** Loads what is not there yet. A class that does not exist stays unknown. */
  async load(classNames: readonly string[]): Promise<void> {
    const missing = classNames.filter((name) => LOADS.has(name) && !this.sinks.has(name));
    await Promise.all(missing.map(async (name) => this.sinks.set(name, await LOADS.get(name)!())));
  }

  get(className: string): OpenSink | undefined {
    return this.sinks.get(className);
  }
}
