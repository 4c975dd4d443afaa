import {
  type BitOperator,
  bitOperation,
  calculate,
  divide,
  integerQuotient,
  negate,
  power,
  remainder,
  stepped,
} from '../values/arithmetic.ts';
import { Closure } from '../values/closure.ts';
import { ArrayValue, ByteArray, GMap, List } from '../values/collections.ts';
import { order } from '../values/comparison.ts';
import { isNumber, toDouble, toInt } from '../values/conversions.ts';
import { COMPARABLE } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import type { Steps, Value } from '../values/java-class.ts';
import { Byte, Char, Short } from '../values/numbers.ts';
import { Range } from '../values/range.ts';
import { Throwable } from '../values/throwable.ts';
import { type Core, isSteps, type Outcome, settle } from './core.ts';
import { missingMethod, nullPointer } from './failures.ts';

const BITS: ReadonlySet<string> = new Set(['and', 'or', 'xor', 'leftShift', 'rightShift', 'rightShiftUnsigned']);

/** A binary operator by the name of its method. */
export function operate(core: Core, name: string, left: Value, right: Value): Outcome {
  core.budget.spend(1);
  const a = left instanceof Char && isNumber(right) ? left.code : left;
  const b = right instanceof Char && isNumber(left) ? right.code : right;
  if (isNumber(a) && isNumber(b)) return operateNumbers(core, name, a, b);
  if (name === 'plus') {
    const sum = concatenate(core, left, right);
    if (sum !== null) return sum;
  }
  if (left instanceof Char && right instanceof Char && (name === 'plus' || name === 'minus' || name === 'multiply'))
    return calculate(core, name, left.code, right.code);
  if (isNumber(left) && right === null) return withNull(core, name, left);
  if (typeof left === 'boolean' && typeof right === 'boolean') {
    if (name === 'and') return left && right;
    if (name === 'or') return left || right;
    if (name === 'xor') return left !== right;
  }
  // Groovy asks the owner of a closure for operators that it does not have.
  if (left instanceof Closure && !core.hasExpandos && core.methods(left.javaClass, name).length === 0)
    return missingMethod(core, core.classOf(left.thisObject), name, [right]);
  return core.send(left, name, [right]);
}

/** A number and null: Groovy cannot choose an overload, or fails within it. */
function withNull(core: Core, name: string, left: Value): Outcome {
  const type = core.classOf(left).name;
  const types = (name === 'plus' ? ['Character', 'String', 'Number'] : ['Character', 'Number']).map(
    (each) => `java.lang.${each}`,
  );
  if (name === 'plus' && type === 'java.math.BigDecimal') types.push('java.math.MathContext');
  if (name === 'and' || name === 'or' || name === 'xor')
    return core.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use ${name}() on this number type: ${type} with value: ${core.text(left)}`,
    );
  if (!['plus', 'minus', 'multiply', 'div', 'intdiv'].includes(name))
    return core.fail('java.lang.NullPointerException');
  return core.fail(
    'groovy.lang.GroovyRuntimeException',
    `Ambiguous method overloading for method ${type}#${name}.\nCannot resolve which method to invoke for [null] due to overlapping prototypes between:\n${types.map((each) => `\t[class ${each}]`).join('\n')}`,
  );
}

function operateNumbers(core: Core, name: string, left: Value, right: Value): Outcome {
  switch (name) {
    case 'plus':
    case 'minus':
    case 'multiply':
      return calculate(core, name, left, right);
    case 'div':
      return divide(core, left, right);
    case 'mod':
    case 'remainder':
      return remainder(core, left, right);
    case 'intdiv':
      return integerQuotient(core, left, right);
    case 'power':
      return power(core, left, right);
    default: {
      const result = BITS.has(name) ? bitOperation(core, name as BitOperator, left, right) : undefined;
      return result ?? core.send(left, name, [right]);
    }
  }
}

