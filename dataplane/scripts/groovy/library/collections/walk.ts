import { ArrayValue, ByteArray, GMap, GSet, List } from '../../values/collections.ts';
import { GString } from '../../values/g-string.ts';
import type { JavaClass, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { Byte } from '../../values/numbers.ts';
import { Range } from '../../values/range.ts';
import { type Cursor, cursorOver, listCursor, mapCursor } from './cursors.ts';
import { MapView } from './map-views.ts';

/** Values of the library that can be walked over. */
export interface Walkable extends Obj {
  elements(): Value[];
}

/** Bytes of an iterator with its functions. */
const ITERATOR_BYTES = 512;

/** An iterator of Java. */
export class JavaIterator implements Obj {
  readonly javaClass: JavaClass;
  readonly cursor: Cursor;

  constructor(rt: Runtime, cursor: Cursor, className = 'java.util.ArrayList$Itr') {
    rt.budget.allocate(ITERATOR_BYTES);
    this.javaClass = rt.class(className);
    this.cursor = cursor;
  }

  /** The rest of what it walks over. */
  elements(): Value[] {
    const rest: Value[] = [];
    while (this.cursor.hasNext()) {
      chargeItems(1);
      rest.push(this.cursor.next());
    }
    return rest;
  }
}

/** The elements of what the library has in memory; null for a value that only a script can walk over. */
export function itemsOf(value: Value): Value[] | null {
  if (value instanceof List || value instanceof ArrayValue) return value.items;
  if (value instanceof GSet) return value.items();
  if (value instanceof GMap) return value.entries();
  if (value instanceof ByteArray) {
    chargeItems(value.bytes.length, 24);
    return Array.from(value.bytes, (byte) => new Byte(byte));
  }
  if (typeof value === 'string') {
    chargeItems(value.length, 8);
    return value.split('');
  }
  return isWalkable(value) ? value.elements() : null;
}

export function isWalkable(value: Value): value is Walkable {
  return typeof value === 'object' && value !== null && 'elements' in value && typeof value.elements === 'function';
}

/** The elements of anything. */
export function* allOf(rt: Runtime, value: Value): Steps<Value[]> {
  if (value === null) return rt.fail('java.lang.NullPointerException', null);
  const items = itemsOf(value instanceof GString ? rt.text(value) : value) ?? (yield* rt.elements(value));
  rt.budget.spend(items.length);
  rt.budget.allocate(items.length * 8);
  return items;
}

/** The elements of a collection, without running a script. */
export function itemsNow(rt: Runtime, value: Value): Value[] {
  return itemsOf(value) ?? rt.now(allOf(rt, value));
}

/** True if a value is among others, each of which is charged. */
export function isIn(rt: Runtime, item: Value, others: readonly Value[]): boolean {
  rt.budget.spend(others.length + 1);
  return others.some((other) => rt.javaEquals(item, other));
}

/** A cursor over anything; over a list it notices changes as Java does. */
export function* cursorOf(rt: Runtime, value: Value): Steps<Cursor> {
  if (value instanceof List) return listCursor(rt, value);
  if (value instanceof JavaIterator) return value.cursor;
  if (value instanceof GMap) return mapCursor(rt, value, (entry) => entry);
  if (value instanceof GSet) return mapCursor(rt, value.map, (entry) => entry.entryKey);
  if (value instanceof MapView)
    return mapCursor(rt, value.map, (entry) => (value.part === 'values' ? entry.value : entry));
  return cursorOver(yield* allOf(rt, value));
}

/** A new list, charged for. */
export function listOf(rt: Runtime, items: Value[]): List {
  rt.budget.allocate(32 + items.length * 8);
  return new List(items);
}

/** A HashSet: walked over in the order of Java's table. */
export function hashSetOf(rt: Runtime, items: Iterable<Value>, capacity = 16): GSet {
  const map = new GMap(rt.class('java.util.HashMap'), 'hash');
  const set = new GSet(items, rt.class('java.util.HashSet'), map);
  map.reserve(0, capacity);
  rt.budget.allocate(64 + set.size * 48);
  return set;
}

/** Size of the hash table of Java for so many entries. */
export function tableSize(entries: number): number {
  let size = 1;
  while (size < entries) size *= 2;
  return size;
}

/** Texts in brackets, as many of them as fit into a length. */
export function shortened(texts: readonly string[], most: number): string {
  let out = '[';
  for (const [at, text] of texts.entries()) {
    if (at > 0) out += ', ';
    if (most !== -1 && out.length > most) return `${out}...]`;
    out += text;
  }
  return `${out}]`;
}

/** The range of the indexes of a sequence. */
export function indicesOf(rt: Runtime, size: number): Value {
  rt.budget.allocate(64 + size * 8);
  rt.budget.spend(size);
  return new Range(
    0,
    size,
    Array.from({ length: size }, (_, at) => at),
    { last: true },
  );
}

/** Classes of lists that stay what they are in results. */
const KEPT_LISTS: ReadonlySet<string> = new Set([
  'java.util.LinkedList',
  'java.util.ArrayDeque',
  'java.util.Stack',
  'java.util.Vector',
  'java.util.PriorityQueue',
]);

/** A collection of the kind that Groovy makes for results of operations on another: a set for a set, else a list. */
export function similarTo(rt: Runtime, original: Value, items: Iterable<Value>): Value {
  if (original instanceof GSet) {
    const { order } = original.map;
    if (typeof order === 'function')
      return new GSet(items, rt.class('java.util.TreeSet'), new GMap(rt.class('java.util.TreeMap'), order));
    return new GSet(items);
  }
  const isKept = original instanceof List && KEPT_LISTS.has(original.javaClass.name);
  return new List([...items], isKept ? original.javaClass : undefined);
}

/** The same for results that start as a copy: a HashSet stays one. */
export function copyLike(rt: Runtime, original: Value, items: Iterable<Value>): Value {
  return original instanceof GSet && original.javaClass.name === 'java.util.HashSet'
    ? hashSetOf(rt, items)
    : similarTo(rt, original, items);
}

/** Throws what Java's unmodifiable collections throw. */
export function checkChangeable(rt: Runtime, collection: { readonly isFixed: boolean }): void {
  if (collection.isFixed) rt.fail('java.lang.UnsupportedOperationException', null);
}

/** Puts other elements in the place of all that an array has; spreading long arrays would exceed the stack. */
export function refill(target: Value[], items: readonly Value[]): void {
  const copy = items.slice();
  target.length = 0;
  for (const item of copy) target.push(item);
}
