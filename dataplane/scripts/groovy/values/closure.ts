import { CLOSURE } from './core-classes.ts';
import { type JavaClass, OBJECT, type Obj, type Runtime, type Steps, type Value } from './java-class.ts';

/** Code of a closure; arguments are already those of its parameters. */
export type ClosureCode = (closure: Closure, args: readonly Value[]) => Steps;

/** Order in which names are looked for, with the numbers that scripts use. */
export const RESOLVE = { ownerFirst: 0, delegateFirst: 1, ownerOnly: 2, delegateOnly: 3, toSelf: 4 } as const;

/** Facts about a closure that the compiler knows. */
export interface ClosureShape {
  /** Class of each parameter; one Object for the implicit `it`. */
  readonly types: readonly JavaClass[];
  readonly isVariadic: boolean;
  /** True without declared parameters: called with nothing, `it` is null. */
  readonly hasImplicitIt: boolean;
  /** Number of parameters without a default value. */
  readonly required: number;
  /** Of a method pointer: parameters of the longest overload. */
  readonly most?: number;
}

const ANY: ClosureShape = { types: [OBJECT], isVariadic: false, hasImplicitIt: true, required: 0 };

export class Closure implements Obj {
  readonly rt: Runtime;
  readonly shape: ClosureShape;
  readonly code: ClosureCode;
  readonly owner: Value;
  readonly thisObject: Value;
  delegate: Value;
  resolveStrategy: number = RESOLVE.ownerFirst;
  readonly javaClass: JavaClass;

  constructor(rt: Runtime, code: ClosureCode, owner: Value, thisObject: Value, shape = ANY, javaClass = CLOSURE) {
    this.rt = rt;
    this.code = code;
    this.owner = owner;
    this.thisObject = thisObject;
    this.delegate = owner;
    this.shape = shape;
    this.javaClass = javaClass;
  }

  /** Number of parameters, as scripts see it. */
  get parameterCount(): number {
    return this.shape.most ?? this.shape.types.length;
  }

  /** A copy that looks for names in a delegate first. */
  delegatingTo(delegate: Value): Closure {
    const copy = new Closure(this.rt, this.code, this.owner, this.thisObject, this.shape, this.javaClass);
    copy.delegate = delegate;
    copy.resolveStrategy = RESOLVE.delegateFirst;
    return copy;
  }
}

/** A functional interface that the library or a coercion implements: `functional(rt.class('Comparator'), 2, code)`. */
export class Functional implements Obj {
  readonly javaClass: JavaClass;
  readonly arity: number;
  readonly code: (args: readonly Value[]) => Steps;
  /** Closure that a script coerced, if any. */
  readonly closure: Closure | null;

  constructor(
    javaClass: JavaClass,
    arity: number,
    code: (args: readonly Value[]) => Steps,
    closure: Closure | null = null,
  ) {
    this.javaClass = javaClass;
    this.arity = arity;
    this.code = code;
    this.closure = closure;
  }
}
