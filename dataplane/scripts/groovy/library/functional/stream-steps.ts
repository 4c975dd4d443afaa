import { GSet } from '../../values/collections.ts';
import type { LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { castFail, tested } from '../../values/sam-results.ts';
import { type Comparing, sorted } from '../collections/sorting.ts';
import { hashSetOf, listOf, tableSize } from '../collections/walk.ts';
import { drained, END, iteratorOf, type Pull, pullOver, Stream, type StreamKind } from './stream.ts';

/** A stream that passes each element on as the function says; it keeps the number of elements. */
export function mapping(above: Stream, kind: StreamKind, change: (item: Value) => Steps): Stream {
  const open = (): Pull => {
    const pull = above.pull();
    return function* () {
      const item = yield* pull();
      return item === END ? END : yield* change(item);
    };
  };
  return new Stream(above.rt, kind, open, above.size, above);
}

/** A stream of other elements than the one above. */
function deriving(above: Stream, kind: StreamKind, open: () => Pull): Stream {
  return new Stream(above.rt, kind, open, null, above);
}

export function filtering(above: Stream, isKept: (item: Value) => Steps<boolean>): Stream {
  return deriving(above, above.kind, () => {
    const pull = above.pull();
    return function* () {
      let item = yield* pull();
      while (item !== END && !(yield* isKept(item))) item = yield* pull();
      return item;
    };
  });
}

/** The elements of the streams that a function returns; null is an empty one. */
export function flattening(above: Stream, kind: StreamKind, inner: (item: Value) => Steps): Stream {
  const { rt } = above;
  return deriving(above, kind, () => {
    const pull = above.pull();
    let part: Pull | null = null;
    return function* () {
      for (;;) {
        const item: Value | typeof END = part === null ? END : yield* part();
        if (item !== END) return item;
        const outer = yield* pull();
        if (outer === END) return END;
        const made = yield* inner(outer);
        if (made !== null && !(made instanceof Stream)) castFail(rt, made, 'java.util.stream.Stream');
        made?.use();
        part = made?.pull() ?? null;
      }
    };
  });
}

export function ordering(above: Stream, compare: Comparing): Stream {
  const open = (): Pull => {
    let rest: Pull | null = null;
    return function* () {
      rest ??= pullOver(yield* sorted(above.rt, yield* drained(above), compare));
      return yield* rest();
    };
  };
  return new Stream(above.rt, above.kind, open, above.size, above);
}

export function peeking(above: Stream, look: (item: Value) => Steps): Stream {
  return mapping(above, above.kind, function* (item) {
    yield* look(item);
    return item;
  });
}

function countFrom(rt: Runtime, count: bigint): number {
  return count < 0n ? rt.fail('java.lang.IllegalArgumentException', String(count)) : Number(count);
}

function* whileTrue(rt: Runtime, test: Value, item: Value | typeof END): Steps<boolean> {
  return item !== END && (yield* tested(rt, test, [item]));
}

/** Operations of every kind of stream that need no function, or a test; `P` is the prefix of the test's class. */
export function commonOperations(predicate: string): Readonly<Record<string, LibraryFunction>> {
  const test = `java.util.function.${predicate}`;
  return {
    [`filter(${test})`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      filtering(self, (item) => tested(rt, run, [item])),
    [`takeWhile(${test})`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      deriving(self, self.kind, () => {
        const pull = self.pull();
        let isOver = false;
        return function* () {
          const item = isOver ? END : yield* pull();
          isOver ||= !(yield* whileTrue(rt, run, item));
          return isOver ? END : item;
        };
      }),
    [`dropWhile(${test})`]: (rt: Runtime, self: Stream, [run]: [Value]) =>
      deriving(self, self.kind, () => {
        const pull = self.pull();
        let isDropping = true;
        return function* () {
          let item = yield* pull();
          while (isDropping && (yield* whileTrue(rt, run, item))) item = yield* pull();
          isDropping = false;
          return item;
        };
      }),
    'limit(long)': (rt: Runtime, self: Stream, [count]: [bigint]) => {
      const most = countFrom(rt, count);
      return deriving(self, self.kind, () => {
        const pull = self.pull();
        let taken = 0;
        return function* () {
          return taken++ < most ? yield* pull() : END;
        };
      });
    },
    'skip(long)': (rt: Runtime, self: Stream, [count]: [bigint]) => {
      const least = countFrom(rt, count);
      return deriving(self, self.kind, () => {
        const pull = self.pull();
        let skipped = 0;
        return function* () {
          while (skipped++ < least) if ((yield* pull()) === END) return END;
          return yield* pull();
        };
      });
    },
    'distinct()': (rt: Runtime, self: Stream) => {
      const open = (): Pull => {
        const pull = self.pull();
        const seen = new GSet();
        return function* () {
          let item = yield* pull();
          while (item !== END && !seen.add(item)) item = yield* pull();
          rt.budget.allocate(48);
          return item;
        };
      };
      return deriving(self, self.kind, open);
    },
    [`anyMatch(${test})`]: (rt: Runtime, self: Stream, [run]: [Value]) => isAny(rt, self, run, true),
    [`noneMatch(${test})`]: function* (rt: Runtime, self: Stream, [run]: [Value]) {
      return !(yield* isAny(rt, self, run, true));
    },
    [`allMatch(${test})`]: function* (rt: Runtime, self: Stream, [run]: [Value]) {
      return !(yield* isAny(rt, self, run, false));
    },
    'count()': function* (_rt: Runtime, self: Stream) {
      if (self.size !== null) return BigInt(self.size());
      return BigInt((yield* drained(self)).length);
    },
    'iterator()': (rt: Runtime, self: Stream) => iteratorOf(rt, self),
    'toList()': function* (rt: Runtime, self: Stream) {
      return listOf(rt, yield* drained(self));
    },
    'toSet()': function* (rt: Runtime, self: Stream) {
      const items = yield* drained(self);
      return hashSetOf(rt, items, tableSize(items.length));
    },
    'parallel()': same,
    'sequential()': same,
    'unordered()': same,
    'onClose(Runnable)': (rt: Runtime, self: Stream, [run]: [Value]) => {
      self.closing.push(run);
      return same(rt, self as never, [] as never);
    },
    'isParallel()': (_rt: Runtime, self: Stream) => {
      self.isUsed = false;
      return false;
    },
    'close()': function* (rt: Runtime, self: Stream) {
      for (const run of self.closing.splice(0)) yield* rt.invoke(run, []);
      return null;
    },
  };
}

/** There is one thread, and every stream has an order. */
const same: LibraryFunction = (_rt: Runtime, self: Stream) => {
  self.isUsed = false;
  return self;
};

function* isAny(rt: Runtime, stream: Stream, test: Value, wanted: boolean): Steps<boolean> {
  const pull = stream.pull();
  for (let item = yield* pull(); item !== END; item = yield* pull())
    if ((yield* tested(rt, test, [item])) === wanted) return true;
  return false;
}

/** Calls a function for each element. */
export function* eachOf(stream: Stream, run: (item: Value) => Steps): Steps<null> {
  const pull = stream.pull();
  for (let item = yield* pull(); item !== END; item = yield* pull()) yield* run(item);
  return null;
}

/** Combines the elements one after the other; END if there is none. */
export function* reduced(
  stream: Stream,
  first: Value | typeof END,
  combine: (left: Value, right: Value) => Steps,
): Steps<Value | typeof END> {
  const pull = stream.pull();
  let value = first;
  for (let item = yield* pull(); item !== END; item = yield* pull())
    value = value === END ? item : yield* combine(value, item);
  return value;
}

/** Operations that first note that the stream is used up. */
export function using(operations: Readonly<Record<string, LibraryFunction>>): Record<string, LibraryFunction> {
  return Object.fromEntries(
    Object.entries(operations).map(([signature, code]): [string, LibraryFunction] => [
      signature,
      (rt: Runtime, self: Stream, args: never) => {
        self.use();
        return code(rt, self as never, args);
      },
    ]),
  );
}
