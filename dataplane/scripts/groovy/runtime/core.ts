import type { Closure } from '../values/closure.ts';
import type { JavaClass, LibraryMethod, Runtime, Steps, Value } from '../values/java-class.ts';
import type { ClassTable } from './class-table.ts';
import type { InstanceHooks } from './instance.ts';
import type { PropertyReader } from './method-tables.ts';
import type { ScriptVariables } from './script-variables.ts';

/** A value at once, or steps that lead to it. */
export type Outcome = Value | Steps;

/** There is no such property. */
export const MISSING: unique symbol = Symbol('missing');

/** Generators are never values, so the two can be told apart. */
export function isSteps(outcome: unknown): outcome is Steps {
  return (
    typeof outcome === 'object' &&
    outcome !== null &&
    (outcome as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === 'Generator'
  );
}

/** The value of an outcome. */
export function* settle(outcome: Outcome): Steps {
  return isSteps(outcome) ? ((yield* outcome) ?? null) : outcome;
}

/** The method that a message names when arguments do not fit a closure. */
export interface CalledName {
  readonly name: string;
  /** The class that holds the closure; that of the closure itself without it. */
  readonly type?: JavaClass;
}

/** A script that can be run many times. */
export interface RunnableScript {
  /** Class of the script itself. */
  readonly type: JavaClass;
  /** Classes that it declares, in the order in which their static fields get their values. */
  readonly classes: readonly JavaClass[];
  readonly run: (rt: Runtime, self: Value, args: readonly Value[]) => Steps;
}

/** Compiles texts that scripts evaluate. */
export interface TextCompiler {
  /** @param name the class of the script */
  compile(core: Core, text: string, name: string): RunnableScript;
}

/** The runtime as its own parts see it. */
export interface Core extends Runtime {
  readonly classes: ClassTable;
  /** Variables without `def` of the script that runs. Scripts that it evaluates can have others. */
  readonly variables: ScriptVariables;
  /** Scripts that the running one has as texts. */
  readonly texts: TextCompiler;
  readonly hooks: InstanceHooks;
  /** Methods that a script added to classes, by class and name. */
  readonly expandos: Map<JavaClass, Map<string, Value>>;
  readonly hasExpandos: boolean;
  /** Overloads of a method, of the class and everything above it. */
  methods(type: JavaClass, name: string): readonly LibraryMethod[];
  staticMethods(type: JavaClass, name: string): readonly LibraryMethod[];
  /** Overloads that a script declared, with so many parameters. */
  ofScript(type: JavaClass, name: string, parameters: 0 | 1 | 2): readonly LibraryMethod[];
  getter(type: JavaClass, name: string): LibraryMethod | null;
  /** The reader of a property of a class of the library, or null where only the object itself can say. */
  property(type: JavaClass, name: string): PropertyReader | null;
  /** Calls a method without parameters. */
  callGetter(self: Value, method: LibraryMethod): Outcome;
  /** Calls the overload that fits, or returns MISSING. */
  tryCall(self: Value, overloads: readonly LibraryMethod[], args: readonly Value[]): Outcome | typeof MISSING;
  send(self: Value, name: string, args: readonly Value[]): Outcome;
  sendStatic(type: JavaClass, name: string, args: readonly Value[]): Outcome;
  read(self: Value, name: string): Outcome;
  write(self: Value, name: string, value: Value): Outcome;
  create(type: JavaClass, args: readonly Value[]): Outcome;
  callClosure(closure: Closure, args: readonly Value[], failsAs?: CalledName): Outcome;
}
