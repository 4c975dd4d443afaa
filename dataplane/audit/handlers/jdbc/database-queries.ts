import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../../../contract/document/json-value.ts';
import { type AuditQueries, pageOf, pageWindow, QueryRefusal } from '../queries/audit-queries.ts';
import type { DatabaseConnection, Rows } from './database-connection.ts';
import { databaseFault } from './database-error.ts';
import { filterSql } from './filter-sql.ts';
import type { MappedTable } from './mapped-table.ts';
import { pageOrder } from './page-order.ts';

/** Answers queries from the tables of a database. */
export function databaseQueries(database: DatabaseConnection, tables: ReadonlyMap<string, MappedTable>): AuditQueries {
  function tableOf(topic: string): MappedTable {
    const table = tables.get(topic);
    if (table === undefined) throw new QueryRefusal(404, 'the handler has no table for this topic');
    return table;
  }

  async function run(text: string, values: readonly unknown[]): Promise<Rows> {
    try {
      return await database.run(text, values);
    } catch (error) {
      throw new QueryRefusal(503, databaseFault(error).text);
    }
  }

  return {
    async query(query) {
      const table = tableOf(query.topic);
      const { after = null } = query;
      const window = pageWindow(after === null ? query : { ...query, offset: 0 });
      const order = pageOrder(query.sortKeys, table);
      const { text, values } = filterSql(query.filter, table.columns);
      const from = `FROM ${table.table} WHERE ${text}`;
      const behind = after === null ? null : order.behind(after, values.length + 1);
      const rest = behind === null ? from : `${from} AND ${behind.text}`;
      const limits = `LIMIT ${Number(window.size)} OFFSET ${Number(window.offset)}`;
      const rows = await run(`SELECT ${selection(table)}${order.selection} ${rest}${order.text} ${limits}`, [
        ...values,
        ...(behind?.values ?? []),
      ]);
      const counted = query.counts ? await run(`SELECT count(*)::float8 AS total ${from}`, values) : [];
      const total = counted[0]?.['total'];
      const events = rows.map((row) => eventOf(row, table));
      const page = pageOf(query, window, events, typeof total === 'number' ? total : -1);
      const last = page.next === null ? undefined : rows[page.results.length - 1];
      const place = last === undefined ? null : order.placeOf(last);
      return place === null ? page : { ...page, last: place };
    },
    async read(topic, id) {
      const table = tableOf(topic);
      if (table.idColumn === null) throw new QueryRefusal(501, "events cannot be read: '_id' has no column");
      const statement = `SELECT ${selection(table)} FROM ${table.table} WHERE ${table.idColumn}::text = $1 LIMIT 1`;
      const [row] = await run(statement, [id.replaceAll('\0', '\ufffd')]);
      return row === undefined ? null : eventOf(row, table);
    },
  };
}

/** Columns as JSON, under names that no column can have an influence on. */
function selection({ columns }: MappedTable): string {
  return columns.map(({ column }, at) => `to_jsonb(${column}) AS c${at}`).join(', ');
}

function eventOf(row: Rows[number], { columns }: MappedTable): JsonObject {
  const event: Record<string, JsonValue> = {};
  for (const [at, { field }] of columns.entries()) {
    const value = row[`c${at}`] as JsonValue | undefined;
    if (value === undefined || value === null) continue;
    let holder = event;
    for (const step of field.slice(0, -1)) {
      const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
      const next: Record<string, JsonValue> = isJsonObject(inner) ? (inner as Record<string, JsonValue>) : {};
      setMember(holder, step, next);
      holder = next;
    }
    setMember(holder, field.at(-1)!, value);
  }
  return event;
}
