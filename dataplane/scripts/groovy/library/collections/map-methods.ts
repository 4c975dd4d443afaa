import { type ArrayValue, type Entry, GMap, GSet, List } from '../../values/collections.ts';
import { GString } from '../../values/g-string.ts';
import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { castFail } from '../../values/sam-results.ts';
import { addEntry, allClosures, elementMethods } from './element-methods.ts';
import { fixedMap, unmodifiable } from './fixed-maps.ts';
import { MapView, viewOwner } from './map-views.ts';
import { comparing, naturalOrder, ordered, sorted, treeOrder } from './sorting.ts';
import { allOf, itemsNow, listOf, shortened } from './walk.ts';
import { holds } from './walking-methods.ts';

function changed(rt: Runtime, map: GMap): GMap {
  if (map.isFixed) rt.fail('java.lang.UnsupportedOperationException', null);
  // An entry of a tree moves those behind it.
  rt.budget.spend(typeof map.order === 'function' ? 1 + map.size / 64 : 1);
  return map;
}

/** A key of a tree, which has no null. */
function treeKey(rt: Runtime, map: GMap, key: Value): Value {
  if (key === null && /^java\.util\.(?:TreeMap|Hashtable|concurrent\.ConcurrentHashMap)$/.test(map.javaClass.name))
    rt.fail('java.lang.NullPointerException', null);
  return key;
}

/** The value of a key, made by the closure of `withDefault` if there is one. */
export function valueAt(map: GMap, key: Value): Value {
  const value = map.get(key);
  if (value !== undefined) return value;
  if (map.defaultFor === null) return null;
  return map.defaultFor(key);
}

function put(rt: Runtime, map: GMap, key: Value, value: Value): Value {
  rt.budget.allocate(64);
  if (map.javaClass.name === 'java.util.concurrent.ConcurrentHashMap' && (key === null || value === null)) {
    rt.fail('java.lang.NullPointerException', null);
  }
  return changed(rt, map).put(key, value) ?? null;
}

const KEPT_MAPS: ReadonlySet<string> = new Set([
  'java.util.concurrent.ConcurrentHashMap',
  'java.util.Hashtable',
  'java.util.Properties',
]);

/** A result that starts as a copy: a HashMap stays one. */
function copyLike(rt: Runtime, original: GMap, entries: Iterable<Entry>): GMap {
  if (original.javaClass.name !== 'java.util.HashMap') return similarMap(rt, original, entries);
  const map = new GMap(original.javaClass, 'hash');
  for (const entry of entries) map.put(entry.entryKey, entry.value);
  rt.budget.allocate(map.size * 64);
  return map;
}

/** A map of the kind that Groovy makes for results of operations on another. */
export function similarMap(rt: Runtime, original: GMap, entries: Iterable<Entry>): GMap {
  const { name } = original.javaClass;
  const map =
    typeof original.order === 'function' || original.order === 'caseless'
      ? new GMap(rt.class('java.util.TreeMap'), original.order)
      : KEPT_MAPS.has(name)
        ? new GMap(original.javaClass, original.order)
        : new GMap();
  for (const entry of entries) map.put(entry.entryKey, entry.value);
  rt.budget.allocate(map.size * 64);
  return map;
}

function* entriesThat(rt: Runtime, self: GMap, closure: Value, wanted: boolean): Steps<Entry[]> {
  const out: Entry[] = [];
  for (const entry of self.entries()) if ((yield* holds(rt, self, closure, entry)) === wanted) out.push(entry);
  return out;
}

function* sortedEntries(rt: Runtime, self: GMap, order: Value): Steps<GMap> {
  const out = new GMap();
  rt.budget.allocate(64 + self.size * 64);
  for (const entry of yield* sorted(rt, self.entries(), comparing(rt, order)))
    out.put((entry as Entry).entryKey, (entry as Entry).value);
  return out;
}

/** An element of a collection of entries. */
function entryIn(rt: Runtime, value: Value): Value {
  return value === null || rt.isInstance(value, rt.class('java.util.Map$Entry'))
    ? value
    : castFail(rt, value, 'java.util.Map$Entry');
}

