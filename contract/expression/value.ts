/**
 * What expressions compute with. A number without a fraction is an Integer (a Long beyond 32 bits), one with a fraction
 * is a Double, a bigint is a Long. An array is a List, a Map or a plain object is a Map, a Uint8Array is bytes; every
 * other object is the host's and known by its shape.
 */
export type Value = null | boolean | string | number | bigint | object;

/** A Double that a plain number cannot say, because it has no fraction or is not a number. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** The failures that the expression language of OpenIG tells apart; null is its usual one. */
export type Exception = 'ArithmeticException' | 'ClassCastException' | null;

/** An expression could not be evaluated for this exchange; the caller takes its value for null and says so. */
export class EvaluationError extends Error {
  readonly exception: Exception;

  constructor(message: string, exception: Exception = null) {
    super(message);
    this.name = 'EvaluationError';
    this.exception = exception;
  }
}

const MOST_INTEGER = 2 ** 31;
const MOST_LONG = 2 ** 63;

/** Whether a value computes as a Double. */
export function isDouble(value: Value): value is number | Double {
  if (typeof value === 'number') return !Number.isInteger(value) || value >= MOST_LONG || value < -MOST_LONG;
  return value instanceof Double;
}

/** Whether a value computes as an Integer or a Long. */
export function isInteger(value: Value): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && !isDouble(value));
}

/** The value of a Double. */
export function doubleOf(number: number): Value {
  return Number.isInteger(number) || !Number.isFinite(number) ? new Double(number) : number;
}

/** Whether a value is a map of own entries: a Map or a plain object, not something of the host. */
export function isPlainObject(value: Value): value is Readonly<Record<string, Value>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether a value is a List. */
export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** The name of a value's type as Java says it. */
export function valueType(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Boolean';
  if (isDouble(value)) return 'Double';
  if (typeof value === 'bigint') return 'Long';
  if (typeof value === 'number') return value < MOST_INTEGER && value >= -MOST_INTEGER ? 'Integer' : 'Long';
  if (isList(value)) return 'List';
  if (value instanceof Map || isPlainObject(value)) return 'Map';
  return value instanceof Uint8Array ? 'byte[]' : 'Object';
}
