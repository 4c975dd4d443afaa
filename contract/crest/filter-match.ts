import type { JsonValue } from '../document/json-value.ts';
import { valueAt } from './json-pointer.ts';
import type { FilterValue, QueryFilter } from './query-filter.ts';

/** Whether a filter selects a value. An operator that is not known here selects nothing, also when it is negated. */
export function matchesFilter(filter: QueryFilter, value: JsonValue): boolean {
  return outcome(filter, value) === true;
}

/** Null where nobody can say. */
function outcome(filter: QueryFilter, value: JsonValue): boolean | null {
  switch (filter.kind) {
    case 'literal':
      return filter.value;
    case 'and':
      return joined(filter.parts, value, false);
    case 'or':
      return joined(filter.parts, value, true);
    case 'not': {
      const inner = outcome(filter.part, value);
      return inner === null ? null : !inner;
    }
    case 'present':
      return (valueAt(value, filter.field) ?? null) !== null;
    case 'compare':
      return compared(valueAt(value, filter.field), filter.operator, filter.value);
  }
}

/** The result that one part decides, else null if one is not known. */
function joined(parts: readonly QueryFilter[], value: JsonValue, decides: boolean): boolean | null {
  let result: boolean | null = !decides;
  for (const part of parts) {
    const one = outcome(part, value);
    if (one === decides) return decides;
    if (one === null) result = null;
  }
  return result;
}

type Test = (found: FilterValue, wanted: FilterValue) => boolean;

const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['eq', (found, wanted) => found === wanted],
  ['lt', (found, wanted) => found < wanted],
  ['le', (found, wanted) => found <= wanted],
  ['gt', (found, wanted) => found > wanted],
  ['ge', (found, wanted) => found >= wanted],
  ['co', (found, wanted) => (typeof found === 'string' ? found.includes(String(wanted)) : found === wanted)],
  ['sw', (found, wanted) => (typeof found === 'string' ? found.startsWith(String(wanted)) : found === wanted)],
]);

function compared(found: JsonValue | undefined, operator: string, wanted: FilterValue): boolean | null {
  const test = TESTS.get(operator);
  if (test === undefined) return null;
  const values = Array.isArray(found) ? (found as readonly JsonValue[]) : [found];
  return values.some((one) => typeof one === typeof wanted && test(comparable(one as FilterValue), comparable(wanted)));
}

/** Strings are compared without regard to case. */
function comparable(value: FilterValue): FilterValue {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
