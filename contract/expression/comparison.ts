import { spend } from '../work-budget.ts';
import { booleanOf, longOf, numberOf } from './coercion.ts';
import type { Shapes } from './language.ts';
import type { ComparisonOperator } from './syntax.ts';
import { textOf } from './text.ts';
import { EvaluationError, isDouble, isInteger, isList, isPlainObject, type Value, valueType } from './value.ts';

/** Lists and maps are compared no deeper than this: they come from outside. */
const MOST_NESTING = 100;
/** What it costs to look at one item. */
const ITEM_STEPS = 16;

type Comparison = (left: Value, right: Value, shapes: Shapes) => boolean;

/** Comparisons by the rules of the unified expression language: null is neither less nor greater than anything. */
export const comparisons: Readonly<Record<ComparisonOperator, Comparison>> = {
  '==': equal,
  '!=': (left, right, shapes) => !equal(left, right, shapes),
  '<': (left, right, shapes) => !same(left, right) && comparable(left, right) && less(left, right, shapes),
  '>': (left, right, shapes) => !same(left, right) && comparable(left, right) && less(right, left, shapes),
  '<=': (left, right, shapes) => same(left, right) || (comparable(left, right) && !less(right, left, shapes)),
  '>=': (left, right, shapes) => same(left, right) || (comparable(left, right) && !less(left, right, shapes)),
};

/** Whether there is nothing in a value: null, the empty text, a list or map without entries. */
export function isEmpty(value: Value, shapes: Shapes): boolean {
  if (value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  if (isList(value)) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  if (isPlainObject(value)) return keysOf(value).length === 0;
  return shapes.get(Object.getPrototypeOf(value))?.entries?.keys?.(value).length === 0;
}

/** Equality, for which one side takes on the type of the other. */
export function equal(left: Value, right: Value, shapes: Shapes): boolean {
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  if (left === null || right === null) return left === right;
  if (isDouble(left) || isDouble(right)) return Object.is(numberOf(left), numberOf(right));
  if (isInteger(left) && isInteger(right)) return !(left < right) && !(left > right);
  if (isInteger(left) || isInteger(right)) return longOf(left) === longOf(right);
  if (typeof left === 'boolean' || typeof right === 'boolean') return booleanOf(left) === booleanOf(right);
  if (typeof left === 'string' || typeof right === 'string') return textOf(left, shapes) === textOf(right, shapes);
  return alike(left, right, shapes);
}

/** Equality without any conversion, as lists and maps use it for what they hold. */
export function alike(left: Value, right: Value, shapes: Shapes, depth = 0): boolean {
  spend(typeof left === 'string' ? ITEM_STEPS + (left.length >> 4) : ITEM_STEPS);
  if (same(left, right)) return true;
  if (isNumber(left) || isNumber(right)) return valueType(left) === valueType(right) && equal(left, right, shapes);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth > MOST_NESTING)
    throw new EvaluationError(`values nested deeper than ${MOST_NESTING} levels are not compared`);
  if (isList(left) && isList(right)) {
    return left.length === right.length && left.every((item, at) => alike(item, right[at] ?? null, shapes, depth + 1));
  }
  const [one, other] = [entriesOf(left), entriesOf(right)];
  if (one !== null && other !== null) {
    if (one.size !== other.size) return false;
    for (const [key, item] of one) {
      if (!other.has(key) || !alike(item, other.get(key) ?? null, shapes, depth + 1)) return false;
    }
    return true;
  }
  const shape = shapes.get(Object.getPrototypeOf(left));
  if (shape?.text === undefined || shape !== shapes.get(Object.getPrototypeOf(right))) return false;
  return shape.text(left) === shape.text(right);
}

/** A list read twice is one list, although reading it made two. */
function same(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (!isList(left) || !isList(right) || left.length !== right.length) return false;
  spend(left.length);
  return left.every((item, at) => item === right[at]);
}

function comparable(left: Value, right: Value): boolean {
  return left !== null && right !== null;
}

function less(left: Value, right: Value, shapes: Shapes): boolean {
  if (isDouble(left) || isDouble(right)) return numberOf(left) < numberOf(right);
  if (isInteger(left) && isInteger(right)) return left < right;
  if (isInteger(left) || isInteger(right)) return longOf(left) < longOf(right);
  if (typeof left === 'string' || typeof right === 'string') return textOf(left, shapes) < textOf(right, shapes);
  if (typeof left === 'boolean' && typeof right === 'boolean') return !left && right;
  const message = `values of the types ${valueType(left)} and ${valueType(right)} have no order`;
  const casts = typeof left === 'boolean' || typeof right === 'boolean';
  throw new EvaluationError(message, casts ? 'ClassCastException' : null);
}

function isNumber(value: Value): boolean {
  return isDouble(value) || isInteger(value);
}

function entriesOf(value: object): ReadonlyMap<string, Value> | null {
  if (value instanceof Map) return value;
  if (!isPlainObject(value)) return null;
  return new Map(keysOf(value).map((key) => [key, value[key]!]));
}

/** The keys of a map that is a plain object; the list of them is made anew each time. */
export function keysOf(map: Readonly<Record<string, Value>>): string[] {
  const keys = Object.keys(map);
  spend(keys.length * ITEM_STEPS);
  return keys;
}
