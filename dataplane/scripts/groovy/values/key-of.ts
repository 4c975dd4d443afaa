import type { Obj, Value } from './java-class.ts';
import { chargeLength, chargeText, chargeValue } from './meter.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Float, Short } from './numbers.ts';

/** Marks keys that stand for objects, so that no String is taken for one. */
export const KEY_MARK = '\u0001';

/** The JavaScript key under which a value is found in a map: the same for values that are equal in Java. */
export function keyOf(value: Value): unknown {
  if (typeof value === 'string') return value.startsWith(KEY_MARK) ? `${KEY_MARK}s${value}` : value;
  if (value === null || typeof value !== 'object') return value;
  if (value.key !== undefined) return value.key();
  if (value instanceof Char) return `${KEY_MARK}c${value.code}`;
  if (value instanceof Double) return `${KEY_MARK}d${numberKey(value.value)}`;
  if (value instanceof Float) return `${KEY_MARK}f${numberKey(value.value)}`;
  if (value instanceof Short) return `${KEY_MARK}h${value.value}`;
  if (value instanceof Byte) return `${KEY_MARK}b${value.value}`;
  if (value instanceof BigInteger) return `${KEY_MARK}i${digitsOf(value.value)}`;
  if (value instanceof BigDecimal) return `${KEY_MARK}m${digitsOf(value.unscaled)}:${value.scale}`;
  return value;
}

/** Digits that take linear time. */
function digitsOf(value: bigint): string {
  const digits = value.toString(16);
  chargeLength(digits.length);
  return digits;
}

/** The key as text with its length, so that keys of elements can be put together to the key of a collection. */
export function keyText(value: Value): string {
  const key = keyOf(value);
  const text = typeof key === 'object' && key !== null ? `@${identityOf(key as Obj)}` : `${typeof key}:${String(key)}`;
  chargeValue();
  chargeText(text.length);
  return `${text.length}:${text}`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0x1b0375b3;

/** A number that stays with the object, as Java's identity hash. */
export function identityOf(object: Obj): number {
  let found = identities.get(object);
  if (found === undefined) {
    lastIdentity = (Math.imul(lastIdentity, 1103515245) + 12345) & 0x7fffffff;
    found = lastIdentity;
    identities.set(object, found);
  }
  return found;
}

function numberKey(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
