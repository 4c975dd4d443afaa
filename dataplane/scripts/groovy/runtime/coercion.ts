import { KNOWN_ELSEWHERE } from '../compile/known-elsewhere.ts';
import { Closure } from '../values/closure.ts';
import { ArrayValue, ByteArray, GMap, GSet, List } from '../values/collections.ts';
import { isNumber, toInt } from '../values/conversions.ts';
import {
  ARRAY_LIST,
  BIG_DECIMAL,
  BIG_INTEGER,
  BOOLEAN,
  BYTE,
  CHARACTER,
  CLOSURE,
  COLLECTION,
  DOUBLE,
  FLOAT,
  HASH_SET,
  INTEGER,
  ITERABLE,
  LINKED_HASH_SET,
  LIST,
  LONG,
  NUMBER,
  PRIMITIVES,
  QUEUE,
  SET,
  SHORT,
  SORTED_SET,
  STRING,
  TREE_SET,
} from '../values/core-classes.ts';
import { parseDecimal } from '../values/decimal.ts';
import { GString } from '../values/g-string.ts';
import { CLASS, type JavaClass, OBJECT, type Value } from '../values/java-class.ts';
import { BigInteger, Byte, Char, Double, Float, Short } from '../values/numbers.ts';
import { Throwable, Thrown } from '../values/throwable.ts';
import { type Core, MISSING, settle } from './core.ts';
import { castFailure, missingConstructor, textForJava } from './failures.ts';
import { declaredOf, isEnumConstant } from './instance.ts';
import { hasOneAbstract, objectBelow } from './objects/abstract-proxies.ts';
import { prepareNow } from './objects/class-preparation.ts';
import { functional, proxyOf } from './objects/proxies.ts';
import { isPrimitive, toNumericType, wrapperOf } from './overloads.ts';

const NUMERIC: ReadonlySet<JavaClass> = new Set([INTEGER, LONG, DOUBLE, FLOAT, SHORT, BYTE, BIG_INTEGER, BIG_DECIMAL]);

/** A Java cast, or the assignment to a typed variable. */
export function castTo(core: Core, value: Value, type: JavaClass): Value {
  if (type === OBJECT) return value;
  const boxed = wrapperOf(type);
  if (value === null) {
    if (type === PRIMITIVES.boolean) return false;
    if (!isPrimitive(type) || type === PRIMITIVES.void) return null;
    if (type === PRIMITIVES.char) return core.fail('java.lang.NullPointerException');
    return castFailure(core, value, type, `. Try '${boxed.name}' instead`);
  }
  const own = core.classOf(value);
  if (boxed.isAssignableFrom(own)) return value;
  if (type.component !== null) return toArray(core, value, type);
  if (boxed === BOOLEAN) return core.truth(value);
  if (boxed === STRING) return textForJava(core, value);
  if (boxed === CLASS) {
    const found = core.classes.find(core.text(value));
    if (found === undefined) checkClassName(core, core.text(value));
    return found ?? castFailure(core, value, type, ` due to: java.lang.ClassNotFoundException: ${core.text(value)}`);
  }
  if (NUMERIC.has(boxed) || boxed === NUMBER || boxed === CHARACTER) return toNumber(core, value, type, boxed);
  if (value instanceof Closure && type.isInterface) return functional(core, value, type);
  if (value instanceof Closure && type.isAbstract && hasOneAbstract(core, type)) return objectBelow(core, value, type);
  if (type.isEnum && (typeof value === 'string' || value instanceof GString))
    return enumConstant(core, type, core.text(value));
  // Only `as` makes these: an assignment looks for a constructor of the interface.
  const isOpen = (value instanceof GSet && type === LIST) || type === QUEUE || type === SORTED_SET;
  const sized = value instanceof List ? bySize(core, value.items, type) : null;
  if (sized !== null) return sized;
  const collected = isOpen ? null : toCollection(core, value, type, false);
  if (collected !== null) return collected;
  if (value instanceof GMap && type.isInterface)
    return castFailure(core, value, type, ` due to: ${constructorHint(core, type, [value])}`);
  if (value instanceof List || value instanceof GSet) {
    const items = value instanceof List ? value.items : value.items();
    if (type.isInterface) return castFailure(core, value, type, ` due to: ${constructorHint(core, type, items)}`);
  }
  if (value instanceof List && !type.isInterface && !type.isAbstract && type !== CLOSURE)
    return constructFrom(core, value, type, value.items);
  if (value instanceof GMap && !type.isInterface && !type.isAbstract && type !== CLOSURE)
    return constructFrom(core, value, type, [value]);
  return castFailure(core, value, type);
}

