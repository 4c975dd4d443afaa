import {
  ARRAY_LIST,
  arrayOf,
  ENTRY,
  LINKED_HASH_MAP,
  LINKED_HASH_SET,
  NODE,
  PRIMITIVES,
  TREE_ENTRY,
} from './core-classes.ts';
import { hashOf, hashOfAll } from './hash.ts';
import type { JavaClass, Obj, Value } from './java-class.ts';
import { KEY_MARK, keyOf, keyText } from './key-of.ts';
import { chargeItems, chargeLength, chargeValue } from './meter.ts';

/** A list of any class; `isFixed` lists throw when a script changes them, which the library checks. */
export class List implements Obj {
  readonly javaClass: JavaClass;
  readonly items: Value[];
  readonly isFixed: boolean;

  constructor(items: Value[] = [], javaClass: JavaClass = ARRAY_LIST, isFixed = false) {
    this.items = items;
    this.javaClass = javaClass;
    this.isFixed = isFixed;
  }

  hash(): number {
    return hashOfAll(this.items.map(hashOf));
  }

  key(): string {
    return `${KEY_MARK}l${this.items.map(keyText).join('')}`;
  }
}

/** An array of anything but bytes. */
export class ArrayValue implements Obj {
  readonly javaClass: JavaClass;
  readonly items: Value[];

  /** `component` is the type of the elements, not the class of the array. */
  constructor(component: JavaClass, items: Value[]) {
    this.javaClass = arrayOf(component);
    this.items = items;
  }
}

/** Bytes of a buffer beside its content. */
const BUFFER_BYTES = 152;

/** A `byte[]`; its elements are Bytes for scripts. */
export class ByteArray implements Obj {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    chargeItems(1, BUFFER_BYTES);
    this.bytes = bytes;
  }

  get javaClass(): JavaClass {
    return arrayOf(PRIMITIVES.byte);
  }
}

export class Entry implements Obj {
  readonly javaClass: JavaClass;
  readonly entryKey: Value;
  value: Value;

  constructor(key: Value, value: Value, javaClass: JavaClass = ENTRY) {
    this.entryKey = key;
    this.value = value;
    this.javaClass = javaClass;
  }

  hash(): number {
    return hashOf(this.entryKey) ^ hashOf(this.value);
  }

  key(): string {
    return `${KEY_MARK}e${keyText(this.entryKey)}${keyText(this.value)}`;
  }
}

/** Bytes of an entry with its place in a table, and of what is made for each to sort them. */
const ENTRY_BYTES = 72;
const SORTING_BYTES = 32;

/** Bytes of an empty map. */
const MAP_BYTES = 248;

/** Order of iteration: of insertion, of Java's HashMap or its older Hashtable, of texts without case, or by comparison. */
export type MapOrder = 'linked' | 'hash' | 'table' | 'caseless' | ((left: Value, right: Value) => number);

const NO_TREE: Entry[] = [];

/** Entries of a map that are made when somebody asks for them. */
export interface LateEntries {
  /** The entry of a key; undefined if there is none, or if it was taken before. */
  take(key: unknown): Entry | undefined;
  /** All that were not taken. */
  rest(): Iterable<[key: unknown, entry: Entry]>;
}

/** A map of any class. Keys are told apart as Java does: Integer 1, Long 1, '1' and "${1}" are four keys. */
export class GMap implements Obj {
  readonly javaClass: JavaClass;
  readonly order: MapOrder;
  isFixed = false;
  /** Text of a class with a `toString` of its own; Groovy shows such a map as any other. */
  ownText: (() => string) | null = null;
  /** Value of keys that are not there, for `withDefault`. */
  defaultFor: ((key: Value) => Value) | null = null;
  readonly #entries = new Map<unknown, Entry>();
  #late: LateEntries | null = null;
  /** Entries in the order of a tree, which is searched by halves. */
  readonly #tree: Entry[];
  #largest = 0;
  #capacity = 16;

  constructor(javaClass: JavaClass = LINKED_HASH_MAP, order: MapOrder = 'linked') {
    chargeItems(1, MAP_BYTES);
    this.javaClass = javaClass;
    this.order = order;
    this.#tree = typeof order === 'function' ? [] : NO_TREE;
  }

  get size(): number {
    return typeof this.order === 'function' ? this.#tree.length : this.#complete().size;
  }

  /** Entries that are there already. */
  extent(): number {
    return typeof this.order === 'function' ? this.#tree.length : this.#entries.size;
  }

  /** Adds entries in an order that does not count. */
  setLate(late: LateEntries): void {
    this.#late = late;
  }

  #found(at: unknown): Entry | undefined {
    const entry = this.#entries.get(at);
    if (entry !== undefined || this.#late === null) return entry;
    const taken = this.#late.take(at);
    if (taken !== undefined) this.#entries.set(at, taken);
    return taken;
  }

