import { type ArrayValue, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Range } from '../../values/range.ts';
import { allOf, listOf } from './walk.ts';

const SUB_LIST = 'java.util.ArrayList$SubList';
const ARRAY_AS_LIST = 'java.util.Arrays$ArrayList';

/** Lists of a fixed size take other elements, but neither more nor fewer. */
export function checkResizable(rt: Runtime, list: List): void {
  if (list.javaClass.name === ARRAY_AS_LIST) rt.fail('java.lang.UnsupportedOperationException', null);
}

/** A part of a list, which shows and makes all changes of it. */
export function subList(rt: Runtime, list: List, from: number, to: number): List {
  rt.budget.allocate(256);
  return new List(windowOn(rt, list.items, from, to - from), rt.class(SUB_LIST), list.isFixed);
}

/** An array whose elements are some of another; growing and shrinking it changes the other. */
function windowOn(rt: Runtime, items: Value[], from: number, count: number): Value[] {
  let length = count;
  let expected = items.length;
  const resize = (at: number, removed: number, added: readonly Value[]): void => {
    rt.budget.spend(1 + (items.length - from - at) / 16);
    items.splice(from + at, removed, ...added);
    length += added.length - removed;
    expected = items.length;
  };
  const indexOf = (key: string | symbol): number | null =>
    typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : null;
  const check = (): void => {
    if (items.length !== expected) rt.fail('java.util.ConcurrentModificationException', null);
  };
  return new Proxy<Value[]>([], {
    get: (target, key) => {
      check();
      if (key === 'length') return length;
      const at = indexOf(key);
      if (at === null) return Reflect.get(target, key);
      return at < length ? items[from + at] : undefined;
    },
    set: (_target, key, value: never) => {
      check();
      const at = indexOf(key);
      if (key === 'length') {
        if ((value as number) < length) resize(value, length - (value as number), []);
      } else if (at !== null) {
        if (at < length) items[from + at] = value;
        else resize(length, 0, [...Array.from({ length: at - length }, () => null), value]);
      }
      return true;
    },
    has: (target, key) => {
      const at = indexOf(key);
      return at === null ? Reflect.has(target, key) : at < length;
    },
    deleteProperty: () => true,
  });
}

/** A part of a range is a range of its own. */
export function rangePart(rt: Runtime, range: Range, from: number, to: number): Value {
  const items = range.items.slice(from, to);
  if (items.length === 0 || range.step !== null || typeof items[0] !== 'number') return listOf(rt, [...items]);
  rt.budget.allocate(64 + items.length * 8);
  return new Range(items[0], items.at(-1)!, items);
}

/** `List.of` and `List.copyOf`, which allow neither null nor changes. */
function made(rt: Runtime, items: readonly Value[]): List {
  if (items.includes(null)) rt.fail('java.lang.NullPointerException', null);
  rt.budget.allocate(items.length * 8);
  const kind = items.length === 1 || items.length === 2 ? 'List12' : 'ListN';
  return new List([...items], rt.class(`java.util.ImmutableCollections$${kind}`), true);
}

export const immutableList: Readonly<Record<string, LibraryFunction>> = {
  'of(Object...)': (rt, _self: Value, [items]: [ArrayValue]) => made(rt, items.items),
  'copyOf(Collection)': function* (rt: Runtime, _self: Value, [items]: [Value]): Steps {
    if (items === null) rt.fail('java.lang.NullPointerException', null);
    return made(rt, yield* allOf(rt, items));
  },
};

/** A list over an array, which keeps its size. */
export function arrayAsList(rt: Runtime, items: Value[]): List {
  rt.budget.allocate(32 + items.length * 8);
  return new List(items, rt.class(ARRAY_AS_LIST));
}

/** A list of a class of `java.util.Collections` that cannot be changed. */
export function fixedList(rt: Runtime, items: Value[], kind: string): List {
  rt.budget.allocate(32 + items.length * 8);
  return new List(items, rt.class(`java.util.Collections$${kind}`), true);
}

const kinds = [
  'java.util.ImmutableCollections$List12',
  'java.util.Collections$EmptyList',
  'java.util.Collections$SingletonList',
  'java.util.Collections$CopiesList',
  'java.util.Collections$UnmodifiableList',
  'java.util.Collections$SynchronizedRandomAccessList',
  'org.codehaus.groovy.runtime.ReversedList',
  ARRAY_AS_LIST,
] as const;

export const fixedListClasses: readonly ClassSpec[] = [
  ...kinds.map((name): ClassSpec => ({ name, superclass: 'java.util.AbstractList' })),
  { name: SUB_LIST, superclass: 'java.util.AbstractList' },
];
