import { type ArrayValue, Entry, GMap } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { functional } from '../functional/functional-classes.ts';
import { entryMethods } from './collection-classes.ts';
import { mapMethods } from './map-methods.ts';
import { comparatorOf, type IsInPart, orderOf, partMethods } from './sorted-ranges.ts';
import { comparing, treeOrder } from './sorting.ts';
import { tableSize } from './walk.ts';

function newMap(rt: Runtime, className: string, entries: readonly Entry[] = [], order: GMap['order'] = 'linked'): GMap {
  const map = new GMap(rt.class(className), order);
  rt.budget.allocate(64 + entries.length * 64);
  for (const entry of entries) map.put(entry.entryKey, entry.value);
  return map;
}

const javaText: LibraryFunction = (rt: Runtime, self: Value) => rt.javaText(self);

/** A HashMap that is made from another map has a table of just its size. */
function fromMap(rt: Runtime, className: string, from: GMap, order: 'linked' | 'hash' | 'table'): GMap {
  const map = newMap(rt, className, from.entries(), order);
  if (className === 'java.util.HashMap' && from.size > 0) map.reserve(0, tableSize(Math.floor(from.size / 0.75 + 1)));
  return map;
}

const accessOrdered: LibraryFunction = (rt: Runtime, _self: Value, [, , isOrdered]: [number, Value, boolean]) =>
  isOrdered
    ? rt.fail('java.lang.UnsupportedOperationException', 'a LinkedHashMap in the order of access is not available')
    : newMap(rt, 'java.util.LinkedHashMap');

/** Maps whose own `toString` shows them as Java does. */
const OWN_TEXT: ReadonlySet<string> = new Set([
  'java.util.concurrent.ConcurrentHashMap',
  'java.util.Hashtable',
  'java.util.Properties',
]);

function mapSpec(className: string, order: 'linked' | 'hash' | 'table', more: Partial<ClassSpec> = {}): ClassSpec {
  return {
    name: className,
    constructors: {
      '()': (rt) => newMap(rt, className, [], order),
      '(int)': (rt, _self: Value, [capacity]: [number]) => {
        const map = newMap(rt, className, [], order);
        if (capacity < 0) rt.fail('java.lang.IllegalArgumentException', `Illegal initial capacity: ${capacity}`);
        map.reserve(0, tableSize(Math.min(capacity, 65_536)));
        return map;
      },
      '(int, float)': (rt) => newMap(rt, className, [], order),
      ...(className === 'java.util.LinkedHashMap' ? { '(int, float, boolean)': accessOrdered } : {}),
      '(Map)': (rt, _self: Value, [from]: [GMap]) => fromMap(rt, className, from, order),
    },
    ...more,
    methods: {
      'clone()': (rt, self: GMap) => newMap(rt, className, self.entries(), self.order),
      ...(OWN_TEXT.has(className) ? { 'toString()': javaText } : {}),
      ...more.methods,
    },
  };
}

function endKey(at: 0 | -1, shown: Shown, isNeeded: boolean): LibraryFunction {
  return (rt: Runtime, self: GMap) => {
    const entry = self.entries().at(at);
    if (entry !== undefined) return shown(entry, rt);
    return isNeeded ? rt.fail('java.util.NoSuchElementException', null) : null;
  };
}

type Shown = (entry: Entry, rt: Runtime) => Value;

const keyOf: Shown = (entry) => entry.entryKey;
/** A tree gives copies of its entries. */
const itself: Shown = (entry, rt) =>
  new Entry(entry.entryKey, entry.value, rt.class('java.util.AbstractMap$SimpleImmutableEntry'));

/** A part of a tree; a cleared part leaves the tree. */
function mapPart(isIn: IsInPart): LibraryFunction {
  return (rt: Runtime, self: GMap, bounds: readonly Value[]) => {
    const order = orderOf(self);
    const entries = self.entries().filter((entry) => isIn(order, entry.entryKey, bounds));
    const part = newMap(rt, ASCENDING, entries, order);
    origins.set(part, self);
    return part;
  };
}

const ASCENDING = 'java.util.TreeMap$AscendingSubMap';
const DESCENDING = 'java.util.TreeMap$DescendingSubMap';
const origins = new WeakMap<GMap, GMap>();

function polled(at: 0 | -1): LibraryFunction {
  return (rt: Runtime, self: GMap) => {
    const entry = self.entries().at(at);
    if (entry === undefined) return null;
    self.delete(entry.entryKey);
    return itself(entry, rt);
  };
}

function clearPart(rt: Runtime, self: GMap): void {
  rt.budget.spend(self.size);
  for (const entry of self.entries()) {
    origins.get(self)?.delete(entry.entryKey);
    self.delete(entry.entryKey);
  }
}

