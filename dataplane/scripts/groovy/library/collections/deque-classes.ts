import { List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { cursorOver } from './cursors.ts';
import { compareNow, comparing } from './sorting.ts';
import { allOf, checkChangeable, itemsNow, JavaIterator, refill } from './walk.ts';

function changed(rt: Runtime, self: List): Value[] {
  checkChangeable(rt, self);
  rt.budget.spend(1 + self.items.length / 16);
  return self.items;
}

function end(name: string, at: 0 | -1, removes: boolean, fallback: 'null' | 'throws'): [string, LibraryFunction] {
  return [
    `${name}()`,
    (rt: Runtime, self: List) => {
      if (self.items.length === 0)
        return fallback === 'null' ? null : rt.fail('java.util.NoSuchElementException', null);
      const value = self.items.at(at)!;
      if (removes) changed(rt, self).splice(at, 1);
      return value;
    },
  ];
}

function adding(name: string, place: 'first' | 'last', result: true | null): [string, LibraryFunction] {
  return [
    `${name}(Object)`,
    (rt: Runtime, self: List, [value]: [Value]) => {
      if (value === null && self.javaClass.name === 'java.util.ArrayDeque')
        rt.fail('java.lang.NullPointerException', null);
      rt.budget.allocate(8);
      if (place === 'first') changed(rt, self).unshift(value);
      else changed(rt, self).push(value);
      return result;
    },
  ];
}

function occurrence(name: string, find: (items: readonly Value[], test: (item: Value) => boolean) => number) {
  return [
    `${name}(Object)`,
    (rt: Runtime, self: List, [value]: [Value]): boolean => {
      const at = find(self.items, (item) => rt.javaEquals(value, item));
      rt.budget.spend(self.items.length);
      if (at >= 0) changed(rt, self).splice(at, 1);
      return at >= 0;
    },
  ] as [string, LibraryFunction];
}

const first = (items: readonly Value[], test: (item: Value) => boolean): number => items.findIndex(test);
const last = (items: readonly Value[], test: (item: Value) => boolean): number => items.findLastIndex(test);

const dequeMethods: Readonly<Record<string, LibraryFunction>> = Object.fromEntries([
  end('getFirst', 0, false, 'throws'),
  end('getLast', -1, false, 'throws'),
  end('peek', 0, false, 'null'),
  end('peekFirst', 0, false, 'null'),
  end('peekLast', -1, false, 'null'),
  end('element', 0, false, 'throws'),
  end('poll', 0, true, 'null'),
  end('pollFirst', 0, true, 'null'),
  end('pollLast', -1, true, 'null'),
  end('pop', 0, true, 'throws'),
  end('remove', 0, true, 'throws'),
  end('removeFirst', 0, true, 'throws'),
  end('removeLast', -1, true, 'throws'),
  adding('addFirst', 'first', null),
  adding('push', 'first', null),
  adding('addLast', 'last', null),
  adding('offer', 'last', true),
  adding('offerLast', 'last', true),
  adding('offerFirst', 'first', true),
  occurrence('removeFirstOccurrence', first),
  occurrence('removeLastOccurrence', last),
  [
    'descendingIterator()',
    ((rt: Runtime, self: List) => new JavaIterator(rt, cursorOver([...self.items].reverse()))) as LibraryFunction,
  ],
]);

/** Methods that lists have by themselves, for queues that are none. */
const queueMethods: Readonly<Record<string, LibraryFunction>> = {
  'clear()': (rt, self: List) => void (changed(rt, self).length = 0),
  'addAll(Collection)': function* (rt: Runtime, self: List, [more]: [Value]): Steps {
    const items = yield* allOf(rt, more);
    for (const item of items) yield* rt.call(self, 'add', [item]);
    return items.length > 0;
  },
  'leftShift(Object)': function* (rt: Runtime, self: List, [value]: [Value]): Steps {
    yield* rt.call(self, 'add', [value]);
    return self;
  },
};

const arrayDeque: ClassSpec = {
  name: 'java.util.ArrayDeque',
  methods: {
    ...dequeMethods,
    ...queueMethods,
    ...Object.fromEntries([adding('add', 'last', true), occurrence('remove', first)]),
  },
};

const emptyStack = (rt: Runtime): never => rt.fail('java.util.EmptyStackException', null);

const stackMethods: Readonly<Record<string, LibraryFunction>> = {
  'peek()': (rt, self: List) => self.items.at(-1) ?? (self.items.length === 0 ? emptyStack(rt) : null),
  'pop()': (rt, self: List) => (self.items.length === 0 ? emptyStack(rt) : changed(rt, self).pop()!),
  'push(Object)': (rt, self: List, [value]: [Value]) => {
    rt.budget.allocate(8);
    changed(rt, self).push(value);
    return value;
  },
  'empty()': (_rt, self: List) => self.items.length === 0,
  'search(Object)': (rt, self: List, [value]: [Value]) => {
    const at = last(self.items, (item) => rt.javaEquals(value, item));
    return at < 0 ? -1 : self.items.length - at;
  },
};

function boundsFail(rt: Runtime, index: number, length: number): never {
  return rt.fail('java.lang.ArrayIndexOutOfBoundsException', `${index} >= ${length}`);
}

const vectorMethods: Readonly<Record<string, LibraryFunction>> = {
  'addElement(Object)': (rt, self: List, [value]: [Value]) => void changed(rt, self).push(value),
  'elementAt(int)': (rt, self: List, [index]: [number]) =>
    index < self.items.length ? self.items[index]! : boundsFail(rt, index, self.items.length),
  'firstElement()': (rt, self: List) => self.items[0] ?? rt.fail('java.util.NoSuchElementException', null),
  'lastElement()': (rt, self: List) => self.items.at(-1) ?? rt.fail('java.util.NoSuchElementException', null),
  'insertElementAt(Object, int)': (rt, self: List, [value, index]: [Value, number]) =>
    void changed(rt, self).splice(index, 0, value),
  'removeAllElements()': (rt, self: List) => void (changed(rt, self).length = 0),
  'removeElementAt(int)': (rt, self: List, [index]: [number]) => void changed(rt, self).splice(index, 1),
  'setElementAt(Object, int)': (rt, self: List, [value, index]: [Value, number]) => {
    if (index >= self.items.length) boundsFail(rt, index, self.items.length);
    changed(rt, self)[index] = value;
  },
};

/** Comparators of priority queues; null is the natural order. */
const orders = new WeakMap<List, Value>();

function* before(rt: Runtime, self: List, left: Value, right: Value): Steps<boolean> {
  const order = orders.get(self) ?? null;
  rt.budget.spend(2);
  if (order === null) return compareNow(rt, left, right) < 0;
  return (yield* comparing(rt, order)(left, right)) < 0;
}

/** A heap in an array, with the moves of Java, because scripts see the array as its text. */
function* siftUp(rt: Runtime, self: List, start: number): Steps<void> {
  const { items } = self;
  const value = items[start]!;
  let at = start;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!(yield* before(rt, self, value, items[parent]!))) break;
    items[at] = items[parent]!;
    at = parent;
  }
  items[at] = value;
}

