import type { JsonValue } from '../../../contract/document/json-value.ts';
import { setMember } from '../../../contract/document/json-value.ts';
import { Double, EvaluationError, isList, isPlainObject, type Value } from '../../../contract/expression/value.ts';
import { spend } from '../../../contract/work-budget.ts';

/** A value may hold itself. */
const MOST_NESTING = 64;
/** Steps that one item costs beside its length: the same one may be in many places. */
const ITEM_STEPS = 16;

/**
 * Copies a value for a session, which holds JSON values only. A copy, so that a later change of the original does not
 * reach the session. @throws EvaluationError with the path of the part that has no JSON form
 */
export function sessionValue(value: Value, path: string, depth = 0): JsonValue {
  spend(ITEM_STEPS);
  if (typeof value === 'string') {
    spend(value.length);
    return value;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Double) return numberOf(value, path);
  if (depth >= MOST_NESTING) throw new EvaluationError(`${path} is nested deeper than ${MOST_NESTING} levels`);
  if (isList(value)) return value.map((item, at) => sessionValue(item ?? null, `${path}[${at}]`, depth + 1));
  if (!(value instanceof Map) && !isPlainObject(value)) {
    throw new EvaluationError(`${path} has no JSON form: a session holds texts, numbers, true, false, lists and maps`);
  }
  const entries: Iterable<[string, Value]> = value instanceof Map ? value : Object.entries(value);
  const copy: Record<string, JsonValue> = {};
  for (const [key, item] of entries)
    setMember(copy, String(key), sessionValue(item ?? null, `${path}.${key}`, depth + 1));
  return copy;
}

function numberOf(value: number | bigint | Double, path: string): number {
  const number = value instanceof Double ? value.value : Number(value);
  const isExact = typeof value !== 'bigint' || BigInt(Math.trunc(Number.isFinite(number) ? number : 0)) === value;
  if (Number.isFinite(number) && isExact) return number;
  throw new EvaluationError(`${path} has no JSON form: the number is not finite or too large`);
}