const partChange: LibraryFunction = (rt: Runtime) =>
  rt.fail('java.lang.UnsupportedOperationException', 'changing a part of a tree is not available');

function nearest(isIn: (comparison: number) => boolean, last: boolean, shown: Shown): LibraryFunction {
  return (rt: Runtime, self: GMap, [key]: [Value]) => {
    const order = orderOf(self);
    const found = self
      .entries()
      .filter((entry) => isIn(order(entry.entryKey, key)))
      .at(last ? -1 : 0);
    return found === undefined ? null : shown(found, rt);
  };
}

function treeConstructors(className: string): Record<string, LibraryFunction> {
  return {
    '()': (rt: Runtime) => newMap(rt, className, [], treeOrder(rt)),
    '(Comparator)': (rt: Runtime, _self: Value, [order]: [Value]) => newMap(rt, className, [], treeOrder(rt, order)),
    '(Map)': (rt: Runtime, _self: Value, [from]: [GMap]) => newMap(rt, className, from.entries(), treeOrder(rt)),
  };
}

const treeMap: ClassSpec = {
  name: 'java.util.TreeMap',
  constructors: treeConstructors('java.util.TreeMap'),
  methods: {
    'firstKey()': endKey(0, keyOf, true),
    'lastKey()': endKey(-1, keyOf, true),
    'firstEntry()': endKey(0, itself, false),
    'lastEntry()': endKey(-1, itself, false),
    ...partMethods('Map', mapPart),
    'comparator()': (_rt, self: GMap) => comparatorOf(self),
    'pollFirstEntry()': polled(0),
    'pollLastEntry()': polled(-1),
    'lowerEntry(Object)': nearest((comparison) => comparison < 0, true, itself),
    'higherEntry(Object)': nearest((comparison) => comparison > 0, false, itself),
    'navigableKeySet()': (rt, self: GMap) => rt.call(self, 'keySet', []),
    'descendingKeySet()': function* (rt: Runtime, self: GMap): Steps {
      return yield* rt.call(descending(rt, self), 'keySet', []);
    },
    'floorKey(Object)': nearest((comparison) => comparison <= 0, true, keyOf),
    'ceilingKey(Object)': nearest((comparison) => comparison >= 0, false, keyOf),
    'lowerKey(Object)': nearest((comparison) => comparison < 0, true, keyOf),
    'higherKey(Object)': nearest((comparison) => comparison > 0, false, keyOf),
    'floorEntry(Object)': nearest((comparison) => comparison <= 0, true, itself),
    'ceilingEntry(Object)': nearest((comparison) => comparison >= 0, false, itself),
    'descendingMap()': (rt, self: GMap) => descending(rt, self),
    'clone()': (rt, self: GMap) => newMap(rt, 'java.util.TreeMap', self.entries(), self.order),
  },
};

function descending(rt: Runtime, self: GMap): GMap {
  const order = orderOf(self);
  const map = newMap(rt, DESCENDING, self.entries(), (left, right) => order(right, left));
  origins.set(map, self);
  return map;
}

/** `Map.of` allows neither null nor the same key twice. */
function immutable(rt: Runtime, entries: Iterable<readonly [Value, Value]>): GMap {
  const pairs = [...entries];
  const map = new GMap(rt.class(`java.util.ImmutableCollections$${pairs.length === 1 ? 'Map1' : 'MapN'}`));
  rt.budget.allocate(64 + pairs.length * 64);
  for (const [key, value] of pairs) {
    if (key === null || value === null) rt.fail('java.lang.NullPointerException', null);
    if (map.has(key)) rt.fail('java.lang.IllegalArgumentException', `duplicate key: ${rt.text(key)}`);
    map.put(key, value);
  }
  map.isFixed = true;
  return map;
}

/** `Map.of` takes up to ten pairs. */
function mapOf(): Record<string, LibraryFunction> {
  const statics: Record<string, LibraryFunction> = {};
  for (let pairs = 0; pairs <= 10; pairs++) {
    const signature = Array.from({ length: 2 * pairs }, () => 'Object').join(', ');
    statics[`of(${signature})`] = (rt: Runtime, _self: Value, args: readonly Value[]) =>
      immutable(
        rt,
        Array.from({ length: pairs }, (_, at): [Value, Value] => [args[2 * at]!, args[2 * at + 1]!]),
      );
  }
  return statics;
}

function entryClass(name: string): ClassSpec {
  return {
    name,
    interfaces: ['java.util.Map$Entry'],
    constructors: {
      '(Object, Object)': (rt, _self: Value, [key, value]: [Value, Value]) => new Entry(key, value, rt.class(name)),
    },
  };
}

