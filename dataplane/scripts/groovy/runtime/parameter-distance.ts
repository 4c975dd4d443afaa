import { Closure } from '../values/closure.ts';
import {
  BIG_DECIMAL,
  BIG_INTEGER,
  BOOLEAN,
  BYTE,
  CHARACTER,
  CLOSURE,
  DOUBLE,
  FLOAT,
  GSTRING,
  INTEGER,
  LONG,
  NUMBER,
  PRIMITIVES,
  SCRIPT,
  SHORT,
  STRING,
} from '../values/core-classes.ts';
import { JavaClass, OBJECT, type Runtime, type Value } from '../values/java-class.ts';
import { TypedArgument } from './typed-argument.ts';

/** Numbers, primitive and boxed, in the order in which Groovy widens them. */
export const WIDENED_NUMBERS: readonly JavaClass[] = [
  PRIMITIVES.byte,
  BYTE,
  PRIMITIVES.short,
  SHORT,
  PRIMITIVES.int,
  INTEGER,
  PRIMITIVES.long,
  LONG,
  BIG_INTEGER,
  PRIMITIVES.float,
  FLOAT,
  PRIMITIVES.double,
  DOUBLE,
  BIG_DECIMAL,
];

/** Primitive types with their classes, in the order in which Groovy widens them. */
const ORDER: readonly JavaClass[] = [
  PRIMITIVES.boolean,
  BOOLEAN,
  PRIMITIVES.char,
  CHARACTER,
  ...WIDENED_NUMBERS,
  NUMBER,
  OBJECT,
];
const PLACES: ReadonlyMap<JavaClass, number> = new Map(ORDER.map((type, at) => [type, at]));

/** Interfaces are nearer than numbers, and these nearer than classes; an array for many arguments is farthest. */
const NUMBER_UNIT = 2 ** 21;
const CLASS_UNIT = 2 ** 23;
const PACKING_UNIT = 2 ** 44;

/** Steps from a class to an interface above it; of several ways the longest, and -1 for none. */
function stepsTo(type: JavaClass | null, wanted: JavaClass): number {
  if (type === null) return -1;
  if (type === wanted) return 0;
  let most = stepsTo(type.superclass, wanted);
  for (const each of type.interfaces) {
    const steps = stepsTo(each, wanted);
    if (steps >= 0) most = Math.max(most, steps + 1);
  }
  return most;
}

/** A BigInteger goes its own way. */
const FROM_BIG_INTEGER: readonly JavaClass[] = [
  BIG_INTEGER,
  NUMBER,
  OBJECT,
  INTEGER,
  PRIMITIVES.int,
  BIG_DECIMAL,
  DOUBLE,
  PRIMITIVES.double,
  FLOAT,
  PRIMITIVES.float,
];

/** Distance of numbers, characters and truth values: to wider types by their order, to narrower ones farther. */
function numberDistance(own: JavaClass, type: JavaClass): number | null {
  const from = PLACES.get(own);
  const to = PLACES.get(type);
  if (from === undefined || to === undefined || own === OBJECT || own === NUMBER) return null;
  if (own === BIG_INTEGER && FROM_BIG_INTEGER.includes(type)) return FROM_BIG_INTEGER.indexOf(type);
  if (own === BOOLEAN) return type === PRIMITIVES.boolean ? 1 : type === OBJECT ? 2 : to;
  const primitive = own === BIG_INTEGER || own === BIG_DECIMAL ? from : from - 1;
  if (to > from) return to - primitive;
  return to === primitive ? 1 : 18 - to;
}

/** Distance of one argument to the type of its parameter, as Groovy computes it. */
function distanceOf(rt: Runtime, value: Value, type: JavaClass): number {
  if (value === null) {
    if (type.isInterface) return -1;
    let steps = 0;
    for (let at: JavaClass | null = type; at !== null && at !== OBJECT; at = above(at)) steps += 2;
    return steps * CLASS_UNIT;
  }
  const own = value instanceof TypedArgument ? value.javaClass : rt.classOf(value);
  if (own === type) return 0;
  if (type.isInterface) {
    const steps = stepsTo(own, type);
    if (steps >= 0 || !(value instanceof Closure)) return steps;
    // Farther than Closure itself, nearer than Object.
    return (ORDER.length + 5) * CLASS_UNIT;
  }
  const number = numberDistance(own, type);
  if (number !== null) return number * NUMBER_UNIT;
  let distance = ORDER.length + 1;
  if (own.component !== null && type.component === null) distance += 4;
  for (let at: JavaClass | null = own; at !== null && at !== type; at = above(at)) {
    if (at === GSTRING && type === STRING) return (distance + 2) * CLASS_UNIT;
    distance += 3;
  }
  return distance * CLASS_UNIT;
}

/** Groovy's own class between Object and closures, scripts and GStrings. */
const OBJECT_SUPPORT = new JavaClass('groovy.lang.GroovyObjectSupport');

function above(type: JavaClass): JavaClass | null {
  if (type === CLOSURE || type === GSTRING || type === SCRIPT) return OBJECT_SUPPORT;
  return type.superclass ?? (type === OBJECT || type.isInterface ? null : OBJECT);
}

/** Distance of all arguments to the types of the parameters; the last ones may be packed into an array. */
export function parameterDistance(
  rt: Runtime,
  args: readonly Value[],
  types: readonly JavaClass[],
  packs: boolean,
): number {
  const fixed = types.length - 1;
  let sum = 0;
  if (!packs) {
    for (const [at, arg] of args.entries()) sum += distanceOf(rt, arg, types[at]!);
    return sum;
  }
  for (const [at, arg] of args.entries())
    sum += distanceOf(rt, arg, at < fixed ? types[at]! : types[fixed]!.component!);
  const penalty = args.length < types.length ? 1 : 2 + args.length - types.length;
  return sum + penalty * PACKING_UNIT;
}
