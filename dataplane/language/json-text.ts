import { notTooLong } from '../../contract/expression/text.ts';
import { Double, EvaluationError, isList, isPlainObject, type Value } from '../../contract/expression/value.ts';
import { spend } from '../../contract/work-budget.ts';

/** A value may hold itself. */
const MOST_NESTING = 100;
/** What it costs to write an item, beside its length: the same one may be in many places. */
const ITEM_STEPS = 16;

/** A value as JSON. Objects of the host have none: theirs would show what they are made of. @throws EvaluationError */
export function jsonText(value: Value): string {
  const text = JSON.stringify(jsonOf(value, 0));
  notTooLong(text.length);
  return text;
}

function jsonOf(value: Value, depth: number): unknown {
  spend(ITEM_STEPS);
  if (typeof value === 'string') spend(value.length);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Double) return value.value;
  if (depth > MOST_NESTING) throw new EvaluationError(`the value is nested deeper than ${MOST_NESTING} levels`);
  if (isList(value)) return value.map((item) => jsonOf(item, depth + 1));
  if (!(value instanceof Map) && !isPlainObject(value))
    throw new EvaluationError('the value cannot be written as JSON');
  const entries: [string, Value][] = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, jsonOf(item, depth + 1)]));
}
