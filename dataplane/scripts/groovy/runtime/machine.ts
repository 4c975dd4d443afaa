import { BudgetExceeded } from '../../script-budget.ts';
import type { Surroundings } from '../../script-language.ts';
import { Closure, Functional } from '../values/closure.ts';
import { ArrayValue, ByteArray, Entry, GMap, GSet, List } from '../values/collections.ts';
import { looselyEqual, order, strictlyEqual } from '../values/comparison.ts';
import { isNumber, toDouble } from '../values/conversions.ts';
import { BOOLEAN, INTEGER, LONG, STRING } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import { hashOf } from '../values/hash.ts';
import type { JavaClass, LibraryMethod, Steps, Value } from '../values/java-class.ts';
import { chargeItems, SHORT_TEXT } from '../values/meter.ts';
import { Byte, Char } from '../values/numbers.ts';
import { sizeOf, sizeWith } from '../values/size-of.ts';
import { textOf } from '../values/text.ts';
import { Throwable, Thrown } from '../values/throwable.ts';
import type { RunBudget } from './budget.ts';
import type { ClassTable } from './class-table.ts';
import { callClosure } from './closure-calls.ts';
import { asType, castTo } from './coercion.ts';
import { create } from './construction.ts';
import { type CalledName, type Core, MISSING, type Outcome, settle, type TextCompiler } from './core.ts';
import { drive } from './drive.ts';
import type { InstanceHooks } from './instance.ts';
import { ScriptHooks } from './instance-hooks.ts';
import { type MethodTables, methodTables, type PropertyReader } from './method-tables.ts';
import { send, sendStatic } from './methods.ts';
import { operate } from './operators.ts';
import { chosenOverload } from './overload-choices.ts';
import { convertArguments } from './overloads.ts';
import { read, write } from './properties.ts';
import { ScriptVariables } from './script-variables.ts';

const NOTHING: readonly Value[] = [];

/** Bytes of an exception with its stack. */
const CAUGHT_BYTES = 1024;

/** Runs the code of one script once. */
export class Machine implements Core {
  readonly budget: RunBudget;
  readonly classes: ClassTable;
  readonly hooks: InstanceHooks;
  /** The environment and system properties, for scripts that may read them. */
  surroundings: Surroundings | null = null;
  readonly variables: ScriptVariables;
  readonly texts: TextCompiler;
  #expandos: Map<JavaClass, Map<string, Value>> | null = null;
  readonly #print: ((text: string) => void) | null;
  readonly #tables: MethodTables;
  #depth = 0;

  constructor(options: {
    readonly classes: ClassTable;
    readonly budget: RunBudget;
    readonly binding?: GMap | undefined;
    readonly print?: ((text: string) => void) | undefined;
    readonly texts: TextCompiler;
  }) {
    this.classes = options.classes;
    this.budget = options.budget;
    this.variables = new ScriptVariables(options.binding ?? null);
    this.texts = options.texts;
    this.#print = options.print ?? null;
    this.#tables = methodTables(options.classes);
    this.hooks = new ScriptHooks(this);
  }

  get expandos(): Map<JavaClass, Map<string, Value>> {
    this.#expandos ??= new Map();
    return this.#expandos;
  }

  get hasExpandos(): boolean {
    return this.#expandos !== null && this.#expandos.size > 0;
  }

  print(text: string): void {
    this.budget.allocate(text.length * 2);
    this.#print?.(text);
  }

  class(name: string): JavaClass {
    return this.classes.named(name);
  }

  classOf(value: Value): JavaClass {
    switch (typeof value) {
      case 'string':
        return STRING;
      case 'number':
        return INTEGER;
      case 'boolean':
        return BOOLEAN;
      case 'bigint':
        return LONG;
      default:
        return value === null ? this.class('org.codehaus.groovy.runtime.NullObject') : value.javaClass;
    }
  }

  isInstance(value: Value, type: JavaClass): boolean {
    return value !== null && type.isAssignableFrom(this.classOf(value));
  }

  fail(className: string, message: string | null = null, cause: Value = null): never {
    throw new Thrown(new Throwable(this.class(className), message, cause));
  }

  text(value: Value): string {
    if (typeof value === 'string') return value;
    if (value instanceof Throwable && value.javaClass.declared !== null)
      return textOf(this.now(this.call(value, 'toString', [])), this.budget);
    return textOf(value, this.budget);
  }

  javaText(value: Value): string {
    return textOf(value, this.budget, 'java');
  }

  inspect(value: Value): string {
    return textOf(value, this.budget, 'inspect');
  }

