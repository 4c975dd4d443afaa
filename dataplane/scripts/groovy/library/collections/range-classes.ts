import { List } from '../../values/collections.ts';
import { INT_RANGE } from '../../values/core-classes.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { BigInteger } from '../../values/numbers.ts';
import { Range } from '../../values/range.ts';
import { countOf } from '../numeric.ts';

function least(rt: Runtime, { from, to }: Range): Value {
  return rt.compare(from, to) <= 0 ? from : to;
}

function most(rt: Runtime, { from, to }: Range): Value {
  return rt.compare(from, to) <= 0 ? to : from;
}

function* stepped(rt: Runtime, self: Range, step: Value): Steps<Value[]> {
  const isDown = rt.compare(self.from, self.to) > 0;
  const out: Value[] = [];
  let at = self.from;
  if (rt.compare(step, 0) <= 0)
    rt.fail('groovy.lang.GroovyRuntimeException', 'Infinite loop detected due to step size of 0');
  if (typeof self.from === 'string') return self.items.filter((_item, at) => at % countOf(step) === 0);
  for (;;) {
    const comparison = rt.compare(at, self.to);
    if (isDown ? comparison < 0 : comparison > 0) break;
    if (comparison === 0 && !self.isInclusive) break;
    rt.budget.spend(1);
    rt.budget.allocate(8);
    out.push(at);
    at = yield* rt.operator(isDown ? 'minus' : 'plus', at, step);
  }
  return out;
}

/** Groovy makes a range of numbers that goes up, and walks down for a step below zero. */
function* rangeBy(rt: Runtime, self: Range, step: Value): Steps {
  const isWhole = typeof self.from === 'number' && typeof self.to === 'number' && self.items.length > 0;
  const [first, last] = isWhole ? [self.items[0]!, self.items.at(-1)!] : [self.from, self.to];
  const [low, high] = rt.compare(first, last) > 0 ? [last, first] : [first, last];
  const isDown = rt.compare(step, 0) < 0;
  const skips = isWhole ? {} : { first: self.skipsFirst, last: self.skipsLast };
  const walked = isDown ? new Range(high, low, [], skips) : new Range(low, high, [], skips);
  const items = yield* stepped(rt, walked, isDown ? yield* rt.call(step, 'unaryMinus', []) : step);
  return new Range(low, high, items, skips, step);
}

/** Ranges of texts have no steps of their own. */
function missing(rt: Runtime, self: Range, step: Value): Steps {
  return rt.fail(
    'groovy.lang.MissingMethodException',
    `No signature of method: ${self.javaClass.name}.by() is applicable for argument types: (${rt.classOf(step).simpleName}) values: [${rt.text(step)}]`,
  );
}

const isWithin: LibraryFunction = (rt: Runtime, self: Range, [value]: [Value]) => {
  if (value === null) return false;
  const isWhole = typeof value === 'number' || value instanceof BigInteger;
  if (self.javaClass === INT_RANGE && !isWhole) return false;
  rt.budget.spend(self.items.length);
  return self.items.some((item) => rt.equals(item, value));
};

export const rangeClasses: readonly ClassSpec[] = [
  {
    name: 'groovy.lang.Range',
    methods: {
      'getFrom()': (rt, self: Range) => least(rt, self),
      'getTo()': (rt, self: Range) =>
        self.isInclusive || self.items.length === 0
          ? most(rt, self)
          : self.items.at(rt.compare(self.from, self.to) <= 0 ? -1 : 0)!,
      'isReverse()': (rt, self: Range) => rt.compare(self.from, self.to) > 0,
      'contains(Object)': isWithin,
      'isCase(Object)': isWithin,
      'containsWithinBounds(Object)': (rt, self: Range, [value]: [Value]) =>
        rt.classOf(self).simpleName === 'IntRange'
          ? isWithin(rt, self as never, [value] as never)
          : rt.compare(least(rt, self), value) <= 0 && rt.compare(value, most(rt, self)) <= 0,
      'by(Number)': function* (rt, self: Range, [step]: [Value]) {
        if (typeof self.from === 'string') return yield* missing(rt, self, step);
        return yield* rangeBy(rt, self, step ?? 1);
      },
      'step(int)': function* (rt, self: Range, [step]: [number]) {
        if (step < 0) return new List((yield* stepped(rt, self, -step)).reverse());
        return new List(yield* stepped(rt, self, step));
      },
      'step(int, Closure)': function* (rt, self: Range, [step, closure]: [number, Value]) {
        for (const item of yield* stepped(rt, self, Math.abs(step))) yield* rt.invoke(closure, [item]);
        return null;
      },
      'get(int)': (rt, self: Range, [index]: [number]) => {
        if (index < 0) rt.fail('java.lang.IndexOutOfBoundsException', `Index: ${index} should not be negative`);
        if (index >= self.items.length)
          rt.fail('java.lang.IndexOutOfBoundsException', `Index: ${index} too big for range: ${self.text()}`);
        return self.items[index]!;
      },
      'size()': (_rt, self: Range) => self.items.length,
    },
  },
];
