import { CLASS, JavaClass, OBJECT } from './java-class.ts';

/** Classes that values refer to by name; the library gives them their methods. */

const all = new Map<string, JavaClass>([
  [OBJECT.name, OBJECT],
  [CLASS.name, CLASS],
]);
CLASS.superclass = OBJECT;

function declare(name: string, superclass: JavaClass | null, interfaces: readonly JavaClass[] = []): JavaClass {
  const type = new JavaClass(name);
  type.superclass = superclass;
  type.interfaces = interfaces;
  all.set(name, type);
  return type;
}

function declareInterface(name: string, ...interfaces: readonly JavaClass[]): JavaClass {
  const type = declare(name, null, interfaces);
  type.isInterface = true;
  return type;
}

export const SERIALIZABLE = declareInterface('java.io.Serializable');
export const CLONEABLE = declareInterface('java.lang.Cloneable');
export const COMPARABLE = declareInterface('java.lang.Comparable');
export const CHAR_SEQUENCE = declareInterface('java.lang.CharSequence');
export const ITERABLE = declareInterface('java.lang.Iterable');
export const ITERATOR = declareInterface('java.util.Iterator');
export const COLLECTION = declareInterface('java.util.Collection', ITERABLE);
export const LIST = declareInterface('java.util.List', COLLECTION);
export const SET = declareInterface('java.util.Set', COLLECTION);
export const SORTED_SET = declareInterface('java.util.SortedSet', SET);
export const QUEUE = declareInterface('java.util.Queue', COLLECTION);
export const DEQUE = declareInterface('java.util.Deque', QUEUE);
export const RANDOM_ACCESS = declareInterface('java.util.RandomAccess');
export const MAP = declareInterface('java.util.Map');
export const SORTED_MAP = declareInterface('java.util.SortedMap', MAP);
export const MAP_ENTRY = declareInterface('java.util.Map$Entry');
export const RANGE = declareInterface('groovy.lang.Range', LIST);
export const RUNNABLE = declareInterface('java.lang.Runnable');
export const GROOVY_OBJECT = declareInterface('groovy.lang.GroovyObject');

export const NUMBER = declare('java.lang.Number', OBJECT, [SERIALIZABLE]);
export const INTEGER = declare('java.lang.Integer', NUMBER, [COMPARABLE]);
export const LONG = declare('java.lang.Long', NUMBER, [COMPARABLE]);
export const DOUBLE = declare('java.lang.Double', NUMBER, [COMPARABLE]);
export const FLOAT = declare('java.lang.Float', NUMBER, [COMPARABLE]);
export const SHORT = declare('java.lang.Short', NUMBER, [COMPARABLE]);
export const BYTE = declare('java.lang.Byte', NUMBER, [COMPARABLE]);
export const BIG_INTEGER = declare('java.math.BigInteger', NUMBER, [COMPARABLE]);
export const BIG_DECIMAL = declare('java.math.BigDecimal', NUMBER, [COMPARABLE]);
export const BOOLEAN = declare('java.lang.Boolean', OBJECT, [SERIALIZABLE, COMPARABLE]);
export const CHARACTER = declare('java.lang.Character', OBJECT, [SERIALIZABLE, COMPARABLE]);
export const STRING = declare('java.lang.String', OBJECT, [SERIALIZABLE, COMPARABLE, CHAR_SEQUENCE]);
export const GSTRING = declare('groovy.lang.GString', OBJECT, [GROOVY_OBJECT, COMPARABLE, CHAR_SEQUENCE, SERIALIZABLE]);
export const NULL_OBJECT_CLASS = declare('org.codehaus.groovy.runtime.NullObject', OBJECT);
export const GSTRING_IMPL = declare('org.codehaus.groovy.runtime.GStringImpl', GSTRING);

/** Primitive types: of parameters, variables and arrays, never of a value. */
export const PRIMITIVES = {
  int: declare('int', null),
  long: declare('long', null),
  double: declare('double', null),
  float: declare('float', null),
  short: declare('short', null),
  byte: declare('byte', null),
  char: declare('char', null),
  boolean: declare('boolean', null),
  void: declare('void', null),
} as const;

