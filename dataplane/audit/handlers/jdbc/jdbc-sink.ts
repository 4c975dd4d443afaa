import type { AuditEvent } from '../../writer/audit-event.ts';
import { type AuditSink, type OpenSink, type RefusedEvent, Undelivered } from '../../writer/audit-sink.ts';
import { inParts, type PartResult } from '../connection/in-parts.ts';
import { columnValues } from './column-values.ts';
import { DatabaseConnection, type DatabaseOptions } from './database-connection.ts';
import { databaseFault } from './database-error.ts';
import { databaseQueries } from './database-queries.ts';
import type { MappedTable } from './mapped-table.ts';

/** Options of the sink, as its definition makes them. */
export interface JdbcOptions extends DatabaseOptions, Readonly<Record<string, unknown>> {
  readonly tables: readonly MappedTable[];
  readonly maxBatchedEvents: number;
}

const MOST_BYTES = 4 * 1024 ** 2;
/** PostgreSQL takes at most 65535 values in a statement. */
const MOST_VALUES = 60_000;

/** Writes events into tables of PostgreSQL. */
export const openJdbcSink: OpenSink = (options, { mayReach }): AuditSink => {
  const settings = options as JdbcOptions;
  const { host, port } = settings;
  const tables = new Map(settings.tables.map((table) => [table.topic, table]));
  const database = new DatabaseConnection(settings, mayReach);
  const reading = new DatabaseConnection(settings, mayReach); // a query must not run inside the transaction of a batch

  async function insert(table: MappedTable, events: readonly AuditEvent[]): Promise<void> {
    const most = Math.max(1, Math.floor(MOST_VALUES / table.columns.length));
    for (let from = 0; from < events.length; from += most) {
      const rows = events.slice(from, from + most);
      const values = rows.flatMap(({ fields }) => columnValues(fields, table.columns));
      await database.run(insertStatement(table, rows.length), values);
    }
  }

  async function write(events: readonly AuditEvent[]): Promise<readonly RefusedEvent[]> {
    const refused: RefusedEvent[] = [];
    const byTable = new Map<MappedTable, AuditEvent[]>();
    for (const [at, event] of events.entries()) {
      const table = tables.get(event.topic);
      if (table === undefined) refused.push({ at, reason: 'there is no table mapping for its topic' });
      else byTable.set(table, [...(byTable.get(table) ?? []), event]);
    }
    await database.transaction(async () => {
      for (const [table, rows] of byTable) await insert(table, rows);
    });
    return refused;
  }

  async function send(events: readonly AuditEvent[]): Promise<PartResult> {
    try {
      return { refused: await write(events) };
    } catch (error) {
      const { text, isAboutValues } = databaseFault(error);
      if (isAboutValues) return { blame: text, at: null };
      throw new Undelivered({ delivered: 0, message: `${host}:${port}: ${text}` });
    }
  }

  return {
    batch: { events: settings.maxBatchedEvents, bytes: MOST_BYTES },
    async deliver(batch) {
      return inParts(batch, send);
    },
    queries: databaseQueries(reading, tables),
    async close() {
      database.close();
      reading.close();
    },
  };
};

/** Repeated events are left out by the unique index of their id. */
function insertStatement({ table, columns, idColumn }: MappedTable, rows: number): string {
  const width = columns.length;
  const row = (number: number): string => `(${columns.map((_, at) => `$${number * width + at + 1}`).join(', ')})`;
  const names = columns.map(({ column }) => column).join(', ');
  const repeated = idColumn === null ? '' : ` ON CONFLICT (${idColumn}) DO NOTHING`;
  return `INSERT INTO ${table} (${names}) VALUES ${Array.from({ length: rows }, (_, at) => row(at)).join(', ')}${repeated}`;
}
