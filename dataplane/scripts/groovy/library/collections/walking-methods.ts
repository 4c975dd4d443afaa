import { Entry, GMap } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { countOf } from '../numeric.ts';
import { cursorOf, listOf, similarTo } from './walk.ts';

/** Calls a closure with an element; entries of maps become key and value for closures of two parameters. */
export function* callWith(rt: Runtime, self: Value, closure: Value, item: Value): Steps {
  return self instanceof GMap && item instanceof Entry
    ? yield* rt.invokeWithEntry(closure, item)
    : yield* rt.invokeWith(closure, item);
}

/** Truth of a closure for an element, or of the element itself without a closure. */
export function* holds(rt: Runtime, self: Value, closure: Value | undefined, item: Value): Steps<boolean> {
  if (closure === undefined) return rt.truth(item);
  const isPair = self instanceof GMap && item instanceof Entry && rt.arity(closure) === 2;
  return rt.truth(yield* rt.invoke(closure, isPair ? [item.entryKey, item.value] : [item], 'call'));
}

/** Groovy wraps a test before it looks at the first element. */
function checkTest(rt: Runtime, closure: Value | undefined): void {
  if (closure === null) rt.fail('java.lang.NullPointerException', null);
}

/** Methods that Groovy gives to every object; a lone object is its only element. */
export const walkingMethods: Readonly<Record<string, LibraryFunction>> = {
  'each(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      yield* callWith(rt, self, closure, cursor.next());
    }
    return self;
  },
  'eachWithIndex(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    for (let at = 0; cursor.hasNext(); at++) {
      rt.budget.spend(1);
      const item = cursor.next();
      const args =
        item instanceof Entry && self instanceof GMap && rt.arity(closure) === 3
          ? [item.entryKey, item.value, at]
          : [item, at];
      yield* rt.invoke(closure, args);
    }
    return self;
  },
  'collect()': function* (rt, self: Value) {
    const cursor = yield* cursorOf(rt, self);
    const out: Value[] = [];
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      out.push(cursor.next());
    }
    return listOf(rt, out);
  },
  'collect(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return listOf(rt, yield* collected(rt, self, closure));
  },
  'collect(Collection, Closure)': function* (rt, self: Value, [target, closure]: [Value, Value]) {
    for (const item of yield* collected(rt, self, closure)) yield* rt.call(target, 'add', [item]);
    return target;
  },
  'find()': function* (rt, self: Value) {
    return yield* firstThat(rt, self, undefined);
  },
  'find(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* firstThat(rt, self, closure);
  },
  'findAll()': function* (rt, self: Value) {
    return similarTo(rt, self, yield* allThat(rt, self, undefined));
  },
  'findAll(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return similarTo(rt, self, yield* allThat(rt, self, closure));
  },
  'any()': function* (rt, self: Value) {
    return yield* isAny(rt, self, undefined, true);
  },
  'any(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* isAny(rt, self, closure, true);
  },
  'every()': function* (rt, self: Value) {
    return !(yield* isAny(rt, self, undefined, false));
  },
  'every(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return !(yield* isAny(rt, self, closure, false));
  },
  'inject(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    if (!cursor.hasNext())
      return rt.fail(
        'java.util.NoSuchElementException',
        'Cannot call inject() on an empty collection without passing an initial value.',
      );
    let value = cursor.next();
    while (cursor.hasNext()) value = yield* rt.invoke(closure, [value, cursor.next()]);
    return value;
  },
  'inject(Object, Closure)': function* (rt, self: Value, [initial, closure]: [Value, Value]) {
    const cursor = yield* cursorOf(rt, self);
    let value = initial;
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      const item = cursor.next();
      const args =
        item instanceof Entry && self instanceof GMap && rt.arity(closure) === 3
          ? [value, item.entryKey, item.value]
          : [value, item];
      value = yield* rt.invoke(closure, args);
    }
    return value;
  },
  'findIndexOf(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* indexThat(rt, self, closure, 0);
  },
  'findIndexOf(int, Closure)': function* (rt, self: Value, [from, closure]: [number, Value]) {
    return yield* indexThat(rt, self, closure, from);
  },
  'findLastIndexOf(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const found = yield* indexesThat(rt, self, closure, 0);
    return found.length === 0 ? -1 : Number(found.at(-1));
  },
  'findLastIndexOf(int, Closure)': function* (rt, self: Value, [from, closure]: [number, Value]) {
    const found = yield* indexesThat(rt, self, closure, from);
    return found.length === 0 ? -1 : Number(found.at(-1));
  },
  'findIndexValues(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return listOf(rt, yield* indexesThat(rt, self, closure, 0));
  },
  'findIndexValues(Number, Closure)': function* (rt, self: Value, [from, closure]: [Value, Value]) {
    return listOf(rt, yield* indexesThat(rt, self, closure, countOf(from)));
  },
  'findResult(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    return yield* firstResult(rt, self, closure);
  },
  'findResult(Object, Closure)': function* (rt, self: Value, [fallback, closure]: [Value, Value]) {
    return (yield* firstResult(rt, self, closure)) ?? fallback;
  },
  'findResult()': function* (rt, self: Value) {
    return yield* firstResult(rt, self, undefined);
  },
  'findResult(Object)': function* (rt, self: Value, [fallback]: [Value]) {
    return (yield* firstResult(rt, self, undefined)) ?? fallback;
  },
  'grep()': function* (rt, self: Value) {
    return similarTo(rt, self, yield* allThat(rt, self, undefined));
  },
  'grep(Object)': function* (rt, self: Value, [filter]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    const out: Value[] = [];
    while (cursor.hasNext()) {
      rt.budget.spend(1);
      const item = cursor.next();
      if (yield* rt.isCase(filter, item)) out.push(item);
    }
    return similarTo(rt, self, out);
  },
  'split(Closure)': function* (rt, self: Value, [closure]: [Value]) {
    const cursor = yield* cursorOf(rt, self);
    const yes: Value[] = [];
    const no: Value[] = [];
    while (cursor.hasNext()) {
      const item = cursor.next();
      ((yield* holds(rt, self, closure, item)) ? yes : no).push(item);
    }
    return listOf(rt, [similarTo(rt, self, yes), similarTo(rt, self, no)]);
  },
};

