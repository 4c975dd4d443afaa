import { type ArrayValue, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';

const tupleNames = Array.from({ length: 8 }, (_, at) => `groovy.lang.Tuple${at + 1}`);

/** Tuples of one to eight elements, whose parts have names. */
export const tupleClasses: readonly ClassSpec[] = [
  {
    name: 'groovy.lang.Tuple',
    superclass: 'java.util.AbstractList',
    constructors: {
      '(Object...)': (rt, _self: Value, [items]: [ArrayValue]) =>
        new List([...items.items], rt.class('groovy.lang.Tuple'), true),
    },
    statics: {
      'tuple(Object...)': (rt, _self: Value, [items]: [ArrayValue]) =>
        new List([...items.items], rt.class(tupleNames[items.items.length - 1] ?? 'groovy.lang.Tuple'), true),
    },
    methods: {
      'subTuple(int, int)': (rt, self: List, [from, to]: [number, number]) =>
        new List(self.items.slice(from, to), rt.class('groovy.lang.Tuple'), true),
    },
  },
  ...tupleNames.map((name, last): ClassSpec => {
    const part = (at: number) => (_rt: Runtime, self: List) => self.items[at]!;
    const parts = Array.from({ length: last + 1 }, (_, at): [string, LibraryFunction] => [`getV${at + 1}()`, part(at)]);
    return {
      name,
      superclass: 'groovy.lang.Tuple',
      constructors: {
        [`(${parts.map(() => 'Object').join(', ')})`]: (rt: Runtime, _self: Value, args: Value[]) =>
          new List([...args], rt.class(name), true),
      },
      methods: {
        ...Object.fromEntries(parts),
        ...(last === 1 ? { 'getFirst()': part(0), 'getSecond()': part(1) } : {}),
      },
    };
  }),
];
