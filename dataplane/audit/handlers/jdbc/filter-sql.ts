import type { JsonPointer } from '../../../../contract/crest/json-pointer.ts';
import type { FilterValue, QueryFilter } from '../../../../contract/crest/query-filter.ts';
import { QueryRefusal } from '../queries/audit-queries.ts';
import { type MappedColumn, storable } from './column-values.ts';

/** A condition in SQL whose values stand apart. */
export interface SqlCondition {
  readonly text: string;
  readonly values: readonly string[];
}

const ORDER: ReadonlyMap<string, string> = new Map([
  ['eq', '='],
  ['lt', '<'],
  ['le', '<='],
  ['gt', '>'],
  ['ge', '>='],
]);

/**
 * Translates a filter. Names of columns come from the configuration and are quoted, values are parameters: nothing of a
 * client is in the text. Comparisons mean what they mean for other handlers: no match between different types, and
 * strings without regard to case.
 *
 * @throws QueryRefusal for a field without a column
 */
export function filterSql(filter: QueryFilter, columns: readonly MappedColumn[]): SqlCondition {
  const values: string[] = [];
  return { text: condition(filter), values };

  function condition(part: QueryFilter): string {
    switch (part.kind) {
      case 'literal':
        return part.value ? 'TRUE' : 'FALSE';
      case 'and':
      case 'or':
        return `(${part.parts.map(condition).join(part.kind === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        return `(NOT ${condition(part.part)})`;
      case 'present':
        return `(${columnOf(part.field, columns)} IS NOT NULL)`;
      case 'compare':
        return comparison(columnOf(part.field, columns), part.operator, part.value);
    }
  }

  function parameter(value: FilterValue): string {
    values.push(storable(String(value)));
    return `$${values.length}`;
  }

  function comparison(column: string, operator: string, value: FilterValue): string {
    const json = `to_jsonb(${column})`;
    const test = typeof value === 'string' ? textTest(json, operator, value) : plainTest(json, operator, value);
    // the order of CASE keeps a cast from failing on a value of another type
    return `(CASE WHEN jsonb_typeof(${json}) = '${typeof value}' THEN ${test} ELSE FALSE END)`;
  }

  function textTest(json: string, operator: string, value: string): string {
    const found = `lower(${json} #>> '{}')`;
    const sign = ORDER.get(operator);
    if (sign !== undefined) return `${found} COLLATE "C" ${sign} lower(${parameter(value)}::text) COLLATE "C"`;
    if (operator === 'co') return `position(lower(${parameter(value)}::text) IN ${found}) > 0`;
    if (operator === 'sw') return `starts_with(${found}, lower(${parameter(value)}::text))`;
    throw unknownOperator();
  }

  /** Numbers and booleans contain and start with themselves only. */
  function plainTest(json: string, operator: string, value: number | boolean): string {
    const sign = ORDER.get(operator) ?? (operator === 'co' || operator === 'sw' ? '=' : null);
    if (sign === null) throw unknownOperator();
    const type = typeof value === 'number' ? 'numeric' : 'boolean';
    return `(${json} #>> '{}')::${type} ${sign} ${parameter(value)}::${type}`;
  }
}

/** Column of a field, in quotes. @throws QueryRefusal */
export function columnOf(field: JsonPointer, columns: readonly MappedColumn[]): string {
  const found = columns.find(
    (one) => one.field.length === field.length && one.field.every((step, at) => step === field[at]),
  );
  if (found === undefined) throw new QueryRefusal(400, 'the query uses a field that has no column in the database');
  return found.column;
}

function unknownOperator(): QueryRefusal {
  return new QueryRefusal(400, 'the query filter uses an operator that this handler does not know');
}
