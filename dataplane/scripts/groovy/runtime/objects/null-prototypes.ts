import { THROWABLE } from '../../values/core-classes.ts';
import type { JavaClass, Value } from '../../values/java-class.ts';

/** Arrays of Java that a null fits, as messages name them. */
const ARRAYS = '[B [C [D [F [I [J [Ljava.lang.Object; [S [Z'.split(' ').map((name) => `class ${name}`);

const classes = (...names: readonly string[]): readonly string[] => names.map((name) => `[class ${name}]`);
const interfaces = (...names: readonly string[]): readonly string[] => names.map((name) => `[interface ${name}]`);
const ofArrays = (arrays: readonly string[]): readonly string[] => arrays.map((name) => `[${name}]`);

/** Exceptions that take a message or a cause. */
const FAILURES = classes('java.lang.Throwable', 'java.lang.String');

/** The overloads that Groovy cannot choose from for arguments that are all null, in the order of its messages. */
const PROTOTYPES: Readonly<Record<string, readonly string[]>> = {
  'java.util.Collection#addAll': interfaces('java.util.Collection', 'java.lang.Iterable', 'java.util.Iterator'),
  'java.util.Collection#intersect': interfaces('java.lang.Iterable', 'java.util.Collection'),
  'java.util.Map#putAll': interfaces('java.util.Map', 'java.util.Collection'),
  'java.lang.Throwable#<init>': FAILURES,
  'java.lang.String#<init>': classes('[B', '[C', 'java.lang.String'),
  'java.math.BigDecimal#<init>': classes('java.lang.String', '[C'),
  'java.math.BigDecimal#plus': classes(
    'java.lang.Character',
    'java.lang.String',
    'java.lang.Number',
    'java.math.MathContext',
  ),
  'java.math.BigInteger#<init>': classes('java.lang.String', '[B'),
  'java.util.TreeMap#<init>': interfaces('java.util.SortedMap', 'java.util.Map', 'java.util.Comparator'),
  'java.util.TreeSet#<init>': interfaces('java.util.SortedSet', 'java.util.Collection', 'java.util.Comparator'),
  'java.util.PriorityQueue#<init>': interfaces('java.util.Collection', 'java.util.SortedSet', 'java.util.Comparator'),
  'java.util.Arrays#toString': ofArrays(ARRAYS),
  'java.util.Arrays#hashCode': ofArrays(ARRAYS),
  'java.util.Arrays#sort': ofArrays(ARRAYS.filter((name) => name !== 'class [Z')),
  'java.util.Arrays#stream': classes('[D', '[I', '[J', '[Ljava.lang.Object;'),
};

/** The same for two arguments. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  'java.util.Arrays#equals': ARRAYS.map((name) => `[${name}, ${name}]`),
};

/** Methods with several overloads, all of which fail if the first argument is null, by the number of their arguments. */
const FAILING: Readonly<Record<string, number>> = {
  'java.util.Arrays#fill': 2,
  'groovy.json.JsonSlurper#parse': 1,
};

export function failsForNull(type: JavaClass, method: string, args: readonly Value[]): boolean {
  if (args[0] !== null) return false;
  return [...type.supertypes].some(({ name }) => FAILING[`${name}#${method}`] === args.length);
}

/** The overloads that Groovy cannot choose from, or null if it can, or if the library knows them all. */
export function nullPrototypes(type: JavaClass, method: string, args: readonly Value[]): readonly string[] | null {
  if (args.length > 2 || args.some((arg) => arg !== null)) return null;
  const table = args.length === 1 ? PROTOTYPES : PAIRS;
  if (method === '<init>') {
    if (table[`${type.name}#<init>`] !== undefined) return table[`${type.name}#<init>`]!;
    const hasCause = type.declared === null && type.constructors.length === 0 && type.supertypes.has(THROWABLE);
    return hasCause && args.length === 1 ? FAILURES : null;
  }
  for (const { name } of type.supertypes) {
    const found = table[`${name}#${method}`];
    if (found !== undefined) return found;
  }
  return null;
}
