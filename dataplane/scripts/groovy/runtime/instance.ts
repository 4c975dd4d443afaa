import { ENUM } from '../values/core-classes.ts';
import type { JavaClass, Obj, Runtime, Steps, Value } from '../values/java-class.ts';
import { identityOf } from '../values/key-of.ts';
import type { ScriptVariables } from './script-variables.ts';

export interface DeclaredField {
  readonly name: string;
  readonly type: JavaClass | null;
  readonly isFinal: boolean;
  readonly isStatic: boolean;
  /** Declared without a modifier of access: it has a getter and a setter. */
  readonly isProperty: boolean;
  readonly isPrivate: boolean;
}

/** The signature of a method without a body. */
export interface AbstractMethod {
  readonly types: readonly JavaClass[];
  readonly isVariadic: boolean;
  /** Null if it may return anything. */
  readonly returns: JavaClass | null;
}

/** Properties that a generated method takes. */
export interface PropertyChoice {
  /** In this order; null for all. */
  readonly includes: readonly string[] | null;
  readonly excludes: readonly string[];
}

/** Members that a script declared with a class. */
export interface Declared {
  readonly fields: ReadonlyMap<string, DeclaredField>;
  /** Values of static fields. */
  readonly statics: Map<string, Value>;
  /** Sets the initial values of the fields of this class. */
  readonly initialize: ((rt: Runtime, self: Value) => Steps) | null;
  readonly isTrait: boolean;
  /** A script without members that could stand before its variables: their names need no other look. */
  readonly hasOnlyVariables: boolean;
  /** Fields that `equals`, `hashCode` and `toString` of transformed classes use. */
  readonly canonical: {
    readonly equals: boolean;
    readonly text: boolean;
    readonly tuple: boolean;
    readonly immutable: boolean;
    readonly shown: PropertyChoice & {
      readonly withNames: boolean;
      readonly withNulls: boolean;
      readonly withPackage: boolean;
    };
    readonly compared: PropertyChoice;
  } | null;
  readonly constants: Value[];
  /** Methods without a body, by name. */
  readonly abstracts: ReadonlyMap<string, readonly AbstractMethod[]>;
  /** The class has the constructors of the one above it. */
  readonly inheritsConstructors: boolean;
  /** The constructor with a map of properties takes null for an empty one. */
  readonly hasMapConstructor: boolean;
  /** Of a text that a script evaluates: its code goes when nothing refers to the class any more. */
  readonly isEvaluated: boolean;
  /** The static parts run when the class is first used. */
  isWaiting: boolean;
  /** Nothing of this class and those above it waits. */
  isReady: boolean;
}

export function declaredOf(type: JavaClass): Declared | null {
  return type.declared as Declared | null;
}

/** Behaviour that an object of a script has only through methods of its class. */
export interface InstanceHooks {
  text(self: Instance): string;
  textOrNull(self: Instance): string | null;
  equals(self: Instance, other: Value): boolean;
  hash(self: Instance): number;
  compare(self: Instance, other: Value): number;
  truth(self: Instance): boolean;
  key(self: Instance): unknown;
}

/** An object of a class that a script declares. */
export class Instance implements Obj {
  readonly javaClass: JavaClass;
  /** Variables of a script that another one made; null for objects of other classes, and for the script that runs. */
  variables: ScriptVariables | null = null;
  /** Made after a script had added members to the class: objects from before do not have them. */
  hasExpandos = false;
  #fields: Map<string, Value> | null = null;
  #added: Map<string, Value> | null = null;
  readonly #hooks: InstanceHooks;

  constructor(javaClass: JavaClass, hooks: InstanceHooks) {
    this.javaClass = javaClass;
    this.#hooks = hooks;
  }

  /** A member that a script added to this object alone, or undefined. */
  added(name: string): Value | undefined {
    return this.#added?.get(name);
  }

  addMember(name: string, value: Value): void {
    this.#added ??= new Map();
    this.#added.set(name, value);
  }

  get fields(): Map<string, Value> {
    this.#fields ??= new Map();
    return this.#fields;
  }

  /** The value of a field; undefined without one. */
  field(name: string): Value | undefined {
    return this.#fields?.get(name);
  }

  text(): string {
    return this.#hooks.text(this);
  }

  textOrNull(): string | null {
    return this.#hooks.textOrNull(this);
  }

  equals(other: Value): boolean {
    return this.#hooks.equals(this, other);
  }

  hash(): number {
    return this.#hooks.hash(this);
  }

  compare(other: Value): number {
    return this.#hooks.compare(this, other);
  }

  truth(): boolean {
    return this.#hooks.truth(this);
  }

  key(): unknown {
    return this.#hooks.key(this);
  }
}

/** Variables of the script that an object is. */
export function variablesOf(core: { readonly variables: ScriptVariables }, self: Value): ScriptVariables {
  return (self instanceof Instance ? self.variables : null) ?? core.variables;
}

/** A constant of an enum; its name and place are fields that no script can name. */
export type EnumConstant = Instance & { readonly isConstant: true };

export function isEnumConstant(value: Value): value is EnumConstant {
  return value instanceof Instance && value.javaClass.supertypes.has(ENUM);
}

export function defaultText(self: Obj): string {
  return `${self.javaClass.name}@${identityOf(self).toString(16)}`;
}

/** The field is private to a class above this one. */
export function isHidden(type: JavaClass, name: string): boolean {
  for (let at: JavaClass | null = type; at !== null; at = at.superclass) {
    const field = declaredOf(at)?.fields.get(name);
    if (field !== undefined) return at !== type && field.isPrivate;
  }
  return false;
}

const foreignFields = new WeakMap<object, Map<string, Value>>();

/** Fields of an object, also of one whose class extends a class of the library. */
export function fieldsOf(self: Obj): Map<string, Value> {
  if (self instanceof Instance) return self.fields;
  let fields = foreignFields.get(self);
  if (fields === undefined) {
    fields = new Map();
    foreignFields.set(self, fields);
  }
  return fields;
}