function* siftDown(rt: Runtime, self: List, start: number): Steps<void> {
  const { items } = self;
  const value = items[start]!;
  const half = items.length >> 1;
  let at = start;
  while (at < half) {
    let child = 2 * at + 1;
    if (child + 1 < items.length && (yield* before(rt, self, items[child + 1]!, items[child]!))) child++;
    if (!(yield* before(rt, self, items[child]!, value))) break;
    items[at] = items[child]!;
    at = child;
  }
  items[at] = value;
}

function* offer(rt: Runtime, self: List, [value]: [Value]): Steps {
  if (value === null) rt.fail('java.lang.NullPointerException', null);
  rt.budget.allocate(8);
  self.items.push(value);
  yield* siftUp(rt, self, self.items.length - 1);
  return true;
}

function* removeAt(rt: Runtime, self: List, at: number): Steps {
  const { items } = self;
  const value = items[at]!;
  const moved = items.pop()!;
  if (at === items.length) return value;
  items[at] = moved;
  yield* siftDown(rt, self, at);
  if (items[at] === moved) yield* siftUp(rt, self, at);
  return value;
}

function poll(isNeeded: boolean): LibraryFunction {
  return function* (rt: Runtime, self: List): Steps {
    if (self.items.length > 0) return yield* removeAt(rt, self, 0);
    return isNeeded ? rt.fail('java.util.NoSuchElementException', null) : null;
  };
}

const newQueue = (rt: Runtime, order: Value = null): List => {
  const queue = new List([], rt.class('java.util.PriorityQueue'));
  orders.set(queue, order);
  return queue;
};

const priorityQueue: ClassSpec = {
  name: 'java.util.PriorityQueue',
  superclass: 'java.util.AbstractCollection',
  interfaces: ['java.util.Queue'],
  constructors: {
    '()': (rt) => newQueue(rt),
    '(int)': (rt) => newQueue(rt),
    '(Comparator)': (rt, _self: Value, [order]: [Value]) => newQueue(rt, order),
    '(int, Comparator)': (rt, _self: Value, [, order]: [number, Value]) => newQueue(rt, order),
    '(Collection)': function* (rt: Runtime, _self: Value, [items]: [Value]): Steps {
      const queue = newQueue(rt);
      refill(queue.items, yield* allOf(rt, items));
      for (let at = (queue.items.length >> 1) - 1; at >= 0; at--) yield* siftDown(rt, queue, at);
      return queue;
    },
  },
  methods: {
    ...queueMethods,
    'add(Object)': offer as LibraryFunction,
    'offer(Object)': offer as LibraryFunction,
    'peek()': (_rt, self: List) => self.items[0] ?? null,
    'element()': (rt, self: List) => self.items[0] ?? rt.fail('java.util.NoSuchElementException', null),
    'poll()': poll(false),
    'remove()': poll(true),
    'remove(Object)': function* (rt: Runtime, self: List, [value]: [Value]): Steps {
      const at = first(itemsNow(rt, self), (item) => rt.javaEquals(value, item));
      if (at >= 0) yield* removeAt(rt, self, at);
      return at >= 0;
    },
  },
};

export const dequeClasses: readonly ClassSpec[] = [
  { name: 'java.util.LinkedList', methods: dequeMethods },
  { name: 'java.util.Vector', methods: vectorMethods },
  { name: 'java.util.Stack', methods: stackMethods },
  { name: 'java.util.EmptyStackException', superclass: 'java.lang.RuntimeException' },
  arrayDeque,
  priorityQueue,
];