/** Groovy takes the elements of a list for the arguments of a constructor first: a number is a capacity. */
function bySize(core: Core, items: readonly Value[], type: JavaClass): Value | null {
  const most = SIZED.get(type.name) ?? 0;
  if (items.length === 0 || items.length > most || !items.every((item) => typeof item === 'number')) return null;
  return core.now(settle(core.create(type, items.slice(0, 1))));
}

/** Collections with a constructor that takes so many numbers. */
const SIZED: ReadonlyMap<string, number> = new Map([
  ['java.util.Vector', 2],
  ['java.util.ArrayDeque', 1],
  ['java.util.PriorityQueue', 1],
]);

/** Groovy looks for a constructor that takes the elements, and an interface has none. */
function constructorHint(core: Core, type: JavaClass, items: readonly Value[]): string {
  try {
    return missingConstructor(core, type, items);
  } catch (error) {
    if (!(error instanceof Thrown)) throw error;
    return `${error.throwable.javaClass.name}: ${error.throwable.message}`;
  }
}

function constructFrom(core: Core, value: Value, type: JavaClass, args: readonly Value[]): Value {
  if (type.constructors.length === 0 && type.declared === null) return castFailure(core, value, type);
  try {
    return core.now(settle(core.create(type, args)));
  } catch (error) {
    if (declaredOf(type) !== null || !(error instanceof Thrown)) throw error;
    const { javaClass, message } = error.throwable;
    return castFailure(core, value, type, ` due to: ${javaClass.name}${message === null ? '' : `: ${message}`}`);
  }
}

export function classFor(core: Core, name: string): JavaClass {
  const found = core.classes.find(name);
  if (found === undefined) checkClassName(core, name);
  return found ?? core.fail('java.lang.ClassNotFoundException', name);
}

/** Packages of Java, Groovy and the gateway, of which only some classes are here. */
const ELSEWHERE = /^(?:javax?|jdk|groovy|org\.codehaus\.groovy|org\.apache\.groovy|org\.forgerock)\.[\w.$]+$/;

/** Packages all of whose classes are known by name. */
const LISTED = /^(?:java\.(?:lang|util|io|net)|groovy\.(?:lang|util))\.([A-Z][\w$]*)$/;

function checkClassName(core: Core, name: string): void {
  const listed = LISTED.exec(name)?.[1];
  if (listed === undefined ? ELSEWHERE.test(name) : KNOWN_ELSEWHERE.has(listed))
    core.fail('java.lang.UnsupportedOperationException', `class ${name} is not available`);
}

function enumConstant(core: Core, type: JavaClass, name: string): Value {
  prepareNow(core, type);
  const found =
    declaredOf(type)?.constants.find((each) => isEnumConstant(each) && each.fields.get('$name') === name) ??
    constantOf(core, type, name);
  return (
    found ??
    core.fail('java.lang.IllegalArgumentException', `No enum constant ${type.name.replaceAll('$', '.')}.${name}`)
  );
}

function constantOf(core: Core, type: JavaClass, name: string): Value | undefined {
  const constant = type.constants.get(name);
  return typeof constant === 'function' ? constant(core) : constant;
}

function toNumber(core: Core, value: Value, type: JavaClass, boxed: JavaClass): Value {
  if (isNumber(value) || value instanceof Char) return boxed === NUMBER ? value : toNumericType(boxed, value);
  const text = typeof value === 'string' ? value : value instanceof GString ? value.text() : null;
  if (text !== null && text.length === 1 && boxed !== NUMBER)
    return boxed === CHARACTER ? new Char(text.charCodeAt(0)) : toNumericType(boxed, text.charCodeAt(0));
  return castFailure(core, value, type);
}

