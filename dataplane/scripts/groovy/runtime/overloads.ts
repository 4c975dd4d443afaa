import { rankOf } from '../values/arithmetic.ts';
import { Closure } from '../values/closure.ts';
import { ArrayValue, ByteArray } from '../values/collections.ts';
import { toBigInt, toDecimal, toDouble, toInt, toLong } from '../values/conversions.ts';
import {
  BIG_DECIMAL,
  BIG_INTEGER,
  BOOLEAN,
  BYTE,
  CHARACTER,
  DOUBLE,
  FLOAT,
  INTEGER,
  LONG,
  PRIMITIVES,
  SHORT,
  STRING,
} from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import { JavaClass, type LibraryMethod, OBJECT, type Runtime, type Value } from '../values/java-class.ts';
import { BigInteger, Byte, Char, Double, Float, Short } from '../values/numbers.ts';
import { listedOverloads } from './objects/listed-overloads.ts';
import { failsForNull, nullPrototypes } from './objects/null-prototypes.ts';
import { parameterDistance, WIDENED_NUMBERS } from './parameter-distance.ts';
import { bareArgument } from './typed-argument.ts';

function widenedFrom(type: JavaClass): readonly JavaClass[] {
  return WIDENED_NUMBERS.slice(WIDENED_NUMBERS.indexOf(type));
}

/** Widening, from the class of an argument to parameter types in the order of preference. */
const WIDENING: ReadonlyMap<JavaClass, readonly JavaClass[]> = new Map([
  [BYTE, widenedFrom(PRIMITIVES.byte)],
  [SHORT, widenedFrom(PRIMITIVES.short)],
  [INTEGER, widenedFrom(PRIMITIVES.int)],
  [LONG, widenedFrom(PRIMITIVES.long)],
  [
    BIG_INTEGER,
    [BIG_INTEGER, PRIMITIVES.int, INTEGER, BIG_DECIMAL, PRIMITIVES.double, DOUBLE, PRIMITIVES.float, FLOAT],
  ],
  [FLOAT, widenedFrom(PRIMITIVES.float)],
  [DOUBLE, widenedFrom(PRIMITIVES.double)],
  [BIG_DECIMAL, [BIG_DECIMAL, PRIMITIVES.double, DOUBLE, PRIMITIVES.float, FLOAT]],
  [CHARACTER, [PRIMITIVES.char, CHARACTER]],
  [BOOLEAN, [PRIMITIVES.boolean, BOOLEAN]],
]);

const PRIMITIVE_TYPES: ReadonlySet<JavaClass> = new Set(Object.values(PRIMITIVES));

export function isPrimitive(type: JavaClass): boolean {
  return PRIMITIVE_TYPES.has(type);
}

const WRAPPERS: ReadonlyMap<JavaClass, JavaClass> = new Map([
  [PRIMITIVES.int, INTEGER],
  [PRIMITIVES.long, LONG],
  [PRIMITIVES.double, DOUBLE],
  [PRIMITIVES.float, FLOAT],
  [PRIMITIVES.short, SHORT],
  [PRIMITIVES.byte, BYTE],
  [PRIMITIVES.char, CHARACTER],
  [PRIMITIVES.boolean, BOOLEAN],
]);

/** The class of the objects of a primitive type; any other class is its own. */
export function wrapperOf(type: JavaClass): JavaClass {
  return WRAPPERS.get(type) ?? type;
}

/** True if a call can pass the argument to a parameter of the type. */
function fits(rt: Runtime, value: Value, type: JavaClass): boolean {
  if (value === null) return !isPrimitive(type);
  const own = rt.classOf(value);
  if (own === type || type === OBJECT || WIDENING.get(own)?.includes(type) === true) return true;
  if (type.component !== null && own.component !== null)
    return (
      !isPrimitive(own.component) && !isPrimitive(type.component) && type.component.isAssignableFrom(own.component)
    );
  if (own.supertypes.has(type)) return true;
  return (value instanceof Closure && type.sam !== null) || (type === STRING && value instanceof GString);
}

export interface Selection {
  readonly method: LibraryMethod;
  /** The last parameters are packed into an array. */
  readonly packs: boolean;
  /** A call without arguments passes null to the one parameter. */
  readonly passesNull?: boolean;
}

