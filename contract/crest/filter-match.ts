import type { JsonValue } from '../document/json-value.ts';
import type { FieldReader } from './field-reader.ts';
import { type JsonPointer, valueAt } from './json-pointer.ts';
import type { FilterValue, QueryFilter } from './query-filter.ts';

/** Returns true if a filter selects a value. An operator that is not known here selects nothing, also when it is negated. */
export function matchesFilter(filter: QueryFilter, value: JsonValue): boolean {
  return filterTest<JsonValue>(filter, (field) => (of) => valueAt(of, field))(value);
}

/** Returns a test for many values, of which a reader returns the fields. */
export function filterTest<T>(
  filter: QueryFilter,
  readerOf: (field: JsonPointer) => FieldReader<T>,
): (of: T) => boolean {
  const outcome = outcomeOf(filter, readerOf);
  return (of) => outcome(of) === true;
}

/** Null where nobody can say. */
type Outcome<T> = (of: T) => boolean | null;

function outcomeOf<T>(filter: QueryFilter, readerOf: (field: JsonPointer) => FieldReader<T>): Outcome<T> {
  switch (filter.kind) {
    case 'literal':
      return () => filter.value;
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => outcomeOf(part, readerOf));
      return (of) => joined(parts, of, filter.kind === 'or');
    }
    case 'not': {
      const inner = outcomeOf(filter.part, readerOf);
      return (of) => {
        const result = inner(of);
        return result === null ? null : !result;
      };
    }
    case 'present': {
      const read = readerOf(filter.field);
      return (of) => (read(of) ?? null) !== null;
    }
    case 'compare':
      return comparison(readerOf(filter.field), filter.operator, filter.value);
  }
}

/** The result that one part decides, else null if one is not known. */
function joined<T>(parts: readonly Outcome<T>[], of: T, decides: boolean): boolean | null {
  let result: boolean | null = !decides;
  for (const part of parts) {
    const one = part(of);
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

function comparison<T>(read: FieldReader<T>, operator: string, value: FilterValue): Outcome<T> {
  const test = TESTS.get(operator);
  if (test === undefined) return () => null;
  const type = typeof value;
  const wanted = comparable(value);
  const isMatch = (one: JsonValue | undefined): boolean =>
    typeof one === type && test(comparable(one as FilterValue), wanted);
  return (of) => {
    const found = read(of);
    return Array.isArray(found) ? (found as readonly JsonValue[]).some(isMatch) : isMatch(found);
  };
}

/** Strings are compared without regard to case. */
function comparable(value: FilterValue): FilterValue {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