function* sortedByValue(rt: Runtime, self: GMap): Steps<GMap> {
  const out = new GMap();
  rt.budget.allocate(64 + self.size * 64);
  const byValue = (left: Value, right: Value): Steps<number> =>
    naturalOrder(rt, (left as Entry).value, (right as Entry).value);
  for (const entry of yield* sorted(rt, self.entries(), byValue))
    out.put((entry as Entry).entryKey, (entry as Entry).value);
  return out;
}

function mapOf(rt: Runtime, entries: readonly Entry[]): GMap {
  const map = new GMap();
  rt.budget.allocate(64 + entries.length * 64);
  for (const entry of entries) map.put(entry.entryKey, entry.value);
  return map;
}

/** A tree with the entries, in the order of the keys or of a comparator. */
function tree(rt: Runtime, self: GMap, order: Value): GMap {
  const map = new GMap(rt.class('java.util.TreeMap'), treeOrder(rt, order));
  rt.budget.allocate(64 + self.size * 64);
  for (const entry of self.entries()) map.put(entry.entryKey, entry.value);
  return map;
}

function replaced(rt: Runtime, self: GMap, key: Value, value: Value): Value {
  if (value === null) {
    changed(rt, self).delete(key);
    return null;
  }
  put(rt, self, key, value);
  return value;
}

function* removeEntries(rt: Runtime, self: GMap, closure: Value, wanted: boolean): Steps<boolean> {
  const gone = yield* entriesThat(rt, self, closure, wanted);
  for (const entry of gone) changed(rt, self).delete(entry.entryKey);
  return gone.length > 0;
}

/** Without a closure every entry is the key of a group of its own. */
function* groupEntries(rt: Runtime, self: GMap, closure: Value | undefined): Steps<GMap> {
  const groups = new GMap();
  for (const entry of self.entries()) {
    const key = closure === undefined ? entry : yield* rt.invokeWithEntry(closure, entry);
    const known = groups.get(key);
    const group = known instanceof GMap ? known : similarMap(rt, self, []);
    if (known === undefined) groups.put(key, group);
    group.put(entry.entryKey, entry.value);
  }
  return groups;
}

function* groupNested(rt: Runtime, self: GMap, closures: readonly Value[]): Steps<GMap> {
  const [first, ...rest] = closures;
  const groups = yield* groupEntries(rt, self, first);
  if (rest.length === 0) return groups;
  const nested = new GMap();
  for (const entry of groups.entries()) nested.put(entry.entryKey, yield* groupNested(rt, entry.value as GMap, rest));
  return nested;
}

const { 'count(Closure)': count, 'countBy(Closure)': countBy } = elementMethods;
const { 'collectMany(Closure)': collectMany, 'findResults(Closure)': findResults } = elementMethods;
const { 'max(Closure)': max, 'min(Closure)': min, 'collectEntries(Map, Closure)': collectInto } = elementMethods;

type CollectInto = (rt: Runtime, self: GMap, args: [GMap, Value]) => unknown;

/** A GString as an index is its text; as an argument of `get` and `put` it stays one. */
const indexOf = (key: Value): Value => (key instanceof GString ? key.text() : key);