/** The overload that Groovy chooses, or null. If several are equally near, it chooses none. */
export function selectOverload(
  rt: Runtime,
  typesOf: (method: LibraryMethod) => readonly JavaClass[],
  overloads: readonly LibraryMethod[],
  args: readonly Value[],
  self: Value = null,
): Selection | null {
  let best: Selection[] = [];
  let least = Number.POSITIVE_INFINITY;
  if (args.includes(null)) checkNulls(rt, overloads[0]!.name, args, self);
  for (const method of overloads) {
    const types = typesOf(method);
    const packs = packing(rt, method, types, args);
    if (packs === null) continue;
    const distance = parameterDistance(rt, args, types, packs);
    if (distance === 0) return { method, packs };
    if (distance < least) [best, least] = [[], distance];
    if (distance === least) best.push({ method, packs });
  }
  const isNull = args.includes(null) && best.some(({ method }) => typesOf(method).at(-1)!.component === null);
  if (best.length > 1 && (isNull || best.every(({ method }) => isKnown(typesOf, method))))
    ambiguous(rt, typesOf, best, args, self);
  const [chosen] = best;
  if (chosen === undefined) return withoutArguments(rt, typesOf, overloads, args, self);
  if (args.includes(null) && needsFunction(typesOf(chosen.method), args)) rt.fail('java.lang.NullPointerException');
  return chosen;
}

/** Java does not take null for a function. */
function needsFunction(types: readonly JavaClass[], args: readonly Value[]): boolean {
  return types.some((type, at) => args[at] === null && type.name.startsWith('java.util.function.'));
}

/** Overloads of scripts are known in full, and those of the library that only take numbers, such as `Math.max`. */
function isKnown(typesOf: (method: LibraryMethod) => readonly JavaClass[], method: LibraryMethod): boolean {
  return 'isOfScript' in method || typesOf(method).every(isPrimitive);
}

/** A call without arguments passes null to the one parameter of a method without overloads, or no elements to an array. */
function withoutArguments(
  rt: Runtime,
  typesOf: (method: LibraryMethod) => readonly JavaClass[],
  overloads: readonly LibraryMethod[],
  args: readonly Value[],
  self: Value,
): Selection | null {
  const [only, ...others] = overloads;
  if (args.length > 0 || only === undefined) return null;
  const isOfLibrary = overloads.every((each) => each.shown === undefined);
  if (isOfLibrary && SEVERAL.has(only.name)) noLibrarySelection(rt, only.name, self);
  const array = isOfLibrary
    ? overloads.find((each) => typesOf(each).length === 1 && typesOf(each)[0]!.component !== null)
    : undefined;
  if (array !== undefined) return { method: array, packs: true };
  if (others.length === 0 && takesNull(typesOf(only))) {
    if (needsFunction(typesOf(only), [null])) rt.fail('java.lang.NullPointerException');
    return { method: only, packs: false, passesNull: true };
  }
  if (others.length === 0) return null;
  if (isOfLibrary) noLibrarySelection(rt, only.name, self);
  return overloads.every((each) => each.shown !== undefined) ? noSelection(rt, overloads) : null;
}

/** Methods that have one overload for all types here, and several in Groovy. */
const SEVERAL: ReadonlySet<string> = new Set(
  'plus minus multiply div intdiv power mod remainder toJson forName sleep inject print'.split(' '),
);

/** Groovy lists the overloads of Java, which are known here for common methods. */
function noLibrarySelection(rt: Runtime, name: string, self: Value): never {
  const type = self instanceof JavaClass ? self : rt.classOf(self);
  const method = name === '' ? '<init>' : name;
  const listed = listedOverloads(type.supertypes, method);
  if (listed === null)
    rt.fail(
      'java.lang.UnsupportedOperationException',
      `a call of ${name === '' ? `new ${type.name}` : `${type.name}.${name}`}() without arguments is not available`,
    );
  return selectionFailure(rt, method, listed!);
}

function selectionFailure(rt: Runtime, method: string, listed: readonly string[]): never {
  return rt.fail(
    'org.codehaus.groovy.runtime.metaclass.MethodSelectionException',
    `Could not find which method ${method}() to invoke from this list:${listed.map((each) => `\n  ${each}`).join('')}`,
  );
}

/** A call without arguments of a method of a script that has several overloads, all with parameters. */
function noSelection(rt: Runtime, overloads: readonly LibraryMethod[]): never {
  const shown = [...overloads]
    .sort((left, right) => left.parameters.length - right.parameters.length)
    .map((each) => each.shown!);
  return selectionFailure(rt, overloads[0]!.name, shown);
}

/** Java has overloads that a null fits equally well and that are one here. */
function checkNulls(rt: Runtime, method: string, args: readonly Value[], self: Value): void {
  const type = self instanceof JavaClass ? self : rt.classOf(self);
  const name = method === '' ? '<init>' : method;
  if (failsForNull(type, name, args)) rt.fail('java.lang.NullPointerException');
  const listed = nullPrototypes(type, name, args);
  if (listed !== null) ambiguity(rt, `${type.name}#${name}`, args, listed);
}