  equals(left: Value, right: Value): boolean {
    return typeof left === 'string' || left !== right ? looselyEqual(this, left, right) : true;
  }

  javaEquals(left: Value, right: Value): boolean {
    return strictlyEqual(this, left, right);
  }

  hash(value: Value): number {
    return hashOf(value);
  }

  compare(left: Value, right: Value): number {
    return order(this, left, right);
  }

  truth(value: Value): boolean {
    switch (typeof value) {
      case 'boolean':
        return value;
      case 'string':
        return value !== '';
      case 'number':
        return value !== 0;
      case 'bigint':
        return value !== 0n;
      default:
        return value !== null && this.#truthOf(value);
    }
  }

  #truthOf(value: Exclude<Value, null | boolean | string | number | bigint>): boolean {
    if (value.truth !== undefined) return value.truth();
    if (value instanceof List || value instanceof ArrayValue) return value.items.length > 0;
    if (value instanceof GMap || value instanceof GSet) return value.size > 0;
    if (value instanceof ByteArray) return value.bytes.length > 0;
    if (value instanceof Char) return value.code !== 0;
    if (isNumber(value)) return Math.abs(toDouble(value)) > 0;
    return value.elements === undefined || value.elements().length > 0;
  }

  as(value: Value, type: JavaClass): Value {
    return asType(this, value, type);
  }

  cast(value: Value, type: JavaClass): Value {
    return castTo(this, value, type);
  }

  *isCase(candidate: Value, item: Value): Steps<boolean> {
    if (candidate === null) return item === null;
    return this.truth(yield* this.call(candidate, 'isCase', [item]));
  }

  *invoke(callable: Value, args: readonly Value[], name = 'doCall'): Steps {
    if (callable instanceof Closure) return yield* settle(this.callClosure(callable, args, { name }));
    if (callable instanceof Functional) return yield* callable.code(args);
    const type = this.classOf(callable);
    const sam = [...type.supertypes].find((each) => each.sam !== null)?.sam;
    return yield* this.call(callable, sam ?? 'call', args);
  }

  *invokeWith(callable: Value, element: Value): Steps {
    return yield* this.invoke(callable, [element]);
  }

  *invokeWithEntry(callable: Value, entry: Value): Steps {
    if (entry instanceof Entry && this.arity(callable) === 2)
      return yield* this.invoke(callable, [entry.entryKey, entry.value]);
    return yield* this.invoke(callable, [entry]);
  }

  arity(callable: Value): number {
    if (callable instanceof Closure) return callable.parameterCount;
    if (callable instanceof Functional) return callable.arity;
    const type = this.classOf(callable);
    const sam = [...type.supertypes].find((each) => each.sam !== null)?.sam ?? 'call';
    return this.methods(type, sam)[0]?.parameters.length ?? 1;
  }

  *call(self: Value, name: string, args: readonly Value[]): Steps {
    return yield* settle(this.send(self, name, args));
  }

  *callStatic(type: JavaClass, name: string, args: readonly Value[]): Steps {
    return yield* settle(this.sendStatic(type, name, args));
  }

  *construct(type: JavaClass, args: readonly Value[]): Steps {
    return yield* settle(this.create(type, args));
  }

  *get(self: Value, name: string): Steps {
    return yield* settle(this.read(self, name));
  }

  *set(self: Value, name: string, value: Value): Steps {
    return yield* settle(this.write(self, name, value));
  }

  *operator(name: string, left: Value, right: Value): Steps {
    return yield* settle(operate(this, name, left, right));
  }

  *elements(value: Value): Steps<Value[]> {
    if (value === null) return [];
    if (typeof value === 'string') {
      chargeItems(value.length, 8);
      return value.split('');
    }
    if (typeof value !== 'object') return [value];
    if (value.elements !== undefined) return value.elements();
    if (value instanceof List || value instanceof ArrayValue) return [...value.items];
    if (value instanceof GSet) return value.items();
    if (value instanceof GMap) return value.entries();
    if (value instanceof ByteArray) {
      chargeItems(value.bytes.length, 24);
      return Array.from(new Int8Array(value.bytes), (each) => new Byte(each));
    }
    if (value instanceof GString) return yield* this.elements(value.text());
    if (
      this.methods(value.javaClass, 'iterator').some((each) => (each as { isOfScript?: boolean }).isOfScript === true)
    ) {
      return yield* this.#drain(yield* this.call(value, 'iterator', []));
    }
    if (this.methods(value.javaClass, 'hasNext').length > 0) return yield* this.#drain(value);
    return [value];
  }

  *#drain(iterator: Value): Steps<Value[]> {
    if (iterator !== null && typeof iterator === 'object' && iterator.elements !== undefined)
      return iterator.elements();
    const items: Value[] = [];
    while (this.truth(yield* this.call(iterator, 'hasNext', []))) {
      this.budget.allocate(8);
      items.push(yield* this.call(iterator, 'next', []));
    }
    return items;
  }

  now<T>(steps: Steps<T>): T {
    const result = steps.next();
    if (result.done === true) return result.value;
    return this.fail('java.lang.IllegalStateException', 'a script cannot wait for a promise here');
  }

  methods(type: JavaClass, name: string): readonly LibraryMethod[] {
    return this.#tables.methods(type, name);
  }

  staticMethods(type: JavaClass, name: string): readonly LibraryMethod[] {
    return this.#tables.statics(type, name);
  }

  ofScript(type: JavaClass, name: string, parameters: 0 | 1 | 2): readonly LibraryMethod[] {
    return this.#tables.ofScript(type, name, parameters);
  }

  getter(type: JavaClass, name: string): LibraryMethod | null {
    return this.#tables.getter(type, name);
  }

  property(type: JavaClass, name: string): PropertyReader | null {
    return this.#tables.property(type, name);
  }

  callGetter(self: Value, method: LibraryMethod): Outcome {
    const size = sizeOf(self);
    if (size > SHORT_TEXT) this.budget.spend(size >> 6);
    try {
      return (method.code(this, self as never, NOTHING as never) ?? null) as Outcome;
    } catch (error) {
      throw this.failure(error);
    }
  }

  tryCall(self: Value, overloads: readonly LibraryMethod[], args: readonly Value[]): Outcome | typeof MISSING {
    if (overloads.length === 0) return MISSING;
    const { typesOf } = this.#tables;
    const selection = chosenOverload(this, typesOf, overloads, args, self);
    if (selection === null) return MISSING;
    const { method } = selection;
    const given = selection.passesNull === true ? [null] : args;
    const converted =
      given.length === 0 && !selection.packs ? given : convertArguments(typesOf(method), given, selection.packs);
    const size = args.reduce(sizeWith, sizeOf(self));
    if (size > SHORT_TEXT) this.budget.spend(size >> 6);
    try {
      return (method.code(this, self as never, converted as never) ?? null) as Outcome;
    } catch (error) {
      throw this.failure(error);
    }
  }

  send(self: Value, name: string, args: readonly Value[]): Outcome {
    return send(this, self, name, args);
  }

  sendStatic(type: JavaClass, name: string, args: readonly Value[]): Outcome {
    return sendStatic(this, type, name, args);
  }

  read(self: Value, name: string): Outcome {
    return read(this, self, name);
  }

  write(self: Value, name: string, value: Value): Outcome {
    return write(this, self, name, value);
  }

  create(type: JavaClass, args: readonly Value[]): Outcome {
    return create(this, type, args);
  }

  callClosure(closure: Closure, args: readonly Value[], failsAs?: CalledName): Outcome {
    return callClosure(this, closure, args, failsAs);
  }

  /** Code of a script begins; deep recursion is an error that the script can catch, as in Java. */
  enter(): void {
    this.budget.spend(1);
    if (++this.#depth > this.budget.limits.depth) {
      this.#depth--;
      this.fail('java.lang.StackOverflowError');
    }
  }

  leave(): void {
    this.#depth--;
  }

  /** The exception for a `catch` clause; what a script must not see is thrown on. */
  caught(error: unknown): Throwable {
    const known = this.failure(error);
    if (!(known instanceof Thrown)) throw known;
    this.budget.allocate(CAUGHT_BYTES);
    return known.throwable;
  }

  /** An error as scripts see it: a library method that meets null, or the end of the stack, fails as in Java. */
  failure(error: unknown): unknown {
    if (error instanceof BudgetExceeded) return error;
    if (this.budget.exceeded !== null) return new BudgetExceeded(this.budget.exceeded);
    if (error instanceof Thrown) return error;
    const name =
      error instanceof TypeError
        ? 'java.lang.NullPointerException'
        : error instanceof RangeError
          ? `java.lang.${error.message.includes('call stack') ? 'StackOverflowError' : 'ArithmeticException'}`
          : null;
    if (name === null) return error;
    const throwable = new Throwable(this.class(name), null);
    // The stack of an overflow holds only its innermost calls.
    if (error instanceof TypeError) throwable.origin = error;
    return new Thrown(throwable);
  }

  /** Runs code of a script to its end, and waits for promises on the way. */
  run(steps: Steps): Promise<Value> {
    return drive(this, steps);
  }
}