  #complete(): Map<unknown, Entry> {
    const late = this.#late;
    if (late === null) return this.#entries;
    this.#late = null;
    for (const [at, entry] of late.rest()) this.#entries.set(at, entry);
    return this.#entries;
  }

  /** Position of the first entry of a tree that is not before the key. */
  #place(key: Value, order: (left: Value, right: Value) => number): number {
    let from = 0;
    let end = this.#tree.length;
    while (from < end) {
      chargeValue();
      const middle = (from + end) >> 1;
      if (order(this.#tree[middle]!.entryKey, key) < 0) from = middle + 1;
      else end = middle;
    }
    return from;
  }

  #inTree(key: Value, order: (left: Value, right: Value) => number): Entry | undefined {
    const entry = this.#tree[this.#place(key, order)];
    return entry !== undefined && order(entry.entryKey, key) === 0 ? entry : undefined;
  }

  entry(key: Value): Entry | undefined {
    return typeof this.order === 'function' ? this.#inTree(key, this.order) : this.#found(this.#keyOf(key));
  }

  #keyOf(key: Value): unknown {
    return this.order === 'caseless' ? String(key).toLowerCase() : keyOf(key);
  }

  /** Undefined if there is no such key. */
  get(key: Value): Value | undefined {
    return this.entry(key)?.value;
  }

  has(key: Value): boolean {
    return this.entry(key) !== undefined;
  }

  /** Returns the value before. */
  put(key: Value, value: Value): Value | undefined {
    const { order } = this;
    const at = typeof order === 'function' ? this.#place(key, order) : this.#keyOf(key);
    // The first key of a tree is compared with itself, which rejects keys without an order.
    if (typeof order === 'function' && this.#tree.length === 0) order(key, key);
    const entry = typeof order === 'function' ? this.#inTree(key, order) : this.#found(at);
    if (entry !== undefined) {
      const before = entry.value;
      entry.value = value;
      return before;
    }
    chargeItems(1, ENTRY_BYTES);
    chargeLength(this.#tree.length);
    if (typeof order === 'function') this.#tree.splice(at as number, 0, new Entry(key, value, TREE_ENTRY));
    else this.#entries.set(at, new Entry(key, value, this.order === 'hash' ? NODE : ENTRY));
    this.#largest = Math.max(this.#largest, this.#entries.size);
    return undefined;
  }

  delete(key: Value): Value | undefined {
    const { order } = this;
    const entry = this.entry(key);
    if (entry === undefined) return undefined;
    chargeLength(this.#tree.length);
    if (typeof order === 'function') this.#tree.splice(this.#place(key, order), 1);
    else this.#entries.delete(this.#keyOf(key));
    return entry.value;
  }

  clear(): void {
    this.#complete().clear();
    if (this.#tree !== NO_TREE) this.#tree.length = 0;
  }

  /** A copy of the entries in the order of this map; the entries themselves are live. */
  entries(): Entry[] {
    chargeItems(this.size, typeof this.order === 'string' && this.order !== 'linked' ? SORTING_BYTES : 0);
    if (typeof this.order === 'function') return [...this.#tree];
    const entries = [...this.#complete().values()];
    if (this.order === 'linked') return entries;
    if (this.order === 'caseless') return [...this.#entries].sort(byKey).map(([, entry]) => entry);
    return this.order === 'hash'
      ? inTableOrder(entries, this.#largest, this.#capacity)
      : inOldTableOrder(entries, this.#largest);
  }

  /** Entries that were asked for, in no order, with the texts that their keys stand for in a map without case. */
  caseless(): Iterable<[unknown, Entry]> {
    return this.#entries;
  }

  /** Room of the hash table for so many entries, which decides their order. */
  reserve(entries: number, capacity = this.#capacity): void {
    this.#largest = Math.max(this.#largest, entries);
    this.#capacity = capacity;
  }

  hash(): number {
    let sum = 0;
    for (const entry of this.entries()) sum = (sum + entry.hash()) | 0;
    return sum;
  }

  key(): string {
    return `${KEY_MARK}p${this.entries()
      .map((entry) => entry.key())
      .sort()
      .join('')}`;
  }
}

function byKey([left]: [unknown, Entry], [right]: [unknown, Entry]): number {
  return (left as string) < (right as string) ? -1 : 1;
}

/** A hash table of Java walks its buckets in order, whatever the order of insertion. */
function inTableOrder(entries: Entry[], largest: number, initial: number): Entry[] {
  let capacity = initial;
  while (largest > capacity * 0.75) capacity *= 2;
  const bucket = (entry: Entry): number => {
    const hash = hashOf(entry.entryKey);
    return (hash ^ (hash >>> 16)) & (capacity - 1);
  };
  return entries
    .map((entry) => ({ entry, at: bucket(entry) }))
    .sort((left, right) => left.at - right.at)
    .map(({ entry }) => entry);
}

/** A Hashtable is walked over from the last bucket to the first. */
function inOldTableOrder(entries: Entry[], largest: number): Entry[] {
  let capacity = 11;
  while (largest > capacity * 0.75) capacity = 2 * capacity + 1;
  return entries
    .map((entry, at) => ({ entry, at, bucket: (hashOf(entry.entryKey) & 0x7fffffff) % capacity }))
    .sort((left, right) => right.bucket - left.bucket || right.at - left.at)
    .map(({ entry }) => entry);
}

/** A set of any class; also the live view of the keys of a map, which shares the map. */
export class GSet implements Obj {
  readonly javaClass: JavaClass;
  readonly map: GMap;
  isFixed = false;

  constructor(items: Iterable<Value> = [], javaClass: JavaClass = LINKED_HASH_SET, map: GMap = new GMap()) {
    this.javaClass = javaClass;
    this.map = map;
    for (const item of items) this.add(item);
  }

  get size(): number {
    return this.map.size;
  }

  has(item: Value): boolean {
    return this.map.has(item);
  }

  add(item: Value): boolean {
    if (this.map.has(item)) return false;
    this.map.put(item, true);
    return true;
  }

  delete(item: Value): boolean {
    return this.map.has(item) && this.map.delete(item) !== undefined;
  }

  items(): Value[] {
    chargeItems(this.size);
    return this.map.entries().map((entry) => entry.entryKey);
  }

  hash(): number {
    return this.items().reduce((sum: number, item) => (sum + hashOf(item)) | 0, 0);
  }

  key(): string {
    return `${KEY_MARK}t${this.items().map(keyText).sort().join('')}`;
  }
}
