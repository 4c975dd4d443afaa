import { List } from '../../values/collections.ts';
import type { JavaClass, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import type { Cursor } from '../collections/cursors.ts';
import { allOf, JavaIterator } from '../collections/walk.ts';

/** Marks the end of a stream. */
export const END: unique symbol = Symbol('end');

/** Gives the next element each time it is called, or the end. */
export type Pull = () => Steps<Value | typeof END>;

export type StreamKind = 'object' | 'int' | 'long' | 'double';

const PIPELINES: Readonly<Record<StreamKind, string>> = {
  object: 'java.util.stream.ReferencePipeline',
  int: 'java.util.stream.IntPipeline',
  long: 'java.util.stream.LongPipeline',
  double: 'java.util.stream.DoublePipeline',
};

/** Bytes of a stream with its functions. */
const STREAM_BYTES = 256;

/** A stream: each element passes all operations before the next one is taken, and only as many are taken as needed. */
export class Stream implements Obj {
  readonly rt: Runtime;
  readonly kind: StreamKind;
  readonly javaClass: JavaClass;
  readonly #open: () => Pull;
  /** Number of elements if it is known without taking any: `count()` then takes none. */
  readonly size: (() => number) | null;
  /** Every stream is walked over once. */
  isUsed = false;
  readonly closing: Value[];

  constructor(
    rt: Runtime,
    kind: StreamKind,
    open: () => Pull,
    size: (() => number) | null = null,
    above: Stream | null = null,
  ) {
    rt.budget.allocate(STREAM_BYTES);
    this.rt = rt;
    this.kind = kind;
    this.javaClass = rt.class(above === null ? `${PIPELINES[kind]}$Head` : PIPELINES[kind]);
    this.#open = open;
    this.size = size;
    this.closing = above?.closing ?? [];
  }

  use(): void {
    if (this.isUsed) this.rt.fail('java.lang.IllegalStateException', 'stream has already been operated upon or closed');
    this.isUsed = true;
  }

  /** The elements one after the other; each is charged. */
  pull(): Pull {
    const pull = this.#open();
    const { budget } = this.rt;
    return () => {
      budget.spend(1);
      return pull();
    };
  }

  elements(): Value[] {
    this.use();
    return this.rt.now(drained(this));
  }
}

/** All elements of a stream. */
export function* drained(stream: Stream): Steps<Value[]> {
  const pull = stream.pull();
  const out: Value[] = [];
  for (let item = yield* pull(); item !== END; item = yield* pull()) {
    stream.rt.budget.allocate(8);
    out.push(item);
  }
  return out;
}

/** A stream of elements that are already there. */
export function streamOf(rt: Runtime, items: readonly Value[], kind: StreamKind = 'object'): Stream {
  return new Stream(
    rt,
    kind,
    () => pullOver(items),
    () => items.length,
  );
}

export function pullOver(items: readonly Value[]): Pull {
  let at = 0;
  // biome-ignore lint/correctness/useYield: elements that are there need no steps
  return function* () {
    return at < items.length ? items[at++]! : END;
  };
}

/** A stream of a collection: it is read when the stream is, and a change while it is read is an error. */
export function streamOver(rt: Runtime, source: Value, kind: StreamKind = 'object'): Stream {
  if (!(source instanceof List)) {
    let items: Value[] | null = null;
    const read = (): Value[] => {
      items ??= rt.now(allOf(rt, source));
      return items;
    };
    return new Stream(
      rt,
      kind,
      () => pullOver(read()),
      () => read().length,
    );
  }
  const { items } = source;
  const open = (): Pull => {
    const end = items.length;
    let at = 0;
    // biome-ignore lint/correctness/useYield: elements that are there need no steps
    return function* () {
      if (at < end) return items[at++] ?? null;
      if (items.length !== end) rt.fail('java.util.ConcurrentModificationException', null);
      return END;
    };
  };
  return new Stream(rt, kind, open, () => items.length);
}

/** An iterator that takes elements as it is asked for them. */
export function iteratorOf(rt: Runtime, stream: Stream): JavaIterator {
  const pull = stream.pull();
  let ahead: { readonly item: Value | typeof END } | null = null;
  const look = (): Value | typeof END => {
    ahead ??= { item: rt.now(pull()) };
    return ahead.item;
  };
  const cursor: Cursor = {
    hasNext: () => look() !== END,
    next: () => {
      const item = look();
      if (item === END) return rt.fail('java.util.NoSuchElementException', null);
      ahead = null;
      return item;
    },
  };
  return new JavaIterator(rt, cursor, 'java.util.Spliterators$1Adapter');
}