function entryOrder(rt: Runtime, order: Value, part: (entry: Entry) => Value): Value {
  const compare = comparing(rt, order);
  return functional(rt, 'java.util.Comparator', 2, function* ([left, right]) {
    return yield* compare(part(left as Entry), part(right as Entry));
  });
}

/** Values that are no Strings are no properties. */
function propertyOf(map: GMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === 'string' ? value : undefined;
}

export const mapClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Map',
    methods: mapMethods,
    statics: {
      ...mapOf(),
      'entry(Object, Object)': (rt, _self: Value, [key, value]: [Value, Value]) =>
        new Entry(key, value, rt.class('java.util.KeyValueHolder')),
      'ofEntries(java.util.Map$Entry...)': (rt, _self: Value, [entries]: [ArrayValue]) =>
        immutable(
          rt,
          (entries.items as Entry[]).map((entry): [Value, Value] => [entry.entryKey, entry.value]),
        ),
      'copyOf(Map)': (rt, _self: Value, [from]: [GMap]) =>
        immutable(
          rt,
          from.entries().map((entry): [Value, Value] => [entry.entryKey, entry.value]),
        ),
    },
  },
  {
    name: 'java.util.Map$Entry',
    methods: entryMethods,
    statics: {
      'comparingByKey()': (rt) => entryOrder(rt, null, (entry) => entry.entryKey),
      'comparingByKey(Comparator)': (rt, _self: Value, [order]: [Value]) =>
        entryOrder(rt, order, (entry) => entry.entryKey),
      'comparingByValue()': (rt) => entryOrder(rt, null, (entry) => entry.value),
      'comparingByValue(Comparator)': (rt, _self: Value, [order]: [Value]) =>
        entryOrder(rt, order, (entry) => entry.value),
    },
  },
  mapSpec('java.util.HashMap', 'hash'),
  mapSpec('java.util.LinkedHashMap', 'linked'),
  mapSpec('java.util.WeakHashMap', 'hash', { superclass: 'java.util.AbstractMap' }),
  mapSpec('java.util.concurrent.ConcurrentHashMap', 'hash', {
    superclass: 'java.util.AbstractMap',
    interfaces: ['java.util.concurrent.ConcurrentMap'],
  }),
  mapSpec('java.util.Hashtable', 'table', { superclass: 'java.lang.Object', interfaces: ['java.util.Map'] }),
  mapSpec('java.util.Properties', 'hash', {
    superclass: 'java.util.Hashtable',
    methods: {
      'getProperty(String)': (_rt, self: GMap, [key]: [string]) => propertyOf(self, key) ?? null,
      'getProperty(String, String)': (_rt, self: GMap, [key, fallback]: [string, Value]) =>
        propertyOf(self, key) ?? fallback,
      'setProperty(String, String)': (_rt, self: GMap, [key, value]: [string, string]) => self.put(key, value) ?? null,
    },
  }),
  treeMap,
  {
    ...treeMap,
    name: 'java.util.concurrent.ConcurrentSkipListMap',
    superclass: 'java.util.TreeMap',
    methods: {},
    constructors: treeConstructors('java.util.concurrent.ConcurrentSkipListMap'),
  },
  { name: 'java.util.concurrent.ConcurrentMap', kind: 'interface', interfaces: ['java.util.Map'] },
  { name: 'java.util.ImmutableCollections$MapN', superclass: 'java.util.AbstractMap' },
  { name: 'java.util.ImmutableCollections$Map1', superclass: 'java.util.AbstractMap' },
  { name: 'groovy.lang.MapWithDefault', superclass: 'java.util.AbstractMap' },
  { name: 'groovy.lang.SpreadMap', superclass: 'java.util.HashMap' },
  ...[ASCENDING, DESCENDING].map(
    (name): ClassSpec => ({
      name,
      superclass: 'java.util.TreeMap',
      methods: {
        'clear()': clearPart as LibraryFunction,
        'put(Object, Object)': partChange,
        'remove(Object)': partChange,
      },
    }),
  ),
  entryClass('java.util.AbstractMap$SimpleImmutableEntry'),
  {
    ...entryClass('groovy.util.MapEntry'),
    methods: { 'toString()': (rt, self: Entry) => `${rt.text(self.entryKey)}:${rt.text(self.value)}` },
  },
  { name: 'java.util.Collections$UnmodifiableMap', interfaces: ['java.util.Map'] },
  { name: 'java.util.KeyValueHolder', interfaces: ['java.util.Map$Entry'] },
  entryClass('java.util.AbstractMap$SimpleEntry'),
];
