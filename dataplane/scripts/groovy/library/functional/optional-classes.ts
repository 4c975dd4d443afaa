import { hashOf } from '../../values/hash.ts';
import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { keyText } from '../../values/key-of.ts';
import { castFail, tested } from '../../values/sam-results.ts';
import { textOf } from '../../values/text.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';

/** An Optional; null stands for an empty one. */
export class OptionalValue implements Obj {
  readonly javaClass: JavaClass;
  readonly value: Value;

  constructor(rt: Runtime, value: Value) {
    this.javaClass = rt.class('java.util.Optional');
    this.value = value;
  }

  text(): string {
    return this.value === null ? 'Optional.empty' : `Optional[${textOf(this.value)}]`;
  }

  truth(): boolean {
    return this.value !== null;
  }

  hash(): number {
    return hashOf(this.value);
  }

  key(): string {
    return `\u0001optional${keyText(this.value)}`;
  }

  equals(other: Value): boolean {
    return other instanceof OptionalValue && other.key() === this.key();
  }
}

/** The result of a function that must return an Optional. */
function optionalIn(rt: Runtime, value: Value): Value {
  if (value === null) return rt.fail('java.lang.NullPointerException', null);
  return value instanceof OptionalValue ? value : castFail(rt, value, 'java.util.Optional');
}

function needed(rt: Runtime, value: Value): Value {
  return value ?? rt.fail('java.util.NoSuchElementException', 'No value present');
}

export const optionalClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Optional',
    statics: {
      'of(Object)': (rt, _self: Value, [value]: [Value]) =>
        new OptionalValue(rt, value ?? rt.fail('java.lang.NullPointerException', null)),
      'ofNullable(Object)': (rt, _self: Value, [value]: [Value]) => new OptionalValue(rt, value),
      'empty()': (rt) => new OptionalValue(rt, null),
    },
    methods: {
      'isPresent()': (_rt, self: OptionalValue) => self.value !== null,
      'isEmpty()': (_rt, self: OptionalValue) => self.value === null,
      'get()': (rt, self: OptionalValue) => needed(rt, self.value),
      'orElse(Object)': (_rt, self: OptionalValue, [other]: [Value]) => self.value ?? other,
      'orElseThrow()': (rt, self: OptionalValue) => needed(rt, self.value),
      'orElseGet(java.util.function.Supplier)': function* (rt, self: OptionalValue, [supplier]: [Value]) {
        return self.value ?? (yield* rt.invoke(supplier, []));
      },
      'orElseThrow(java.util.function.Supplier)': function* (rt, self: OptionalValue, [supplier]: [Value]) {
        if (self.value !== null) return self.value;
        const thrown = yield* rt.invoke(supplier, []);
        if (thrown === null) return rt.fail('java.lang.NullPointerException', null);
        throw new Thrown(thrown instanceof Throwable ? thrown : castFail(rt, thrown, 'java.lang.Throwable'));
      },
      'or(java.util.function.Supplier)': function* (rt, self: OptionalValue, [supplier]: [Value]) {
        return self.value === null ? optionalIn(rt, yield* rt.invoke(supplier, [])) : self;
      },
      'map(java.util.function.Function)': function* (rt, self: OptionalValue, [run]: [Value]) {
        return self.value === null ? self : new OptionalValue(rt, yield* rt.invoke(run, [self.value]));
      },
      'flatMap(java.util.function.Function)': function* (rt, self: OptionalValue, [run]: [Value]) {
        return self.value === null ? self : optionalIn(rt, yield* rt.invoke(run, [self.value]));
      },
      'filter(java.util.function.Predicate)': function* (rt, self: OptionalValue, [test]: [Value]) {
        const isKept = self.value === null || (yield* tested(rt, test, [self.value]));
        return isKept ? self : new OptionalValue(rt, null);
      },
      'ifPresent(java.util.function.Consumer)': function* (rt, self: OptionalValue, [run]: [Value]) {
        if (self.value !== null) yield* rt.invoke(run, [self.value]);
        return null;
      },
      'ifPresentOrElse(java.util.function.Consumer, Runnable)': function* (
        rt,
        self: OptionalValue,
        [run, other]: [Value, Value],
      ) {
        if (self.value !== null) yield* rt.invoke(run, [self.value]);
        else yield* rt.invoke(other, []);
        return null;
      },
    },
  },
];
