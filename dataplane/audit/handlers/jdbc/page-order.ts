import type { PagePlace } from '../../../../contract/crest/page-cookie.ts';
import type { Rank, SortKey } from '../../../../contract/crest/sort-keys.ts';
import type { Rows } from './database-connection.ts';
import { columnOf, type SqlCondition } from './filter-sql.ts';
import type { MappedTable } from './mapped-table.ts';

/** Order of the rows of a query, and the places in it. */
export interface PageOrder {
  /** `ORDER BY` with a space before it, or nothing. */
  readonly text: string;
  /** Further columns of the selection, each with a comma before it: those of the place. */
  readonly selection: string;
  /** Returns the place of a row; null for a row that has none, or one that is too long for a cookie. */
  placeOf(row: Rows[number]): PagePlace | null;
  /** Returns the condition of rows behind a place. @param first number of its first parameter */
  behind(place: PagePlace, first: number): SqlCondition;
}

interface OrderColumn {
  readonly column: string;
  readonly isDescending: boolean;
}

/** Characters of a place: it goes through the URL of the next request. */
const LONGEST_PLACE = 2_000;

/**
 * Returns the order of a query: its sort keys, or else the time of events, and then the id. Missing values come last in
 * both directions. Places hold values as PostgreSQL writes them, which it reads again without loss.
 */
export function pageOrder(sortKeys: readonly SortKey[], { columns, idColumn }: MappedTable): PageOrder {
  const keys: OrderColumn[] = sortKeys.map(({ field, isDescending }) => ({
    column: columnOf(field, columns),
    isDescending,
  }));
  const time = columns.find(({ field }) => field.length === 1 && field[0] === 'timestamp');
  if (keys.length === 0 && time !== undefined) keys.push({ column: time.column, isDescending: false });
  const all = idColumn === null ? keys : [...keys, { column: idColumn, isDescending: false }];
  const ordered = all.map(({ column, isDescending }) => `${column} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`);
  return {
    text: ordered.length === 0 ? '' : ` ORDER BY ${ordered.join(', ')}`,
    selection: idColumn === null ? '' : all.map(({ column }, at) => `, ${column}::text AS k${at}`).join(''),
    placeOf(row) {
      const values = all.map((_, at): Rank => (row[`k${at}`] as string | null | undefined) ?? null);
      const id = values.at(-1) ?? null;
      if (idColumn === null || typeof id !== 'string' || id === '') return null;
      const place = { ranks: values.slice(0, -1), id };
      return JSON.stringify(place).length > LONGEST_PLACE ? null : place;
    },
    behind({ ranks, id }, first) {
      const values: string[] = [];
      const parameters = [...ranks, id].map((value) => {
        if (value === null) return null;
        values.push(String(value));
        return `$${first + values.length - 1}`;
      });
      const equal = (at: number): string => {
        const { column } = all[at]!;
        return parameters[at] === null ? `${column} IS NULL` : `${column} = ${parameters[at]}`;
      };
      const choices = all.map((key, at) => {
        const same = all.slice(0, at).map((_, before) => equal(before));
        return `(${[...same, after(key, parameters[at] ?? null)].join(' AND ')})`;
      });
      return { text: `(${choices.join(' OR ')})`, values };
    },
  };
}

/** Nothing comes behind a missing value. */
function after({ column, isDescending }: OrderColumn, parameter: string | null): string {
  return parameter === null ? 'FALSE' : `(${column} ${isDescending ? '<' : '>'} ${parameter} OR ${column} IS NULL)`;
}
