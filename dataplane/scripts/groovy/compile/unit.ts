import type { Place } from '../syntax/place.ts';
import { ScriptError } from '../syntax/place.ts';
import type { ClassNode, TypeName } from '../syntax/tree.ts';
import { type JavaClass, OBJECT } from '../values/java-class.ts';
import type { TypeNames } from './type-names.ts';

/** Source of an object: a text or number of the script, a variable, an expression that makes it, or not known. */
export type Origin =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number' | 'variable'; readonly of: object }
  | { readonly kind: 'made' | 'sum' | 'unknown' };

export interface Local {
  /** Name in the generated code. */
  readonly code: string;
  readonly type: JavaClass | null;
  readonly isFinal: boolean;
  /** Class of the value of a variable without a type that is assigned only once. */
  readonly value: JavaClass | null;
  /** Of the object in it; a variable that is assigned again is its own origin. */
  readonly origin: Origin;
}

/** The code of one function that is being written. */
export interface FunctionContext {
  /** Code for the object that names without an object refer to: the closure, or `self`. */
  readonly receiver: string;
  readonly isClosure: boolean;
  readonly isStatic: boolean;
  readonly returns: JavaClass | null;
  /** Class that the code belongs to; null in a script. */
  readonly owner: OwnerClass | null;
  readonly temporaries: string[];
  readonly isConstructor: boolean;
}

/** Facts about the class around some code. */
export interface OwnerClass {
  readonly type: JavaClass;
  readonly fields: ReadonlySet<string>;
  readonly staticFields: ReadonlySet<string>;
  readonly finals: ReadonlySet<string>;
  readonly isScript: boolean;
  /** Parameters are final. */
  readonly isAutoFinal?: boolean;
}

export interface LoopContext {
  /** A switch with a value bounds jumps: no loop around it can be left or continued from within. */
  readonly kind: 'loop' | 'switch' | 'switch-value';
  readonly label: string | null;
  /** Label in the generated code. */
  readonly code: string;
}

/** Variables in view. */
export class Scope {
  readonly parent: Scope | null;
  readonly context: FunctionContext;
  readonly loops: readonly LoopContext[];
  /** Name in the code of the variable that takes the value of a switch expression. */
  readonly switchValue: { readonly variable: string; readonly label: string } | null;
  readonly #locals = new Map<string, Local>();

  constructor(
    parent: Scope | null,
    context: FunctionContext,
    loops: readonly LoopContext[] = [],
    switchValue: Scope['switchValue'] = null,
  ) {
    this.parent = parent;
    this.context = context;
    this.loops = loops;
    this.switchValue = switchValue;
  }

  find(name: string): Local | null {
    return this.#locals.get(name) ?? this.parent?.find(name) ?? null;
  }

  set(name: string, local: Local): void {
    this.#locals.set(name, local);
  }

  inner(loops = this.loops, switchValue = this.switchValue): Scope {
    return new Scope(this, this.context, loops, switchValue);
  }
}

/** A call of a method that Groovy has and that is not available here. */
export interface Suspect {
  /** As the script has it: the method, or the property that it reads. */
  readonly word: string;
  readonly method: string;
  /** Class of the object; null if it cannot be told. */
  readonly type: JavaClass | null;
  readonly place: Place;
}

/** The script that is being compiled: constants, names and limits. */
export class Unit {
  readonly types: TypeNames;
  readonly className: string;
  readonly constants: unknown[] = [];
  /** Classes with names that the script declares, with the class around each. */
  readonly declared = new Map<JavaClass, { readonly node: ClassNode; readonly outer: JavaClass | null }>();
  /** Names of methods that the script declares more than once, in any of its classes. */
  readonly overloaded = new Set<string>();
  /** Calls of methods that may not be available. */
  readonly suspects: Suspect[] = [];
  /** Reads of names that are no variable, member or class which the compiler knows. */
  readonly unknown: { readonly name: string; readonly place: Place; readonly isSure: boolean }[] = [];
  /** Names of variables that get a value after their declaration. */
  readonly assigned: ReadonlySet<string>;
  /** Another script evaluates it. */
  readonly isEvaluated: boolean;
  readonly #typeConstants = new Map<JavaClass, string>();
  readonly #numbers = new Map<string, string>();
  #names = 0;
  #closures = 0;

  constructor(types: TypeNames, className: string, assigned: ReadonlySet<string>, isEvaluated = false) {
    this.types = types;
    this.isEvaluated = isEvaluated;
    this.assigned = assigned;
    this.className = className;
  }

  /** A name that no script can have. */
  name(prefix: string): string {
    return `${prefix}${++this.#names}`;
  }

  closureName(method: string): string {
    return `${this.className}$_${method}_closure${++this.#closures}`;
  }

  constant(value: unknown): string {
    this.constants.push(value);
    return `K[${this.constants.length - 1}]`;
  }

  /** Groovy keeps one object for equal decimal numbers of a script. */
  number(written: string, value: unknown): string {
    let code = this.#numbers.get(written);
    if (code === undefined) {
      code = this.constant(value);
      this.#numbers.set(written, code);
    }
    return code;
  }

  type(type: JavaClass): string {
    let code = this.#typeConstants.get(type);
    if (code === undefined) {
      code = this.constant(type);
      this.#typeConstants.set(type, code);
    }
    return code;
  }

  /** The class of a declaration; null for `def` and Object, which need no cast. */
  declaredType(type: TypeName | null): JavaClass | null {
    if (type === null) return null;
    const found = this.types.resolve(type);
    return found === OBJECT ? null : found;
  }

  declareLocal(
    scope: Scope,
    name: string,
    type: JavaClass | null,
    place: Place,
    isFinal = false,
    value: JavaClass | null = null,
    origin: Origin = { kind: 'unknown' },
  ): Local {
    if (/^\$+$/.test(name)) throw new ScriptError(`'${name}' is no name`, place);
    if (scope.find(name) !== null) throw new ScriptError(`the variable '${name}' is already declared`, place);
    const code = this.name('v');
    const isKept = !this.assigned.has(name) && (origin.kind === 'text' || 'of' in origin);
    const own: Origin = isKept ? origin : { kind: 'variable', of: { code } };
    const local = { code, type, isFinal, value: this.assigned.has(name) ? null : value, origin: own };
    scope.set(name, local);
    return local;
  }

  temporary(scope: Scope): string {
    const name = this.name('x');
    scope.context.temporaries.push(name);
    return name;
  }
}

export function unsupported(message: string, place: Place): never {
  throw new ScriptError(message, place, true);
}