/** Elements of a list, set or array. */
function itemsOf(value: Value): readonly Value[] | null {
  if (value instanceof List || value instanceof ArrayValue) return value.items;
  if (value instanceof GSet) return value.items();
  if (value instanceof ByteArray) return [...new Int8Array(value.bytes)].map((each) => new Byte(each));
  return value !== null && typeof value === 'object' && value.elements !== undefined ? value.elements() : null;
}

function toArray(
  core: Core,
  value: Value,
  type: JavaClass,
  convert = (item: Value): Value => castTo(core, item, type.component!),
): Value {
  const component = type.component!;
  if (typeof value === 'string' && component === PRIMITIVES.byte)
    return new ByteArray(new Uint8Array(Buffer.from(value)));
  const items =
    itemsOf(value) ?? (typeof value === 'string' ? value.split('') : value instanceof GMap ? value.entries() : [value]);
  core.budget.allocate(items.length * 8);
  return newArray(component, items.map(convert));
}

export function newArray(component: JavaClass, items: Value[]): Value {
  return component === PRIMITIVES.byte
    ? new ByteArray(Uint8Array.from(items, (each) => toInt(each) & 0xff))
    : new ArrayValue(component, items);
}

/** A list or array as another kind of collection; null if the type is none. */
function toCollection(core: Core, value: Value, type: JavaClass, isAs: boolean): Value | null {
  const items = itemsOf(value);
  if (items === null || !(COLLECTION.isAssignableFrom(type) || type === ITERABLE)) return null;
  core.budget.allocate(items.length * 8);
  if (type === LIST || type === COLLECTION || type === ARRAY_LIST || type === ITERABLE) return new List([...items]);
  if (type === SET || type === LINKED_HASH_SET) return new GSet(items);
  if (type === HASH_SET && !isAs) return new GSet(items);
  if (type === HASH_SET) return core.now(settle(core.create(HASH_SET, [new List([...items])])));
  if (type === SORTED_SET || type === TREE_SET) return core.now(settle(core.create(TREE_SET, [new List([...items])])));
  if (type === QUEUE) return core.now(settle(core.create(core.class('LinkedList'), [new List([...items])])));
  return type.constructors.length > 0 ? core.now(settle(core.create(type, [new List([...items])]))) : null;
}

/** `value as Type` */
export function asType(core: Core, value: Value, type: JavaClass): Value {
  if (value === null) {
    if (type === PRIMITIVES.boolean) return false;
    return isPrimitive(type) && type !== PRIMITIVES.void ? core.fail('java.lang.NullPointerException') : null;
  }
  const boxed = wrapperOf(type);
  const own = core.classOf(value);
  if (boxed.isAssignableFrom(own)) return value;
  const custom =
    own.declared === null
      ? MISSING
      : core.tryCall(
          value,
          core.methods(own, 'asType').filter((each) => (each as { isOfScript?: boolean }).isOfScript === true),
          [type],
        );
  if (custom !== MISSING) return core.now(settle(custom));
  if (typeof value === 'string' || value instanceof GString) return textAs(core, core.text(value), value, type, boxed);
  if (boxed === STRING) return core.text(value);
  if (value instanceof GMap && type.isInterface) return proxyOf(core, value, type);
  if ((value instanceof GMap || value instanceof Closure) && isClassToExtend(type)) return asObject(core, value, type);
  if (value instanceof Float && (boxed === DOUBLE || boxed === BIG_DECIMAL))
    return parseNumber(core, core.text(value), boxed);
  if (type.component !== null && core.isInstance(value, COLLECTION))
    return toArray(core, value, type, (item) => asType(core, item, type.component!));
  const made = toCollection(core, value, type, true);
  // Groovy makes an object of both classes here, which the library could not read.
  if (made === null && type.isInterface && (ITERABLE.isAssignableFrom(type) || type.name === 'java.util.Map'))
    core.fail('java.lang.UnsupportedOperationException', `${own.name} as ${type.name} is not available`);
  return made ?? castTo(core, value, boxed);
}

/** A class that an object made of closures can be of. */
function isClassToExtend(type: JavaClass): boolean {
  if (type.isInterface || isPrimitive(type) || type.component !== null || type === BOOLEAN || type === STRING)
    return false;
  return type.declared !== null || type.isAbstract || COLLECTION.isAssignableFrom(type);
}