export const mapMethods: Readonly<Record<string, LibraryFunction>> = {
  'equals(Object)': (rt, self: GMap, [other]: [Value]) => other instanceof GMap && rt.equals(self, other),
  'count(Closure)': count!,
  'countBy(Closure)': countBy!,
  'collectEntries(Closure)': (rt, self: GMap, [closure]: [Value]) =>
    (collectInto as CollectInto)(rt, self, [similarMap(rt, self, []), closure]),
  'collectEntries(Map, Closure)': collectInto!,
  'collectMany(Closure)': collectMany!,
  'max(Closure)': ordered(max!),
  'min(Closure)': ordered(min!),
  'findResults(Closure)': findResults!,
  'get(Object)': (rt, self: GMap, [key]: [Value]) => valueAt(self, treeKey(rt, self, key)),
  'get(Object, Object)': (rt, self: GMap, [key, fallback]: [Value, Value]) => {
    const value = self.get(key);
    if (value !== undefined) return value;
    put(rt, self, key, fallback);
    return fallback;
  },
  'getOrDefault(Object, Object)': (rt, self: GMap, [key, fallback]: [Value, Value]) =>
    self.get(treeKey(rt, self, key)) ?? (self.has(key) ? null : fallback),
  'getAt(Object)': (rt, self: GMap, [key]: [Value]) => valueAt(self, treeKey(rt, self, indexOf(key))),
  'put(Object, Object)': (rt, self: GMap, [key, value]: [Value, Value]) => put(rt, self, key, value),
  'putAt(Object, Object)': (rt, self: GMap, [key, value]: [Value, Value]) => {
    put(rt, self, indexOf(key), value);
    return value;
  },
  // Groovy takes this one for a property, which gives nothing back.
  'putAt(String, Object)': (rt, self: GMap, [key, value]: [string, Value]) => {
    put(rt, self, key, value);
  },
  'putAll(Map)': (rt, self: GMap, [more]: [GMap]) => {
    for (const entry of more.entries()) put(rt, self, entry.entryKey, entry.value);
  },
  'putAll(Collection)': (rt, self: GMap, [more]: [Value]) => {
    for (const entry of itemsNow(rt, more)) addEntry(rt, changed(rt, self), entryIn(rt, entry));
    return self;
  },
  'putIfAbsent(Object, Object)': (rt, self: GMap, [key, value]: [Value, Value]) => {
    const before = self.get(key) ?? null;
    if (before === null) put(rt, self, key, value);
    return before;
  },
  'computeIfAbsent(Object, java.util.function.Function)': function* (rt, self: GMap, [key, make]: [Value, Value]) {
    const before = self.get(key) ?? null;
    if (before !== null) return before;
    const value = yield* rt.invoke(make, [key]);
    if (value !== null) put(rt, self, key, value);
    return value;
  },
  'computeIfPresent(Object, java.util.function.BiFunction)': function* (rt, self: GMap, [key, make]: [Value, Value]) {
    const before = self.get(key) ?? null;
    return before === null ? null : replaced(rt, self, key, yield* rt.invoke(make, [key, before]));
  },
  'compute(Object, java.util.function.BiFunction)': function* (rt, self: GMap, [key, make]: [Value, Value]) {
    return replaced(rt, self, key, yield* rt.invoke(make, [key, self.get(key) ?? null]));
  },
  'merge(Object, Object, java.util.function.BiFunction)': function* (
    rt,
    self: GMap,
    [key, value, join]: [Value, Value, Value],
  ) {
    if (value === null || join === null) rt.fail('java.lang.NullPointerException', null);
    const before = self.get(key) ?? null;
    return replaced(rt, self, key, before === null ? value : yield* rt.invoke(join, [before, value]));
  },
  'replace(Object, Object)': (rt, self: GMap, [key, value]: [Value, Value]) =>
    self.has(key) ? put(rt, self, key, value) : null,
  'replace(Object, Object, Object)': (rt, self: GMap, [key, before, value]: [Value, Value, Value]) => {
    const isThere = self.has(key) && rt.javaEquals(self.get(key)!, before);
    if (isThere) put(rt, self, key, value);
    return isThere;
  },
  'replaceAll(java.util.function.BiFunction)': function* (rt, self: GMap, [make]: [Value]) {
    for (const entry of changed(rt, self).entries())
      entry.value = yield* rt.invoke(make, [entry.entryKey, entry.value]);
    return null;
  },
  'remove(Object)': (rt, self: GMap, [key]: [Value]) => changed(rt, self).delete(key) ?? null,
  'remove(Object, Object)': (rt, self: GMap, [key, value]: [Value, Value]) => {
    const isThere = self.has(key) && rt.javaEquals(self.get(key)!, value);
    if (isThere) changed(rt, self).delete(key);
    return isThere;
  },
  'removeAll(Closure)': (rt, self: GMap, [closure]: [Value]) => removeEntries(rt, self, closure, true),
  'retainAll(Closure)': (rt, self: GMap, [closure]: [Value]) => removeEntries(rt, self, closure, false),
  'clear()': (rt, self: GMap) => changed(rt, self).clear(),
  'size()': (_rt, self: GMap) => self.size,
  'toMapString()': (rt, self: GMap) => rt.text(self),
  'toMapString(int)': (rt, self: GMap, [most]: [number]) =>
    self.size === 0
      ? '[:]'
      : shortened(
          self.entries().map((entry) => `${rt.text(entry.entryKey)}:${rt.text(entry.value)}`),
          most,
        ),
  'isEmpty()': (_rt, self: GMap) => self.size === 0,
  'containsKey(Object)': (rt, self: GMap, [key]: [Value]) => {
    rt.budget.spend(1);
    return self.has(key);
  },
  'containsValue(Object)': (rt, self: GMap, [value]: [Value]) => {
    rt.budget.spend(self.size);
    return self.entries().some((entry) => rt.javaEquals(value, entry.value));
  },
  'keySet()': (rt, self: GMap) => {
    const keys = new GSet([], rt.class(`${viewOwner(self)}KeySet`), self);
    keys.isFixed = self.isFixed;
    return keys;
  },
  'values()': (rt, self: GMap) => new MapView(rt, self, 'values'),
  'entrySet()': (rt, self: GMap) => new MapView(rt, self, 'entries'),
  'iterator()': (rt, self: GMap) => rt.now(rt.call(new MapView(rt, self, 'entries'), 'iterator', [])),
  'forEach(java.util.function.BiConsumer)': function* (rt, self: GMap, [action]: [Value]) {
    for (const entry of self.entries()) yield* rt.invoke(action, [entry.entryKey, entry.value]);
    return null;
  },
  'reverseEach(Closure)': function* (rt, self: GMap, [closure]: [Value]) {
    for (const entry of self.entries().reverse()) yield* rt.invokeWithEntry(closure, entry);
    return self;
  },
  'findAll(Closure)': function* (rt, self: GMap, [closure]: [Value]) {
    return similarMap(rt, self, yield* entriesThat(rt, self, closure, true));
  },
  'findAll()': (rt, self: GMap) => listOf(rt, self.entries()),
  'groupBy(Closure)': (rt, self: GMap, [closure]: [Value]) => groupEntries(rt, self, closure),
  'groupEntriesBy(Closure)': function* (rt, self: GMap, [closure]: [Value]) {
    const groups = new GMap();
    for (const entry of self.entries()) {
      const key = yield* rt.invokeWithEntry(closure, entry);
      const group = groups.get(key);
      if (group instanceof List) group.items.push(entry);
      else groups.put(key, new List([entry]));
    }
    return groups;
  },
  'sort()': (rt, self: GMap) => tree(rt, self, null),
  'sort(Closure)': (rt, self: GMap, [order]: [Value]) => sortedEntries(rt, self, order),
  'sort(Comparator)': (rt, self: GMap, [order]: [Value]) => tree(rt, self, order),
  'toSorted()': (rt, self: GMap) =>
    typeof self.order === 'function' ? mapOf(rt, self.entries()) : sortedByValue(rt, self),
  'toSorted(Closure)': (rt, self: GMap, [order]: [Value]) => sortedEntries(rt, self, order),
  'subMap(Collection)': (rt, self: GMap, [keys]: [Value]) => {
    const out = new GMap();
    for (const key of itemsNow(rt, keys)) if (self.has(key)) out.put(key, self.get(key)!);
    return out;
  },
  'subMap(Object...)': (rt, self: GMap, [keys]: [Value]) => {
    const out = new GMap();
    for (const key of itemsNow(rt, keys)) if (self.has(key)) out.put(key, self.get(key)!);
    return out;
  },
  'spread()': (rt, self: GMap) => {
    const map = new GMap(rt.class('groovy.lang.SpreadMap'), 'hash');
    rt.budget.allocate(64 + self.size * 64);
    for (const entry of self.entries()) map.put(entry.entryKey, entry.value);
    map.isFixed = true;
    return map;
  },
  'dropWhile(Closure)': function* (rt, self: GMap, [closure]: [Value]) {
    const entries = self.entries();
    let at = 0;
    while (at < entries.length && (yield* holds(rt, self, closure, entries[at]!))) at++;
    return similarMap(rt, self, entries.slice(at));
  },
  'groupBy(Object...)': function* (rt, self: GMap, [closures]: [ArrayValue]) {
    return yield* groupNested(rt, self, allClosures(rt, closures.items));
  },
  'groupBy(List)': function* (rt, self: GMap, [closures]: [List]) {
    return yield* groupNested(rt, self, allClosures(rt, closures.items));
  },
  'plus(Map)': (rt, self: GMap, [more]: [GMap]) => copyLike(rt, self, [...self.entries(), ...more.entries()]),
  'plus(Collection)': function* (rt, self: GMap, [more]: [Value]) {
    const out = copyLike(rt, self, self.entries());
    for (const entry of yield* allOf(rt, more)) addEntry(rt, out, entryIn(rt, entry));
    return out;
  },
  'minus(Map)': (rt, self: GMap, [less]: [GMap | null]) =>
    similarMap(
      rt,
      self,
      self
        .entries()
        .filter((entry) => less?.has(entry.entryKey) !== true || !rt.equals(less.get(entry.entryKey)!, entry.value)),
    ),
  'intersect(Map)': (rt, self: GMap, [other]: [GMap | null]) =>
    similarMap(
      rt,
      self,
      self
        .entries()
        .filter((entry) => other?.has(entry.entryKey) === true && rt.equals(other.get(entry.entryKey)!, entry.value)),
    ),
  'leftShift(Map)': (rt, self: GMap, [more]: [GMap]) => {
    for (const entry of more.entries()) put(rt, self, entry.entryKey, entry.value);
    return self;
  },
  'leftShift(java.util.Map$Entry)': (rt, self: GMap, [entry]: [Entry]) => {
    put(rt, self, entry.entryKey, entry.value);
    return self;
  },
  'take(int)': (rt, self: GMap, [count]: [number]) => similarMap(rt, self, self.entries().slice(0, Math.max(0, count))),
  'drop(int)': (rt, self: GMap, [count]: [number]) => similarMap(rt, self, self.entries().slice(Math.max(0, count))),
  'takeWhile(Closure)': function* (rt, self: GMap, [closure]: [Value]) {
    const out: Entry[] = [];
    for (const entry of self.entries()) {
      if (!(yield* holds(rt, self, closure, entry))) break;
      out.push(entry);
    }
    return similarMap(rt, self, out);
  },
  'isCase(Object)': (rt, self: GMap, [key]: [Value]) => {
    const value = self.get(key);
    return value !== undefined && rt.truth(value);
  },
  'withDefault(Closure)': (rt, self: GMap, [make]: [Value]) => withDefault(rt, self, make, true, false),
  'withDefault(boolean, boolean, Closure)': (rt, self: GMap, [grows, keeps, make]: [boolean, boolean, Value]) =>
    withDefault(rt, self, make, grows, keeps),
  'asImmutable()': (rt, self: GMap) => fixedMap(rt, self, unmodifiable(self)),
  'asUnmodifiable()': (rt, self: GMap) => fixedMap(rt, self, unmodifiable(self)),
  'asSynchronized()': (rt, self: GMap) => fixedMap(rt, self, 'SynchronizedMap', false),
};

/** A map that makes the value of a key that is not there; one that `keeps` puts only what differs from it. */
function withDefault(rt: Runtime, self: GMap, make: Value, grows: boolean, keeps: boolean): GMap {
  if (keeps)
    rt.fail('java.lang.UnsupportedOperationException', 'a map that leaves out default values is not available');
  const map = new GMap(rt.class('groovy.lang.MapWithDefault'), self.order);
  rt.budget.allocate(64 + self.size * 64);
  for (const entry of self.entries()) map.put(entry.entryKey, entry.value);
  const defaultFor = (key: Value): Value => {
    const made = rt.now(rt.invoke(make, [key]));
    if (grows) put(rt, map, key, made);
    return made;
  };
  map.defaultFor = defaultFor;
  return map;
}
