import type { Runtime, Steps, Value } from './java-class.ts';
import { Double } from './numbers.ts';

/** Types that a method of a functional interface returns; `object` is any value. */
export type SamResult = 'boolean' | 'int' | 'long' | 'double' | 'void' | 'object';

/** Type that the one method of a functional interface of Java returns. */
export function samResult(className: string): SamResult {
  const name = className.slice(className.lastIndexOf('.') + 1);
  if (/Predicate$|^BooleanSupplier$/.test(name)) return 'boolean';
  if (/Consumer$|^Runnable$/.test(name)) return 'void';
  const to = /To(Int|Long|Double)|^(Int|Long|Double)(?:Unary|Binary)Operator$|^(Int|Long|Double)Supplier$/.exec(name);
  if (to !== null) return (to[1] ?? to[2] ?? to[3])!.toLowerCase() as SamResult;
  return name === 'Comparator' ? 'int' : 'object';
}

const BOXES = { boolean: 'Boolean', int: 'Integer', long: 'Long', double: 'Double' } as const;

export function isOf(value: Value, kind: keyof typeof BOXES): boolean {
  if (kind === 'boolean') return typeof value === 'boolean';
  if (kind === 'int') return typeof value === 'number';
  return kind === 'long' ? typeof value === 'bigint' : value instanceof Double;
}

/** A result as the interface wants it: Java unboxes what a closure returns, and converts nothing. */
export function unboxed(rt: Runtime, value: Value, kind: SamResult): Value {
  if (kind === 'object') return value;
  if (kind === 'void') return null;
  if (isOf(value, kind)) return value;
  if (value === null) return rt.fail('java.lang.NullPointerException', null);
  return castFail(rt, value, `java.lang.${BOXES[kind]}`);
}

export function castFail(rt: Runtime, value: Value, to: string): never {
  return rt.fail('java.lang.ClassCastException', `class ${rt.classOf(value).name} cannot be cast to class ${to}`);
}

/** The result of a predicate, which must be a Boolean. */
export function* tested(rt: Runtime, predicate: Value, args: readonly Value[]): Steps<boolean> {
  return unboxed(rt, yield* rt.invoke(predicate, args), 'boolean') as boolean;
}

/** The result of a comparator of Java, which must be an Integer. */
export function* comparedBy(rt: Runtime, order: Value, left: Value, right: Value): Steps<number> {
  return unboxed(rt, yield* rt.invoke(order, [left, right]), 'int') as number;
}