/** A map sets properties where the class has all of them. */
function asObject(core: Core, value: GMap | Closure, type: JavaClass): Value {
  if (value instanceof Closure || type.isAbstract || type.declared === null) return objectBelow(core, value, type);
  const names = value.entries().map(({ entryKey }) => core.text(entryKey));
  return names.every((name) => hasProperty(core, type, name))
    ? castTo(core, value, type)
    : objectBelow(core, value, type);
}

function hasProperty(core: Core, type: JavaClass, name: string): boolean {
  const setter = `set${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const isField = [...type.supertypes].some((each) => declaredOf(each)?.fields.has(name) === true);
  const hooks = ['propertyMissing', 'setProperty'].some((hook) => core.ofScript(type, hook, 2).length > 0);
  return isField || hooks || core.methods(type, setter).length > 0;
}

function textAs(core: Core, text: string, value: Value, type: JavaClass, boxed: JavaClass): Value {
  if (boxed === CHARACTER && value instanceof GString) return castTo(core, value, PRIMITIVES.char);
  if (boxed === CHARACTER)
    return text === ''
      ? core.fail('java.lang.StringIndexOutOfBoundsException', 'index 0, length 0')
      : new Char(text.charCodeAt(0));
  if (NUMERIC.has(boxed)) return parseNumber(core, text.trim(), boxed);
  if (type === LIST && !(value instanceof GString)) return new List(text.split(''));
  if (type.name === 'java.util.Map') return core.send(value, 'keySet', []) as Value;
  // Groovy makes an object of both classes here, which the library could not read.
  if (type.isInterface && type.declared === null && !(value instanceof GString && type === COLLECTION))
    core.fail(
      'java.lang.UnsupportedOperationException',
      `${core.classOf(value).name} as ${type.name} is not available`,
    );
  if (type.component === STRING) return newArray(STRING, text.split(''));
  return castTo(core, value, boxed);
}

/** Reads a number, as `toInteger()` and its like do. */
export function parseNumber(core: Core, text: string, type: JavaClass): Value {
  const bad = (): never =>
    core.fail(
      'java.lang.NumberFormatException',
      text === '' && type !== BIG_DECIMAL
        ? type === DOUBLE || type === FLOAT
          ? 'empty String'
          : type === BIG_INTEGER
            ? 'Zero length BigInteger'
            : 'For input string: ""'
        : `For input string: "${text}"`,
    );
  if (type === DOUBLE || type === FLOAT) {
    const bare = text.replace(/[dDfF]$/, '');
    if (!/^[+-]?(?:NaN|Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)$/.test(bare)) return bad();
    return type === DOUBLE ? new Double(Number(bare)) : new Float(Number(bare));
  }
  if (type === BIG_DECIMAL) {
    const decimal = parseDecimal(text);
    if (decimal !== null) return decimal;
    const odd = /[^0-9.+\-eE]/.exec(text)?.[0];
    if (text === '') {
      const type = core.class('java.lang.ArrayIndexOutOfBoundsException');
      const cause = new Throwable(type, 'Index 0 out of bounds for length 0');
      return core.fail('java.lang.NumberFormatException', null, cause);
    }
    return core.fail(
      'java.lang.NumberFormatException',
      odd === undefined
        ? null
        : `Character ${/^[a-zA-Z]/.test(text) || odd !== '' ? odd : text[0]} is neither a decimal digit number, decimal point, nor "e" notation exponential mark.`,
    );
  }
  if (!/^[+-]?\d+$/.test(text)) return bad();
  core.budget.allocate(text.length);
  const whole = BigInt(text.replace(/^\+/, ''));
  if (type === BIG_INTEGER) return new BigInteger(whole);
  const bits = type === LONG ? 64 : type === INTEGER ? 32 : type === SHORT ? 16 : 8;
  if (BigInt.asIntN(bits, whole) !== whole) {
    if (bits < 32) return core.fail('java.lang.NumberFormatException', `Value out of range. Value:"${text}" Radix:10`);
    return bad();
  }
  if (type === LONG) return whole;
  const number = Number(whole);
  return type === INTEGER ? number : type === SHORT ? new Short(number) : new Byte(number);
}
