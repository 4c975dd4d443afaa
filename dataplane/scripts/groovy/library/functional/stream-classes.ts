import type { ArrayValue } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { tested } from '../../values/sam-results.ts';
import { collectors } from './collectors.ts';
import { numberOptionalClasses } from './number-optional.ts';
import { generating, iterating, numberStreamClasses } from './number-streams.ts';
import { numberSummaryClasses } from './number-summaries.ts';
import type { OptionalValue } from './optional-classes.ts';
import { END, type Pull, Stream, streamOf, streamOver } from './stream.ts';
import { streamOperations } from './stream-operations.ts';

const F = 'java.util.function.';

const stream: LibraryFunction = (rt: Runtime, self: Value) => streamOver(rt, self);

/** The elements of one stream and then those of another. */
function concatenated(rt: Runtime, left: Stream, right: Stream): Stream {
  left.use();
  right.use();
  const size = left.size === null || right.size === null ? null : () => left.size!() + right.size!();
  const open = (): Pull => {
    let pull = left.pull();
    let isLast = false;
    return function* () {
      const item = yield* pull();
      if (item !== END || isLast) return item;
      pull = right.pull();
      isLast = true;
      return yield* pull();
    };
  };
  return new Stream(rt, left.kind, open, size);
}

const statics: Readonly<Record<string, LibraryFunction>> = {
  'of(Object)': (rt: Runtime, _self: Value, [item]: [Value]) => streamOf(rt, [item]),
  'of(Object...)': (rt: Runtime, _self: Value, [items]: [ArrayValue]) => streamOf(rt, items.items),
  'ofNullable(Object)': (rt: Runtime, _self: Value, [item]: [Value]) => streamOf(rt, item === null ? [] : [item]),
  'empty()': (rt: Runtime) => streamOf(rt, []),
  'concat(java.util.stream.Stream, java.util.stream.Stream)': (
    rt: Runtime,
    _self: Value,
    [left, right]: [Stream, Stream],
  ) => concatenated(rt, left, right),
  [`iterate(Object, ${F}UnaryOperator)`]: (rt: Runtime, _self: Value, [first, next]: [Value, Value]) =>
    iterating(rt, 'object', first, null, (item) => rt.invoke(next, [item])),
  [`iterate(Object, ${F}Predicate, ${F}UnaryOperator)`]: (
    rt: Runtime,
    _self: Value,
    [first, test, next]: [Value, Value, Value],
  ) =>
    iterating(
      rt,
      'object',
      first,
      (item) => tested(rt, test, [item]),
      (item) => rt.invoke(next, [item]),
    ),
  [`generate(${F}Supplier)`]: (rt: Runtime, _self: Value, [make]: [Value]) =>
    generating(rt, 'object', () => rt.invoke(make, [])),
};

export const streamClasses: readonly ClassSpec[] = [
  { name: 'java.util.stream.BaseStream', kind: 'interface' },
  {
    name: 'java.util.stream.Stream',
    kind: 'interface',
    interfaces: ['java.util.stream.BaseStream'],
    methods: streamOperations,
    statics,
  },
  {
    name: 'java.util.stream.ReferencePipeline',
    interfaces: ['java.util.stream.Stream'],
    methods: {
      // Java has a class without a name for each operation.
      'getClass()': (rt) =>
        rt.fail('java.lang.UnsupportedOperationException', 'the class of a stream is not available'),
    },
  },
  {
    name: 'java.util.stream.ReferencePipeline$Head',
    superclass: 'java.util.stream.ReferencePipeline',
    methods: { 'getClass()': (rt, self: Value) => rt.classOf(self) },
  },
  ...numberStreamClasses,
  ...numberOptionalClasses,
  ...numberSummaryClasses,
  { name: 'java.util.Spliterators$1Adapter', interfaces: ['java.util.Iterator'] },
  { name: 'java.util.stream.Collector', kind: 'interface' },
  { name: 'java.util.stream.Collectors$CollectorImpl', interfaces: ['java.util.stream.Collector'] },
  { name: 'java.util.stream.Collectors$Partition', superclass: 'java.util.AbstractMap' },
  { name: 'java.util.stream.Collectors', statics: collectors },
  { name: 'java.util.Collection', methods: { 'stream()': stream, 'parallelStream()': stream } },
  { name: 'java.util.Iterator', methods: { 'stream()': stream } },
  {
    name: 'java.lang.Object',
    methods: { 'stream()': (rt, self: Value) => streamOf(rt, [self]) },
  },
  { name: 'java.lang.Object[]', methods: { 'stream()': stream } },
  { name: 'primitive[]', methods: { 'stream()': stream } },
  {
    name: 'java.util.Optional',
    methods: {
      'stream()': (rt, self: OptionalValue) => streamOf(rt, self.value === null ? [] : [self.value]),
    },
  },
];
