import type { Entry, GMap, List } from '../../values/collections.ts';
import type { Runtime, Value } from '../../values/java-class.ts';

/** A position in a collection. */
export interface Cursor {
  hasNext(): boolean;
  next(): Value;
  /** Removes the element that was last returned; absent where nothing can be removed. */
  remove?(): void;
}

export function cursorOver(items: readonly Value[]): Cursor {
  let at = 0;
  return { hasNext: () => at < items.length, next: () => items[at++]! };
}

/** A cursor that also goes back, replaces and adds. */
export interface ListCursor extends Cursor {
  readonly at: number;
  previous(): Value;
  set(value: Value): void;
  add(value: Value): void;
}

export function listCursor(rt: Runtime, { items, isFixed }: List, start = 0): ListCursor {
  let at = start;
  let last = -1;
  let expected = items.length;
  const returned = (index: number): Value => {
    if (items.length !== expected) rt.fail('java.util.ConcurrentModificationException', null);
    if (index < 0 || index >= items.length) rt.fail('java.util.NoSuchElementException', null);
    last = index;
    return items[index]!;
  };
  const changing = (needsLast: boolean): void => {
    if (isFixed) rt.fail('java.lang.UnsupportedOperationException', null);
    if (needsLast && last < 0) rt.fail('java.lang.IllegalStateException', null);
    rt.budget.spend(1 + (items.length - at) / 16);
  };
  return {
    get at() {
      return at;
    },
    hasNext: () => at !== items.length,
    next: () => {
      const value = returned(at);
      at++;
      return value;
    },
    previous: () => {
      const value = returned(at - 1);
      at--;
      return value;
    },
    remove: () => {
      changing(true);
      items.splice(last, 1);
      at = last;
      last = -1;
      expected = items.length;
    },
    set: (value) => {
      changing(true);
      items[last] = value;
    },
    add: (value) => {
      changing(false);
      rt.budget.allocate(8);
      items.splice(at++, 0, value);
      last = -1;
      expected = items.length;
    },
  };
}

/** Walks over a map and removes from it. */
export function mapCursor(rt: Runtime, map: GMap, shown: (entry: Entry) => Value): Cursor {
  const entries = map.entries();
  let at = 0;
  let size = map.size;
  return {
    hasNext: () => at < entries.length,
    next: () => {
      if (map.size !== size) rt.fail('java.util.ConcurrentModificationException', null);
      if (at >= entries.length) rt.fail('java.util.NoSuchElementException', null);
      return shown(entries[at++]!);
    },
    remove: () => {
      if (at === 0) rt.fail('java.lang.IllegalStateException', null);
      map.delete(entries[at - 1]!.entryKey);
      size = map.size;
    },
  };
}
