import type { JsonObject } from '../../../contract/document/json-value.ts';
import { jmsConfigFor } from '../brokers/jms-config.ts';
import { OpenwireBroker } from '../brokers/openwire-broker.ts';
import { AuditFolder } from './audit-folder.ts';
import { startSearch } from './search-server.ts';
import { startSplunk } from './splunk-server.ts';
import { startStreamSyslog } from './syslog-server.ts';

/** An event as a sink has it. */
export interface SunkEvent {
  readonly transactionId: string;
  readonly [name: string]: unknown;
}

/** Handlers to one destination of each kind that runs in a test, and the events that these have. */
export interface AllSinks {
  readonly eventHandlers: readonly JsonObject[];
  /** Events of destinations that take JSON, by the name of the handler. */
  json(stdout: string): Readonly<Record<string, readonly SunkEvent[]>>;
  /** Rows of the CSV file with the one of names. */
  rows(): readonly (readonly string[])[];
  /** Lines of the CSV file. */
  lines(): readonly string[];
  /** Messages of the syslog server. */
  messages(): readonly string[];
}

export async function startAllSinks(): Promise<AllSinks> {
  const folder = new AuditFolder();
  const [syslog, splunk, search, broker] = [
    await startStreamSyslog(),
    await startSplunk('the-token'),
    await startSearch(),
    await OpenwireBroker.start(),
  ];
  const handler = (className: string, name: string, config: JsonObject): JsonObject => ({
    class: className,
    config: { name, topics: ['access'], ...config },
  });
  const connection = (port: number): JsonObject => ({ connection: { host: '127.0.0.1', port } });
  const linesOf = (file: string): string[] => (folder.names.includes(file) ? folder.lines(file).slice(0, -1) : []);
  return {
    eventHandlers: [
      handler('JsonAuditEventHandler', 'json', { logDirectory: folder.path }),
      handler('CsvAuditEventHandler', 'csv', { logDirectory: folder.path }),
      handler('JsonStdoutAuditEventHandler', 'stdout', {}),
      handler('SyslogAuditEventHandler', 'syslog', {
        protocol: 'TCP',
        host: '127.0.0.1',
        port: syslog.port,
        facility: 'LOCAL0',
      }),
      handler('SplunkAuditEventHandler', 'splunk', { ...connection(splunk.port), authzToken: 'the-token' }),
      handler('ElasticsearchAuditEventHandler', 'search', connection(search.port)),
      handler('JmsAuditEventHandler', 'jms', jmsConfigFor(`tcp://127.0.0.1:${broker.port}`)),
    ],
    json: (stdout) => ({
      json: linesOf('access.audit.json').map(parsed),
      stdout: stdout
        .split('\n')
        .filter((line) => line.endsWith('"_topic":"access"}'))
        .map(parsed),
      splunk: splunk.accepted.map(({ event }) => event as SunkEvent),
      search: [...search.documents.values()] as SunkEvent[],
      jms: broker.texts.map(parsed),
    }),
    rows: () => linesOf('access.csv').map(csvValues),
    lines: () => linesOf('access.csv'),
    messages: () => syslog.messages,
  };
}

function parsed(line: string): SunkEvent {
  return JSON.parse(line) as SunkEvent;
}

/** The values of a row, as a program that knows RFC 4180 reads them. */
function csvValues(row: string): string[] {
  const values: string[] = [];
  for (let at = 0; at <= row.length; at++) {
    if (row[at] !== '"') {
      const end = row.indexOf(',', at);
      values.push(row.slice(at, end < 0 ? row.length : end));
      at = end < 0 ? row.length : end;
      continue;
    }
    let value = '';
    for (at++; row[at] !== '"' || row[at + 1] === '"'; at++) {
      if (at >= row.length) throw new Error(`a value does not end: ${row}`);
      value += row[at];
      if (row[at] === '"') at++;
    }
    values.push(value);
    at++;
  }
  return values;
}
