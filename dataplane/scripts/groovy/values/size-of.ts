import { ArrayValue, ByteArray, GSet, List } from './collections.ts';
import type { Value } from './java-class.ts';

/**
 * Number of characters, bytes or elements of a value. Methods of the library are charged by the size of their operands,
 * so that the clock is looked at even where a method charges nothing itself.
 */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof List || value instanceof ArrayValue) return value.items.length;
  if (value instanceof GSet) return value.size;
  if (value instanceof ByteArray) return value.bytes.length;
  return value.extent === undefined ? 0 : value.extent();
}

/** For a sum over several values. */
export function sizeWith(sum: number, value: Value): number {
  return sum + sizeOf(value);
}
