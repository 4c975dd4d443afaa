import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import type { ListCursor } from './cursors.ts';
import { elementMethods } from './element-methods.ts';
import { allOf, itemsNow, type JavaIterator } from './walk.ts';

const iteratorMethods: Readonly<Record<string, LibraryFunction>> = {
  'hasNext()': (_rt, self: JavaIterator) => self.cursor.hasNext(),
  'next()': (rt, self: JavaIterator) =>
    self.cursor.hasNext() ? self.cursor.next() : rt.fail('java.util.NoSuchElementException', null),
  'remove()': (rt, self: JavaIterator) => {
    if (self.cursor.remove === undefined) return rt.fail('java.lang.UnsupportedOperationException', 'remove');
    return self.cursor.remove();
  },
  'iterator()': (_rt, self: Value) => self,
  'size()': (rt, self: Value) => itemsNow(rt, self).length,
  'forEachRemaining(java.util.function.Consumer)': function* (rt, self: Value, [action]: [Value]) {
    for (const item of yield* allOf(rt, self)) yield* rt.invoke(action, [item]);
    return null;
  },
};

const onList = (code: (cursor: ListCursor, value: Value) => unknown): LibraryFunction => {
  return (_rt: Runtime, self: JavaIterator, [value = null]: [Value?]) => code(self.cursor as ListCursor, value);
};

const listIteratorMethods: Readonly<Record<string, LibraryFunction>> = {
  'hasPrevious()': onList((cursor) => cursor.at > 0),
  'previous()': onList((cursor) => cursor.previous()),
  'nextIndex()': onList((cursor) => cursor.at),
  'previousIndex()': onList((cursor) => cursor.at - 1),
  'set(Object)': onList((cursor, value) => cursor.set(value)),
  'add(Object)': onList((cursor, value) => cursor.add(value)),
};

export const iteratorClasses: readonly ClassSpec[] = [
  { name: 'java.util.Iterator', methods: { ...elementMethods, ...iteratorMethods } },
  {
    name: 'java.util.ListIterator',
    kind: 'interface',
    interfaces: ['java.util.Iterator'],
    methods: listIteratorMethods,
  },
  { name: 'java.util.ArrayList$Itr', interfaces: ['java.util.Iterator'] },
  { name: 'java.util.ArrayList$ListItr', interfaces: ['java.util.ListIterator'] },
  { name: 'groovy.util.PermutationGenerator', interfaces: ['java.util.Iterator'] },
];