/** True if the last arguments must be packed into an array, null if the arguments do not fit. */
function packing(
  rt: Runtime,
  method: LibraryMethod,
  types: readonly JavaClass[],
  args: readonly Value[],
): boolean | null {
  if (types.length === args.length && args.every((arg, at) => fits(rt, arg, types[at]!))) return false;
  const fixed = types.length - 1;
  if (!method.isVariadic || args.length < fixed) return null;
  const component = types[fixed]!.component!;
  return args.every((arg, at) => fits(rt, arg, at < fixed ? types[at]! : component)) ? true : null;
}

function ambiguous(
  rt: Runtime,
  typesOf: (method: LibraryMethod) => readonly JavaClass[],
  equal: readonly Selection[],
  args: readonly Value[],
  self: Value,
): never {
  const shown = (type: JavaClass): string => {
    if (isPrimitive(type)) return type.name;
    return `${type.isInterface ? 'interface' : 'class'} ${type.name}`;
  };
  const nameOf = ({ method }: Selection): string =>
    typesOf(method)
      .map((type) => type.name)
      .join(', ');
  const prototypes = [...equal]
    .sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
    .map(({ method: each }) => `[${typesOf(each).map(shown).join(', ')}]`);
  const { method } = equal[0]!;
  const type = self instanceof JavaClass || self === null ? self : rt.classOf(self);
  const owner = type?.name ?? method.owner?.name ?? 'Script1';
  return ambiguity(rt, `${owner}#${method.name === '' ? '<init>' : method.name}`, args, prototypes);
}

function ambiguity(rt: Runtime, method: string, args: readonly Value[], prototypes: readonly string[]): never {
  const given = args.map((arg) => (arg === null ? 'null' : `class ${rt.classOf(arg).name}`));
  return rt.fail(
    'groovy.lang.GroovyRuntimeException',
    `Ambiguous method overloading for method ${method}.\nCannot resolve which method to invoke for [${given.join(', ')}] due to overlapping prototypes between:\n${prototypes.map((each) => `\t${each}`).join('\n')}`,
  );
}

/** One parameter that may be null. */
export function takesNull(types: readonly JavaClass[]): boolean {
  return types.length === 1 && !isPrimitive(types[0]!);
}

/** The arguments as the parameters want them. */
export function convertArguments(
  types: readonly JavaClass[],
  args: readonly Value[],
  packs: boolean,
): readonly Value[] {
  if (packs) {
    const fixed = types.length - 1;
    const component = types[fixed]!.component!;
    const rest = args.slice(fixed).map((each) => convertArgument(component, bareArgument(each)));
    const packed =
      component === PRIMITIVES.byte
        ? new ByteArray(Uint8Array.from(rest, (each) => toInt(each)))
        : new ArrayValue(component, rest);
    return [...args.slice(0, fixed).map((each, at) => convertArgument(types[at]!, bareArgument(each))), packed];
  }
  let converted: Value[] | null = null;
  for (let at = 0; at < args.length; at++) {
    const value = convertArgument(types[at]!, bareArgument(args[at]!));
    if (value === args[at]) continue;
    converted ??= [...args];
    converted[at] = value;
  }
  return converted ?? args;
}

function convertArgument(type: JavaClass, value: Value): Value {
  if (type === OBJECT || value === null) return value;
  if (type === STRING) return value instanceof GString ? value.text() : value;
  return type === PRIMITIVES.int || type === PRIMITIVES.long || rankOf(value) !== null || value instanceof Char
    ? toNumericType(type, value)
    : value;
}

/** A number or character as the numeric type, or unchanged if the type is none. */
export function toNumericType(type: JavaClass, value: Value): Value {
  const number = value instanceof Char ? value.code : value;
  switch (type) {
    case PRIMITIVES.int:
    case INTEGER:
      return toInt(number);
    case PRIMITIVES.long:
    case LONG:
      return toLong(number);
    case PRIMITIVES.double:
    case DOUBLE:
      return value instanceof Double ? value : new Double(toDouble(number));
    case PRIMITIVES.float:
    case FLOAT:
      return value instanceof Float ? value : new Float(toDouble(number));
    case PRIMITIVES.short:
    case SHORT:
      return value instanceof Short ? value : new Short(toInt(number));
    case PRIMITIVES.byte:
    case BYTE:
      return value instanceof Byte ? value : new Byte(toInt(number));
    case BIG_INTEGER:
      return value instanceof BigInteger ? value : new BigInteger(toBigInt(number));
    case BIG_DECIMAL:
      return toDecimal(number);
    case PRIMITIVES.char:
    case CHARACTER:
      return value instanceof Char ? value : new Char(toInt(number));
    default:
      return value;
  }
}
