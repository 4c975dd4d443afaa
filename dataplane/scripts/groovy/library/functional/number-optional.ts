import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { textOf } from '../../values/text.ts';
import { type Throwable, Thrown } from '../../values/throwable.ts';

type NumberKind = 'int' | 'long' | 'double';

const NAMES = { int: 'Int', long: 'Long', double: 'Double' } as const;

/** An OptionalInt, OptionalLong or OptionalDouble. */
export class NumberOptional implements Obj {
  readonly javaClass: JavaClass;
  readonly value: Value;

  constructor(rt: Runtime, kind: NumberKind, value: Value) {
    this.javaClass = rt.class(`java.util.Optional${NAMES[kind]}`);
    this.value = value;
  }

  text(): string {
    const { simpleName } = this.javaClass;
    return this.value === null ? `${simpleName}.empty` : `${simpleName}[${textOf(this.value)}]`;
  }

  truth(): boolean {
    return this.value !== null;
  }
}

function needed(rt: Runtime, self: NumberOptional): Value {
  return self.value ?? rt.fail('java.util.NoSuchElementException', 'No value present');
}

function optionalSpec(kind: NumberKind): ClassSpec {
  const name = NAMES[kind];
  const methods: Record<string, LibraryFunction> = {
    'isPresent()': (_rt, self: NumberOptional) => self.value !== null,
    'isEmpty()': (_rt, self: NumberOptional) => self.value === null,
    [`getAs${name}()`]: needed as LibraryFunction,
    // Groovy adds this one.
    'get()': needed as LibraryFunction,
    'orElseThrow()': needed as LibraryFunction,
    [`orElse(${kind})`]: (_rt, self: NumberOptional, [other]: [Value]) => self.value ?? other,
    [`orElseGet(java.util.function.${name}Supplier)`]: function* (rt: Runtime, self: NumberOptional, [run]: [Value]) {
      return self.value ?? (yield* rt.invoke(run, []));
    },
    'orElseThrow(java.util.function.Supplier)': function* (rt: Runtime, self: NumberOptional, [run]: [Value]) {
      if (self.value !== null) return self.value;
      throw new Thrown((yield* rt.invoke(run, [])) as Throwable);
    },
    [`ifPresent(java.util.function.${name}Consumer)`]: function* (rt: Runtime, self: NumberOptional, [run]: [Value]) {
      if (self.value !== null) yield* rt.invoke(run, [self.value]);
      return null;
    },
  };
  return {
    name: `java.util.Optional${name}`,
    methods,
    statics: {
      [`of(${kind})`]: (rt: Runtime, _self: Value, [value]: [Value]) => new NumberOptional(rt, kind, value),
      'empty()': (rt) => new NumberOptional(rt, kind, null),
    },
  };
}

export const numberOptionalClasses: readonly ClassSpec[] = [
  optionalSpec('int'),
  optionalSpec('long'),
  optionalSpec('double'),
];
