import { compareNumbers } from './arithmetic.ts';
import { ArrayValue, ByteArray, Entry, GMap, GSet, List } from './collections.ts';
import { isNumber } from './conversions.ts';
import { COMPARABLE, INT_RANGE, LIST, SET } from './core-classes.ts';
import { groupedDigits } from './decimal.ts';
import { GString } from './g-string.ts';
import type { Obj, Runtime, Value } from './java-class.ts';
import { keyOf } from './key-of.ts';
import { chargeItems, chargeLength, chargeValue } from './meter.ts';
import { NULL_OBJECT } from './null-object.ts';
import { Byte, Char } from './numbers.ts';
import { Range } from './range.ts';
import { Throwable } from './throwable.ts';

/** Elements of a list, array or range, for comparison one by one. */
function listItems(value: Value): readonly Value[] | null {
  if (value instanceof List || value instanceof ArrayValue || value instanceof Range) return value.items;
  if (value instanceof ByteArray) {
    chargeItems(value.bytes.length, 24);
    return Array.from(new Int8Array(value.bytes), (each) => new Byte(each));
  }
  if (value !== null && typeof value === 'object' && value.elements !== undefined) {
    return value.javaClass.supertypes.has(LIST) ? value.elements() : null;
  }
  return null;
}

/** Groovy's `==`: numbers by value, a GString by its text, lists and maps by their content. */
export function looselyEqual(rt: Runtime, left: Value, right: Value): boolean {
  chargeValue();
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false;
    chargeLength(left.length);
    return left === right;
  }
  if (left === right) return true;
  if (left === null || right === null) return left === NULL_OBJECT || right === NULL_OBJECT;
  const compared = compareIfComparable(rt, left, right, true);
  if (compared !== null) return compared === 0;
  const [a, b] = [listItems(left), listItems(right)];
  if (a !== null) {
    rt.budget.spend(a.length);
    return b !== null && a.length === b.length && a.every((item, index) => looselyEqual(rt, item, b[index]!));
  }
  if (left instanceof Entry && right instanceof Entry) {
    return looselyEqual(rt, left.entryKey, right.entryKey) && looselyEqual(rt, left.value, right.value);
  }
  if (left instanceof GMap && right instanceof GMap)
    return equalMaps(rt, left, right, (x, y) => looselyEqual(rt, x, y));
  const [x, y] = [setItems(left), setItems(right)];
  if (x !== null && y !== null) {
    rt.budget.spend(x.length * y.length);
    return x.length === y.length && x.every((item) => y.some((other) => looselyEqual(rt, item, other)));
  }
  return strictlyEqual(rt, left, right);
}

function setItems(value: Value): readonly Value[] | null {
  if (value instanceof GSet) return value.items();
  if (
    value === null ||
    typeof value !== 'object' ||
    value.elements === undefined ||
    !value.javaClass.supertypes.has(SET)
  )
    return null;
  return value.elements();
}

function equalMaps(rt: Runtime, left: GMap, right: GMap, equal: (x: Value, y: Value) => boolean): boolean {
  rt.budget.spend(left.size);
  if (left.size !== right.size) return false;
  return left.entries().every((entry) => {
    const other = right.get(entry.entryKey);
    return other !== undefined && equal(entry.value, other);
  });
}

/** Java's `equals`. */
export function strictlyEqual(rt: Runtime, left: Value, right: Value): boolean {
  chargeValue();
  if (typeof left === 'string' && typeof right === 'string') chargeLength(Math.min(left.length, right.length));
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object') return false;
  if (left.equals !== undefined) return left.equals(right);
  if (typeof right !== 'object') return false;
  if (left instanceof Range && right instanceof Range && left.javaClass === INT_RANGE && right.javaClass === INT_RANGE)
    return left.text() === right.text();
  const [a, b] = [listItems(left), listItems(right)];
  if (a !== null)
    return (
      b !== null &&
      !(right instanceof ArrayValue) &&
      a.length === b.length &&
      a.every((item, index) => strictlyEqual(rt, item, b[index]!))
    );
  if (left instanceof GMap && right instanceof GMap)
    return equalMaps(rt, left, right, (x, y) => strictlyEqual(rt, x, y));
  const [x, y] = [setItems(left), setItems(right)];
  if (x !== null && y !== null)
    return x.length === y.length && left instanceof GSet && y.every((item) => left.has(item));
  return Object.is(keyOf(left), keyOf(right));
}

function isCharText(value: Value): value is string {
  return typeof value === 'string' && value.length === 1;
}

function isComparable(value: Value): boolean {
  if (value === null) return false;
  if (typeof value !== 'object') return true;
  return value.javaClass.supertypes.has(COMPARABLE);
}

/** Order of two values that Groovy compares as Comparable; null if it does not. */
function compareIfComparable(rt: Runtime, left: Value, right: Value, isForEquality: boolean): number | null {
  if (!isComparable(left)) return null;
  if (isNumber(left)) {
    if (isNumber(right) || right instanceof Char)
      return compareNumbers(left, right instanceof Char ? right.code : right);
    if (isCharText(right)) return compareNumbers(left, right.charCodeAt(0));
  } else if (left instanceof Char) {
    if (isCharText(right)) return left.code - right.charCodeAt(0);
    if (isNumber(right)) return compareNumbers(left.code, right);
    if (right instanceof Char) return left.code - right.code;
  } else if (left instanceof GString && !isForEquality) {
    return compareTexts(left.text(), rt.text(right));
  } else if (isNumber(right)) {
    if (isCharText(left)) return compareNumbers(left.charCodeAt(0), right);
  } else if (typeof left === 'string') {
    if (typeof right === 'string') return compareTexts(left, right);
    if (right instanceof Char || right instanceof GString) return compareTexts(left, rt.text(right));
  } else if (left instanceof GString && (typeof right === 'string' || right instanceof GString)) {
    return compareTexts(left.text(), rt.text(right));
  } else if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  else if (typeof left === 'object' && left !== null) {
    const object: Obj = left;
    const [a, b] = [rt.classOf(left), rt.classOf(right)];
    const isRelated = !isForEquality || a.isAssignableFrom(b) || (b.superclass !== null && b.isAssignableFrom(a));
    if (object.compare === undefined) return null;
    if (isRelated) return object.compare(right);
  }
  return isForEquality ? -1 : null;
}

/** Java's `compareTo` of strings: the difference of the first characters that differ, or of the lengths. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  chargeLength(length);
  for (let at = 0; at < length; at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Groovy's `<=>`; null is less than everything. */
export function order(rt: Runtime, left: Value, right: Value): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  const compared = compareIfComparable(rt, left, right, false);
  if (compared !== null) return compared;
  const shown = (value: Value): string => `${rt.classOf(value).name} with value '${messageText(rt, value)}'`;
  const message = `Cannot compare ${shown(left)} and ${shown(right)}`;
  if (!isComparable(left)) return rt.fail('java.lang.IllegalArgumentException', message);
  const [own, other] = [rt.classOf(left).name, rt.classOf(right).name];
  const cause = new Throwable(
    rt.class('java.lang.ClassCastException'),
    `class ${other} cannot be cast to class ${own} (${other} and ${own} are in module java.base of loader 'bootstrap')`,
  );
  return rt.fail('java.lang.IllegalArgumentException', message, cause);
}

/** Numbers in messages have separators between thousands. */
function messageText(rt: Runtime, value: Value): string {
  const text = rt.javaText(value);
  if (!isNumber(value) || !/^-?\d+$/.test(text)) return text;
  return text.startsWith('-') ? `-${groupedDigits(text.slice(1), 3)}` : groupedDigits(text, 3);
}