const ABSTRACT_COLLECTION = declare('java.util.AbstractCollection', OBJECT, [COLLECTION]);
const ABSTRACT_LIST = declare('java.util.AbstractList', ABSTRACT_COLLECTION, [LIST]);
const ABSTRACT_SET = declare('java.util.AbstractSet', ABSTRACT_COLLECTION, [SET]);
const ABSTRACT_MAP = declare('java.util.AbstractMap', OBJECT, [MAP]);
export const ARRAY_LIST = declare('java.util.ArrayList', ABSTRACT_LIST, [RANDOM_ACCESS, CLONEABLE, SERIALIZABLE]);
export const LINKED_LIST = declare('java.util.LinkedList', ABSTRACT_LIST, [DEQUE, CLONEABLE, SERIALIZABLE]);
/** Result of `List.of`. */
export const IMMUTABLE_LIST = declare('java.util.ImmutableCollections$ListN', ABSTRACT_LIST, [RANDOM_ACCESS]);
export const UNMODIFIABLE_LIST = declare('java.util.Collections$UnmodifiableRandomAccessList', ABSTRACT_LIST, [
  RANDOM_ACCESS,
]);
export const HASH_SET = declare('java.util.HashSet', ABSTRACT_SET, [CLONEABLE, SERIALIZABLE]);
export const LINKED_HASH_SET = declare('java.util.LinkedHashSet', HASH_SET);
export const TREE_SET = declare('java.util.TreeSet', ABSTRACT_SET, [SORTED_SET, CLONEABLE, SERIALIZABLE]);
export const HASH_MAP = declare('java.util.HashMap', ABSTRACT_MAP, [CLONEABLE, SERIALIZABLE]);
export const LINKED_HASH_MAP = declare('java.util.LinkedHashMap', HASH_MAP);
export const TREE_MAP = declare('java.util.TreeMap', ABSTRACT_MAP, [SORTED_MAP, CLONEABLE, SERIALIZABLE]);
/** Entry of a linked map; the simple name that rows show is Entry. */
export const ENTRY = declare('java.util.LinkedHashMap$Entry', OBJECT, [MAP_ENTRY]);
/** Entry of a tree. */
export const TREE_ENTRY = declare('java.util.TreeMap$Entry', OBJECT, [MAP_ENTRY]);
/** Entry of a hash map. */
export const NODE = declare('java.util.HashMap$Node', OBJECT, [MAP_ENTRY]);
export const INT_RANGE = declare('groovy.lang.IntRange', ABSTRACT_LIST, [RANGE, SERIALIZABLE]);
export const OBJECT_RANGE = declare('groovy.lang.ObjectRange', ABSTRACT_LIST, [RANGE]);
export const NUMBER_RANGE = declare('groovy.lang.NumberRange', ABSTRACT_LIST, [RANGE, SERIALIZABLE]);
export const EMPTY_RANGE = declare('groovy.lang.EmptyRange', ABSTRACT_LIST, [RANGE]);

export const CLOSURE = declare('groovy.lang.Closure', OBJECT, [CLONEABLE, RUNNABLE, GROOVY_OBJECT, SERIALIZABLE]);
export const SCRIPT = declare('groovy.lang.Script', OBJECT, [GROOVY_OBJECT, RUNNABLE]);
export const BINDING = declare('groovy.lang.Binding', OBJECT, [GROOVY_OBJECT]);
export const THROWABLE = declare('java.lang.Throwable', OBJECT, [SERIALIZABLE]);
export const ENUM = declare('java.lang.Enum', OBJECT, [COMPARABLE, SERIALIZABLE]);

/** Core classes by full name; tables of the library are added to them. */
export const CORE_CLASSES: ReadonlyMap<string, JavaClass> = all;

const ARRAY_CODES: ReadonlyMap<string, string> = new Map([
  ['int', 'I'],
  ['long', 'J'],
  ['double', 'D'],
  ['float', 'F'],
  ['short', 'S'],
  ['byte', 'B'],
  ['char', 'C'],
  ['boolean', 'Z'],
]);

/** Classes of scripts go when the script does. */
const arrays = new WeakMap<JavaClass, JavaClass>();

/** The class of arrays of these elements. */
export function arrayOf(component: JavaClass): JavaClass {
  let type = arrays.get(component);
  if (type === undefined) {
    const code = ARRAY_CODES.get(component.name);
    const element = component.component !== null ? component.name : (code ?? `L${component.name};`);
    type = new JavaClass(`[${element}`, component);
    type.superclass = OBJECT;
    type.interfaces = [CLONEABLE, SERIALIZABLE];
    arrays.set(component, type);
  }
  return type;
}