/** Text and something; null if neither is text. */
function concatenate(core: Core, left: Value, right: Value): Value | null {
  if (typeof left === 'string') return joined(core, left, core.text(right));
  if (left instanceof GString) {
    if (right instanceof GString) return joinedGStrings(left, right);
    if (typeof right === 'string')
      return new GString([...left.strings.slice(0, -1), left.strings.at(-1)! + right], left.values);
    return joined(core, left.text(), core.text(right));
  }
  if (typeof right !== 'string' && !(right instanceof GString)) return null;
  if (left === null) return joined(core, 'null', core.text(right));
  return isNumber(left) ? joined(core, core.text(left), core.text(right)) : null;
}

function joined(core: Core, left: string, right: string): string {
  core.budget.allocate((left.length + right.length) * 2);
  return left + right;
}

function joinedGStrings(left: GString, right: GString): GString {
  const middle = left.strings.at(-1)! + right.strings[0]!;
  return new GString(
    [...left.strings.slice(0, -1), middle, ...right.strings.slice(1)],
    [...left.values, ...right.values],
  );
}

export function unary(core: Core, operator: '-' | '+' | '~', value: Value): Outcome {
  if (value instanceof List && value.javaClass.declared === null) return unaryOfAll(core, operator, value.items);
  if (operator === '-') return isNumber(value) ? negate(value) : core.send(value, 'negative', []);
  if (operator === '+') return isNumber(value) || typeof value === 'boolean' ? value : core.send(value, 'positive', []);
  if (typeof value === 'number') return ~value;
  if (typeof value === 'bigint') return ~value;
  if (isNumber(value) && !core.isInstance(value, core.class('BigInteger'))) {
    const shown = `${core.classOf(value).name} with value: ${core.text(value)}`;
    return core.fail(
      'java.lang.UnsupportedOperationException',
      `Cannot use bitwiseNegate() on this number type: ${shown}`,
    );
  }
  if (typeof value === 'string' || value instanceof GString)
    return core.sendStatic(core.class('java.util.regex.Pattern'), 'compile', [core.text(value)]);
  return core.send(value, 'bitwiseNegate', []);
}

function* unaryOfAll(core: Core, operator: '-' | '+' | '~', items: readonly Value[]): Steps {
  const results: Value[] = [];
  for (const item of items) results.push(yield* settle(unary(core, operator, item)));
  core.budget.allocate(results.length * 8);
  return new List(results);
}

/** `++` and `--` */
export function step(core: Core, value: Value, by: 1 | -1): Outcome {
  if (typeof value === 'number') return (value + by) | 0;
  if (isNumber(value) || value instanceof Char) return stepped(core, value, by);
  return core.send(value, by > 0 ? 'next' : 'previous', []);
}

/** `left < right` and so on. */
export function compareWith(core: Core, operator: '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  const compared = typeof left === 'number' && typeof right === 'number' ? left - right : order(core, left, right);
  switch (operator) {
    case '<':
      return compared < 0;
    case '<=':
      return compared <= 0;
    case '>':
      return compared > 0;
    default:
      return compared >= 0;
  }
}

