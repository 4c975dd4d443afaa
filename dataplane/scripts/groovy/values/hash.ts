import type { Value } from './java-class.ts';
import { identityOf } from './key-of.ts';
import { chargeLength, chargeValue } from './meter.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Float, Short } from './numbers.ts';

const bits = new DataView(new ArrayBuffer(8));

/** Java's `hashCode()`. */
export function hashOf(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'string') return hashOfText(value);
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return hashOfLong(value);
  if (typeof value === 'boolean') return value ? 1231 : 1237;
  if (value.hash !== undefined) {
    chargeValue();
    return value.hash();
  }
  if (value instanceof Char) return value.code;
  if (value instanceof Short || value instanceof Byte) return value.value;
  if (value instanceof Double) {
    bits.setFloat64(0, value.value);
    return bits.getInt32(0) ^ bits.getInt32(4);
  }
  if (value instanceof Float) {
    bits.setFloat32(0, value.value);
    return bits.getInt32(0);
  }
  if (value instanceof BigInteger) return hashOfBig(value.value);
  if (value instanceof BigDecimal) return (Math.imul(31, hashOfBigDecimal(value)) + value.scale) | 0;
  return identityOf(value);
}

export function hashOfText(text: string): number {
  chargeLength(text.length);
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(31, hash) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Of the hashes of elements in order. */
export function hashOfAll(hashes: Iterable<number>): number {
  let hash = 1;
  for (const each of hashes) hash = (Math.imul(31, hash) + each) | 0;
  return hash;
}

export function hashOfLong(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ BigInt.asUintN(32, value >> 32n)));
}

function hashOfBig(value: bigint): number {
  // Digits of base 16, because shifting a long number word by word takes quadratic time.
  const digits = (value < 0n ? -value : value).toString(16);
  chargeLength(digits.length);
  let hash = 0;
  for (let at = digits.length % 8 === 0 ? 0 : (digits.length % 8) - 8; at < digits.length; at += 8)
    hash = (Math.imul(31, hash) + Number.parseInt(digits.slice(Math.max(0, at), at + 8), 16)) | 0;
  return value < 0n ? -hash | 0 : hash;
}

/** Java hashes an unscaled value that fits into a long in a way of its own. */
function hashOfBigDecimal({ unscaled }: BigDecimal): number {
  const magnitude = unscaled < 0n ? -unscaled : unscaled;
  if (magnitude >= 1n << 63n) return hashOfBig(unscaled);
  const hash = (Math.imul(31, Number(magnitude >> 32n) | 0) + (Number(magnitude & 0xffffffffn) | 0)) | 0;
  return unscaled < 0n ? -hash | 0 : hash;
}