function* collected(rt: Runtime, self: Value, closure: Value): Steps<Value[]> {
  const cursor = yield* cursorOf(rt, self);
  const out: Value[] = [];
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    out.push(yield* callWith(rt, self, closure, cursor.next()));
  }
  return out;
}

function* firstThat(rt: Runtime, self: Value, closure: Value | undefined): Steps {
  checkTest(rt, closure);
  const cursor = yield* cursorOf(rt, self);
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    const item = cursor.next();
    if (yield* holds(rt, self, closure, item)) return item;
  }
  return null;
}

function* allThat(rt: Runtime, self: Value, closure: Value | undefined): Steps<Value[]> {
  checkTest(rt, closure);
  const cursor = yield* cursorOf(rt, self);
  const out: Value[] = [];
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    const item = cursor.next();
    if (yield* holds(rt, self, closure, item)) out.push(item);
  }
  rt.budget.allocate(out.length * 8);
  return out;
}

function* isAny(rt: Runtime, self: Value, closure: Value | undefined, wanted: boolean): Steps<boolean> {
  checkTest(rt, closure);
  const cursor = yield* cursorOf(rt, self);
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    if ((yield* holds(rt, self, closure, cursor.next())) === wanted) return true;
  }
  return false;
}

function* indexThat(rt: Runtime, self: Value, closure: Value, from: number): Steps<number> {
  checkTest(rt, closure);
  const cursor = yield* cursorOf(rt, self);
  for (let at = 0; cursor.hasNext(); at++) {
    rt.budget.spend(1);
    const item = cursor.next();
    if (at >= from && (yield* holds(rt, self, closure, item))) return at;
  }
  return -1;
}

/** Indexes, as the Longs that Groovy makes of them. */
function* indexesThat(rt: Runtime, self: Value, closure: Value, from: number): Steps<bigint[]> {
  checkTest(rt, closure);
  const cursor = yield* cursorOf(rt, self);
  const found: bigint[] = [];
  for (let at = 0; cursor.hasNext(); at++) {
    rt.budget.spend(1);
    const item = cursor.next();
    if (at >= from && (yield* holds(rt, self, closure, item))) found.push(BigInt(at));
  }
  return found;
}

function* firstResult(rt: Runtime, self: Value, closure: Value | undefined): Steps {
  const cursor = yield* cursorOf(rt, self);
  while (cursor.hasNext()) {
    rt.budget.spend(1);
    const item = cursor.next();
    const result = closure === undefined ? item : yield* callWith(rt, self, closure, item);
    if (result !== null) return result;
  }
  return null;
}

export const walkingClasses: readonly ClassSpec[] = [{ name: 'java.lang.Object', methods: walkingMethods }];