/** Comparison of primitive numbers, one of which is a double or a float. */
export function comparePrimitives(operator: '==' | '!=' | '<' | '<=' | '>' | '>=', left: Value, right: Value): boolean {
  const [a, b] = [toDouble(left), toDouble(right)];
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

/** Small numbers are the same object in Java. Other numbers and texts are no objects here, so that equal ones cannot be told apart. @param areDistinct tells that they are not the same object */
export function isSame(core: Core, left: Value, right: Value, areDistinct: boolean): boolean {
  const type = typeof left;
  if (type === 'string' || type === 'number' || type === 'bigint') {
    if (left !== right) return false;
    if (type !== 'string' && Number(left) >= -128 && Number(left) <= 127) return true;
    if (areDistinct) return false;
    return core.fail(
      'java.lang.UnsupportedOperationException',
      `the identity of equal ${type === 'string' ? 'texts' : 'numbers'} is not available`,
    );
  }
  const isCached = (left instanceof Char && left.code < 128) || left instanceof Byte;
  return left === right || (isCached && core.javaEquals(left, right));
}

/** `<=>` gives only the sign of what `compareTo` gives. */
export function spaceship(core: Core, left: Value, right: Value): number {
  return Math.sign(order(core, left, right));
}

const LONGEST_RANGE = 10_000_000;

/** `from..to` */
export function makeRange(core: Core, from: Value, to: Value, skips: { first: boolean; last: boolean }): Value {
  const [start, end] = rangeEnds(core, from, to);
  const items: Value[] = [];
  if (typeof start === 'number' && typeof end === 'number') {
    const count = Math.abs(end - start) + 1;
    if (count > LONGEST_RANGE) core.budget.allocate(Number.POSITIVE_INFINITY);
    core.budget.allocate(count * 8);
    const by = end >= start ? 1 : -1;
    for (let at = 0; at < count; at++) items.push(start + at * by);
  } else walkRange(core, start, end, items);
  if (skips.first) items.shift();
  if (skips.last) items.pop();
  // Groovy keeps the ends of some of these, and as indexes they count from the end.
  if (items.length === 0 && start !== end && typeof start === 'number' && start < 0)
    core.fail('java.lang.UnsupportedOperationException', `the range ${start}<..<${core.text(end)} is not available`);
  if (items.length === 0) return new Range(start, start, items, { last: true });
  const isMixed = typeof start === 'number' && !(isNumber(from) && isNumber(to));
  return new Range(start, end, items, skips, null, isMixed);
}

/** The ends as Groovy takes them: numbers of one type, and characters as numbers if only one of the two is a text. */
function rangeEnds(core: Core, from: Value, to: Value): [Value, Value] {
  if (from === null || to === null)
    core.fail(
      'java.lang.IllegalArgumentException',
      `Must specify a non-null value for the '${from === null ? 'from' : 'to'}' index in a Range`,
    );
  const [start, end] = [rangeEnd(from), rangeEnd(to)];
  if (isNumber(start) && isNumber(end)) {
    const isLong = typeof start === 'bigint' || typeof end === 'bigint';
    const widened = (value: Value): Value => (isLong && typeof value === 'number' ? BigInt(value) : value);
    return [widened(start), widened(end)];
  }
  for (const each of [start, end])
    if (!core.isInstance(each, COMPARABLE))
      core.fail(
        'java.lang.ClassCastException',
        `class ${core.classOf(each).name} cannot be cast to class java.lang.Comparable`,
      );
  if (core.classOf(start) === core.classOf(end)) {
    if (typeof start === 'string') checkTexts(core, start, end as string);
    return [start, end];
  }
  const code = (value: Value): Value =>
    value instanceof Char ? value.code : typeof value === 'string' && value.length === 1 ? value.charCodeAt(0) : value;
  const [first, last] = [code(start), code(end)];
  if (isNumber(first) !== isNumber(last)) {
    const shown = `${core.classOf(start).simpleName}..${core.classOf(end).simpleName}`;
    core.fail(
      'java.lang.IllegalArgumentException',
      `Unable to create range due to incompatible types: ${shown} (possible missing brackets around range?)`,
      new Throwable(core.class('java.lang.IllegalArgumentException'), null),
    );
  }
  return [first, last];
}

function rangeEnd(value: Value): Value {
  if (value instanceof GString) return value.text();
  return value instanceof Short || value instanceof Byte ? toInt(value) : value;
}

/** Counting only changes the last character of a text. */
function checkTexts(core: Core, start: string, end: string): void {
  const reason =
    start.length !== end.length
      ? 'different length'
      : start.slice(0, -1) !== end.slice(0, -1)
        ? 'String#next() will not reach the expected value'
        : null;
  if (reason !== null) core.fail('java.lang.IllegalArgumentException', `Incompatible Strings for Range: ${reason}`);
}

function walkRange(core: Core, from: Value, to: Value, items: Value[]): void {
  const direction = order(core, from, to) <= 0 ? 1 : -1;
  let at: Value = from;
  for (;;) {
    core.budget.allocate(16);
    if (order(core, at, to) * direction > 0) return;
    items.push(at);
    if (core.equals(at, to)) return;
    const next = step(core, at, direction);
    at = isSteps(next) ? core.now(next) : next;
    if (typeof at === 'string' && typeof to === 'string' && at.length > to.length) return;
  }
}

/** `self[index]` */
export function elementAt(core: Core, self: Value, index: Value): Outcome {
  core.budget.spend(1);
  if (typeof index === 'number') {
    if (self instanceof List && self.javaClass.declared === null) {
      const at = index < 0 ? index + self.items.length : index;
      if (at < 0)
        core.fail(
          'java.lang.ArrayIndexOutOfBoundsException',
          `Negative array index [${index}] too large for array size ${self.items.length}`,
        );
      return self.items[at] ?? null;
    }
    if (self instanceof ArrayValue) return self.items[arrayIndex(core, index, self.items.length)]!;
    if (self instanceof ByteArray) return new Byte(self.bytes[arrayIndex(core, index, self.bytes.length)]!);
  }
  if (self instanceof GMap && self.javaClass.declared === null) {
    const key = index instanceof GString ? index.text() : index;
    const found = self.get(key);
    return found !== undefined
      ? found
      : self.defaultFor !== null || key === null
        ? core.send(self, 'get', [key])
        : null;
  }
  if (self === null && (typeof index === 'string' || index instanceof GString))
    return nullPointer(core, `Cannot get property '${core.text(index)}' on null object`);
  return index === null && self !== null && hasPlaces(self) ? noIndex(core, self) : core.send(self, 'getAt', [index]);
}

/** Texts, lists, ranges and arrays of the library. */
function hasPlaces(self: Value): boolean {
  return (
    typeof self === 'string' ||
    self instanceof GString ||
    self instanceof Range ||
    self instanceof ArrayValue ||
    self instanceof ByteArray ||
    (self instanceof List && self.javaClass.declared === null)
  );
}

function noIndex(core: Core, self: Value): never {
  return core.fail(
    'groovy.lang.GroovyRuntimeException',
    `Ambiguous method overloading for method ${core.classOf(self).name}#getAt.\nCannot resolve which method to invoke for [null] due to overlapping prototypes between:\n\t[interface groovy.lang.Range]\n\t[interface java.util.Collection]`,
  );
}

function arrayIndex(core: Core, index: number, length: number): number {
  const at = index < 0 ? index + length : index;
  if (at < 0)
    core.fail(
      'java.lang.ArrayIndexOutOfBoundsException',
      `Negative array index [${index}] too large for array size ${length}`,
    );
  if (at >= length)
    core.fail('java.lang.ArrayIndexOutOfBoundsException', `Index ${at} out of bounds for length ${length}`);
  return at;
}

/** `self[index] = value` */
export function putElement(core: Core, self: Value, index: Value, value: Value): Outcome {
  core.budget.spend(1);
  if (self instanceof ArrayValue && typeof index === 'number') {
    const component = self.javaClass.component!;
    self.items[arrayIndex(core, index, self.items.length)] = core.cast(value, component);
    return value;
  }
  if (self instanceof ByteArray && typeof index === 'number') {
    const byte = core.cast(value, core.class('byte')) as Byte;
    self.bytes[arrayIndex(core, index, self.bytes.length)] = byte.value & 0xff;
    return value;
  }
  if (self === null && (typeof index === 'string' || index instanceof GString))
    return nullPointer(core, `Cannot set property '${core.text(index)}' on null object`);
  if (self instanceof GMap && self.javaClass.declared === null)
    return core.send(self, 'put', [index instanceof GString ? index.text() : index, value]);
  return core.send(self, 'putAt', [index, value]);
}
