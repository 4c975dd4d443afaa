import type { ArrayValue } from '../../values/collections.ts';
import { List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import { itemsNow } from '../collections/walk.ts';

/** Outcome of a promise. Checked and unchecked exceptions reach different callbacks. */
export type Outcome =
  | { readonly kind: 'result'; readonly value: Value }
  | { readonly kind: 'exception' | 'runtime'; readonly value: Throwable };

/** Classes of promises that are complete from the start. */
const MADE: Readonly<Record<Outcome['kind'], string>> = {
  result: 'Promises$ResultPromise',
  exception: 'Promises$ExceptionPromise',
  runtime: 'Promises$RuntimeExceptionPromise',
};

/**
 * A promise. Requests of scripts suspend the script until the response is there, so that promises of the gateway are
 * always complete; only one that a script creates itself can be pending.
 */
export class PromiseValue implements Obj {
  readonly javaClass: JavaClass;
  outcome: Outcome | null;
  readonly waiting: ((outcome: Outcome) => Steps<void>)[] = [];

  constructor(rt: Runtime, outcome: Outcome | null) {
    this.javaClass = rt.class(`org.forgerock.util.promise.${outcome === null ? 'PromiseImpl' : MADE[outcome.kind]}`);
    this.outcome = outcome;
  }
}

/** The outcome that a thrown exception stands for. */
export function failed(rt: Runtime, throwable: Throwable): Outcome {
  return {
    kind: rt.isInstance(throwable, rt.class('java.lang.RuntimeException')) ? 'runtime' : 'exception',
    value: throwable,
  };
}

function* attempt(rt: Runtime, run: () => Steps): Steps<PromiseValue> {
  try {
    return new PromiseValue(rt, { kind: 'result', value: yield* run() });
  } catch (error) {
    const known = rt.failure(error);
    // An Error passes all callbacks.
    if (!(known instanceof Thrown) || rt.isInstance(known.throwable, rt.class('java.lang.Error'))) throw known;
    return new PromiseValue(rt, failed(rt, known.throwable));
  }
}

/** Functions for each way in which a promise can end; null passes the outcome on. */
interface Handlers {
  readonly result?: Value;
  readonly exception?: Value;
  readonly runtime?: Value;
}

/** A promise of what handlers make of the outcome; an asynchronous handler without a promise leads to null. */
function* derive(rt: Runtime, self: PromiseValue, handlers: Handlers, isAsync: boolean): Steps<PromiseValue | null> {
  const { outcome } = self;
  if (outcome === null) {
    const later = new PromiseValue(rt, null);
    self.waiting.push(function* () {
      const next = yield* derive(rt, self, handlers, isAsync);
      if (next === null) yield* complete(later, { kind: 'runtime', value: nullProblem(rt, 'promise') });
      else yield* follow(later, next);
    });
    return later;
  }
  const handler = handlers[outcome.kind];
  if (handler === null) return new PromiseValue(rt, { kind: 'runtime', value: nullProblem(rt, 'function') });
  if (handler === undefined) return self.outcome === outcome ? self : new PromiseValue(rt, outcome);
  const next = yield* attempt(rt, () => rt.invoke(handler, [outcome.value]));
  if (!isAsync || next.outcome?.kind !== 'result') return next;
  const inner = next.outcome.value;
  if (inner === null || inner instanceof PromiseValue) return inner;
  return new PromiseValue(rt, { kind: 'runtime', value: castProblem(rt, inner) });
}

function nullProblem(rt: Runtime, what: string): Throwable {
  return new Throwable(rt.class('java.lang.NullPointerException'), `the ${what} is null`);
}

/** Completes a promise as another one is, now or as soon as that is complete. */
function* follow(later: PromiseValue, next: PromiseValue): Steps<void> {
  if (next.outcome !== null) yield* complete(later, next.outcome);
  else
    next.waiting.push(function* (outcome) {
      yield* complete(later, outcome);
    });
}

/** An asynchronous function that returns no promise fails as the cast in Java fails. */
function castProblem(rt: Runtime, value: Value): Throwable {
  const problem = `class ${rt.classOf(value).name} cannot be cast to class org.forgerock.util.promise.Promise`;
  return new Throwable(rt.class('java.lang.ClassCastException'), problem);
}

/** Runs something for its effects: what it returns or throws is ignored. */
function* observe(rt: Runtime, self: PromiseValue, handlers: Handlers): Steps<PromiseValue> {
  if (self.outcome === null) self.waiting.push((outcome) => tell(rt, handlers, outcome));
  else yield* tell(rt, handlers, self.outcome);
  return self;
}

function* tell(rt: Runtime, handlers: Handlers, outcome: Outcome): Steps<void> {
  const handler = handlers[outcome.kind];
  if (handler !== undefined && handler !== null) yield* attempt(rt, () => rt.invoke(handler, [outcome.value]));
}

function* always(rt: Runtime, self: PromiseValue, runnable: Value): Steps<PromiseValue> {
  if (self.outcome === null) self.waiting.push(() => runOnce(rt, runnable));
  else yield* runOnce(rt, runnable);
  return self;
}

function* runOnce(rt: Runtime, runnable: Value): Steps<void> {
  yield* attempt(rt, () => rt.invoke(runnable, []));
}

export function* complete(self: PromiseValue, outcome: Outcome): Steps<boolean> {
  if (self.outcome !== null) return false;
  self.outcome = outcome;
  for (const each of self.waiting.splice(0)) yield* each(outcome);
  return true;
}

function settled(rt: Runtime, self: PromiseValue): Outcome {
  return self.outcome ?? rt.fail('java.util.concurrent.TimeoutException', 'the promise is not complete');
}

const F = 'org.forgerock.util.Function';
const AF = 'org.forgerock.util.AsyncFunction';
const P = 'org.forgerock.util.promise.';

const get: LibraryFunction = (rt: Runtime, self: PromiseValue) => {
  const outcome = settled(rt, self);
  if (outcome.kind === 'result') return outcome.value;
  return rt.fail('java.util.concurrent.ExecutionException', rt.text(outcome.value), outcome.value);
};

const getOrThrow: LibraryFunction = (rt: Runtime, self: PromiseValue) => {
  const outcome = settled(rt, self);
  if (outcome.kind === 'result') return outcome.value;
  throw new Thrown(outcome.value);
};

const methods: Readonly<Record<string, LibraryFunction>> = {
  [`then(${F})`]: (rt: Runtime, self: PromiseValue, [result]: Value[]) => derive(rt, self, { result: result! }, false),
  [`then(${F}, ${F})`]: (rt: Runtime, self: PromiseValue, [result, exception]: Value[]) =>
    derive(rt, self, { result: result!, exception: exception! }, false),
  [`then(${F}, ${F}, ${F})`]: (rt: Runtime, self: PromiseValue, [result, exception, runtime]: Value[]) =>
    derive(rt, self, { result: result!, exception: exception!, runtime: runtime! }, false),
  [`thenAsync(${AF})`]: (rt: Runtime, self: PromiseValue, [result]: Value[]) =>
    derive(rt, self, { result: result! }, true),
  [`thenAsync(${AF}, ${AF})`]: (rt: Runtime, self: PromiseValue, [result, exception]: Value[]) =>
    derive(rt, self, { result: result!, exception: exception! }, true),
  [`thenAsync(${AF}, ${AF}, ${AF})`]: (rt: Runtime, self: PromiseValue, [result, exception, runtime]: Value[]) =>
    derive(rt, self, { result: result!, exception: exception!, runtime: runtime! }, true),
  [`thenCatch(${F})`]: (rt: Runtime, self: PromiseValue, [exception]: Value[]) =>
    derive(rt, self, { exception: exception! }, false),
  [`thenCatchAsync(${AF})`]: (rt: Runtime, self: PromiseValue, [exception]: Value[]) =>
    derive(rt, self, { exception: exception! }, true),
  [`thenCatchRuntimeException(${F})`]: (rt: Runtime, self: PromiseValue, [runtime]: Value[]) =>
    derive(rt, self, { runtime: runtime! }, false),
  [`thenCatchRuntimeExceptionAsync(${AF})`]: (rt: Runtime, self: PromiseValue, [runtime]: Value[]) =>
    derive(rt, self, { runtime: runtime! }, true),
  [`thenOnResult(${P}ResultHandler)`]: (rt: Runtime, self: PromiseValue, [result]: Value[]) =>
    observe(rt, self, { result: result! }),
  [`thenOnException(${P}ExceptionHandler)`]: (rt: Runtime, self: PromiseValue, [exception]: Value[]) =>
    observe(rt, self, { exception: exception! }),
  [`thenOnRuntimeException(${P}RuntimeExceptionHandler)`]: (rt: Runtime, self: PromiseValue, [runtime]: Value[]) =>
    observe(rt, self, { runtime: runtime! }),
  [`thenOnResultOrException(${P}ResultHandler, ${P}ExceptionHandler)`]: (
    rt: Runtime,
    self: PromiseValue,
    [result, exception]: Value[],
  ) => observe(rt, self, { result: result!, exception: exception! }),
  'thenOnResultOrException(Runnable)': function* (rt: Runtime, self: PromiseValue, [runnable]: Value[]): Steps {
    if (self.outcome?.kind === 'runtime') return self;
    return yield* always(rt, self, runnable!);
  },
  'thenAlways(Runnable)': (rt: Runtime, self: PromiseValue, [runnable]: Value[]) => always(rt, self, runnable!),
  'thenFinally(Runnable)': (rt: Runtime, self: PromiseValue, [runnable]: Value[]) => always(rt, self, runnable!),
  'get()': get,
  'get(long, java.util.concurrent.TimeUnit)': get,
  'getOrThrow()': getOrThrow,
  'getOrThrow(long, java.util.concurrent.TimeUnit)': getOrThrow,
  'getOrThrowUninterruptibly()': getOrThrow,
  'getOrThrowUninterruptibly(long, java.util.concurrent.TimeUnit)': getOrThrow,
  'getOrThrowIfInterrupted()': getOrThrow,
  'isDone()': (_rt: Runtime, self: PromiseValue) => self.outcome !== null,
  'isCancelled()': () => false,
  'cancel(boolean)': () => false,
};

const made =
  (kind: Outcome['kind']): LibraryFunction =>
  (rt: Runtime, _self: Value, [value]: [Value]) =>
    new PromiseValue(rt, { kind, value } as Outcome);

function when(rt: Runtime, promises: readonly Value[]): PromiseValue {
  const outcomes = promises.map((promise) => settled(rt, promise as PromiseValue));
  const failure = outcomes.find((outcome) => outcome.kind !== 'result');
  return new PromiseValue(rt, failure ?? { kind: 'result', value: new List(outcomes.map((outcome) => outcome.value)) });
}

const sam = (name: string, method: string): ClassSpec => ({ name, kind: 'interface', sam: method });

export const promiseClasses: readonly ClassSpec[] = [
  { name: `${P}Promise`, kind: 'interface', interfaces: ['java.util.concurrent.Future'], methods },
  { name: 'java.util.concurrent.Future', kind: 'interface' },
  {
    name: `${P}PromiseImpl`,
    interfaces: [`${P}Promise`],
    statics: { 'create()': (rt) => new PromiseValue(rt, null) },
    methods: {
      'handleResult(Object)': function* (_rt, self: PromiseValue, [value]: [Value]) {
        yield* complete(self, { kind: 'result', value });
        return null;
      },
      'tryHandleResult(Object)': (_rt, self: PromiseValue, [value]: [Value]) =>
        complete(self, { kind: 'result', value }),
      'tryHandleException(Exception)': (_rt, self: PromiseValue, [value]: [Throwable]) =>
        complete(self, { kind: 'exception', value }),
      'handleException(Exception)': function* (_rt, self: PromiseValue, [value]: [Throwable]) {
        yield* complete(self, { kind: 'exception', value });
        return null;
      },
      'handleRuntimeException(RuntimeException)': function* (_rt, self: PromiseValue, [value]: [Throwable]) {
        yield* complete(self, { kind: 'runtime', value });
        return null;
      },
    },
  },
  ...Object.values(MADE).map((name) => ({ name: `${P}${name}`, interfaces: [`${P}Promise`] })),
  {
    name: `${P}Promises`,
    statics: {
      'newResultPromise(Object)': made('result'),
      'newExceptionPromise(Exception)': made('exception'),
      'newRuntimeExceptionPromise(RuntimeException)': made('runtime'),
      [`when(${P}Promise...)`]: (rt: Runtime, _self: Value, [promises]: [ArrayValue]) => when(rt, promises.items),
      'when(List)': (rt: Runtime, _self: Value, [promises]: [Value]) => when(rt, itemsNow(rt, promises)),
    },
  },
  { name: `${P}NeverThrowsException`, superclass: 'java.lang.RuntimeException' },
  sam(F, 'apply'),
  sam(AF, 'apply'),
  sam(`${P}ResultHandler`, 'handleResult'),
  sam(`${P}ExceptionHandler`, 'handleException'),
  sam(`${P}RuntimeExceptionHandler`, 'handleRuntimeException'),
  sam('org.forgerock.http.Handler', 'handle'),
  sam('org.forgerock.http.Filter', 'filter'),
];
