/** An object of a script: everything that is not null, a boolean, a String, an Integer or a Long. */
export interface Obj {
  readonly javaClass: JavaClass;
  /** `toString()`; by default the class name and an identity hash. */
  text?(): string;
  /** The same, for objects whose `toString()` can return null. */
  textOrNull?(): string | null;
  /** Java's `equals`; identity by default. */
  equals?(other: Value): boolean;
  hash?(): number;
  /** `compareTo`; only for what is Comparable. Throws for what it cannot be compared with. */
  compare?(other: Value): number;
  /** Groovy truth; true by default. */
  truth?(): boolean;
  /** The key that stands for this object in maps and sets: equal for equal objects. The object itself by default. */
  key?(): unknown;
  /** A copy of the elements in order, for what `each` walks over. */
  elements?(): Value[];
  /** Number of characters or elements of an object that can be long: calls of its methods are charged by it. */
  extent?(): number;
}

/** A value of a script. A number is an Integer, a bigint is a Long; all other numbers are objects. */
export type Value = null | boolean | string | number | bigint | Obj;

/** Code of a script, or of the library on its behalf. It yields promises, and is resumed with their results. */
export type Steps<T = Value> = Generator<Promise<Value>, T, Value>;

/**
 * A method of the library: plain, or a generator if it calls closures or waits.
 * `self` and `args` are already of the types that the signature names. It returns a value, steps, or nothing for null.
 */
export type LibraryFunction = (rt: Runtime, self: never, args: never) => unknown;

/** Declares a class, or adds to one that another table declares. Names of types are resolved when they are first needed. */
export interface ClassSpec {
  /** Binary name with dots, as `java.util.ArrayList` or `java.util.Map$Entry`. */
  readonly name: string;
  readonly kind?: 'class' | 'interface' | 'enum' | 'abstract';
  /** `java.lang.Object` by default. */
  readonly superclass?: string;
  readonly interfaces?: readonly string[];
  /** Name of the one abstract method of a functional interface. */
  readonly sam?: string;
  /** By signature: `padLeft(Number, CharSequence)`, `of(Object...)`. A method `getX()` or `isX()` is also the property `x`. */
  readonly methods?: Readonly<Record<string, LibraryFunction>>;
  readonly statics?: Readonly<Record<string, LibraryFunction>>;
  /** By signature: `()`, `(String, int)`. */
  readonly constructors?: Readonly<Record<string, LibraryFunction>>;
  /** Properties without a getter method, as the length of an array. */
  readonly getters?: Readonly<Record<string, (rt: Runtime, self: never) => Value>>;
  /** Properties without a setter method. */
  readonly setters?: Readonly<Record<string, (rt: Runtime, self: never, value: Value) => void>>;
  /** Static fields; a function is called at each read, with the class that is asked. */
  readonly constants?: Readonly<Record<string, Value | ((rt: Runtime) => Value)>>;
  /** Any property, before getters are looked for: what `x.name` means for a map. Returns undefined to go on. */
  readonly property?: (rt: Runtime, self: never, name: string) => Value | undefined;
  /** Sets any property, before setters are looked for. Returns false to go on. */
  readonly setProperty?: (rt: Runtime, self: never, name: string, value: Value) => boolean;
}

/** The text of a signature, taken apart; parameters are names of types until the method is first called. */
export interface LibraryMethod {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly isVariadic: boolean;
  /** Class that declares it, where messages name it. */
  readonly owner?: JavaClass;
  /** As messages show it: `public java.lang.Object Script1#f(int)`. */
  readonly shown?: string;
  readonly code: LibraryFunction;
  /** Classes of the parameters, once resolved. */
  types: readonly JavaClass[] | null;
}

/** The name of an anonymous class is a number, which its simple name leaves out. */
const ANONYMOUS = /^\d+$/;

/** A class as scripts see it. */
export class JavaClass implements Obj {
  readonly name: string;
  readonly simpleName: string;
  superclass: JavaClass | null = null;
  interfaces: readonly JavaClass[] = [];
  isInterface = false;
  isAbstract = false;
  isEnum = false;
  /** Constants of an enum: scripts walk over its class. */
  elements?: () => Value[];
  /** Name of the one abstract method of a functional interface. */
  sam: string | null = null;
  /** Type of the elements, for the class of an array. */
  readonly component: JavaClass | null;
  readonly methods = new Map<string, LibraryMethod[]>();
  readonly statics = new Map<string, LibraryMethod[]>();
  readonly constructors: LibraryMethod[] = [];
  readonly getters = new Map<string, (rt: Runtime, self: Value) => Value>();
  readonly setters = new Map<string, (rt: Runtime, self: Value, value: Value) => void>();
  readonly constants = new Map<string, Value | ((rt: Runtime) => Value)>();
  property: ((rt: Runtime, self: Value, name: string) => Value | undefined) | null = null;
  setProperty: ((rt: Runtime, self: Value, name: string, value: Value) => boolean) | null = null;
  /** Methods, fields and so on that a script declared; null for a class of the library. */
  declared: unknown = null;
  #supertypes: Set<JavaClass> | null = null;

  constructor(name: string, component: JavaClass | null = null) {
    this.name = name;
    this.component = component;
    this.simpleName =
      component === null
        ? name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1).replace(ANONYMOUS, '')
        : `${component.simpleName}[]`;
  }

  get javaClass(): JavaClass {
    return CLASS;
  }

  /** Itself, its superclasses and all interfaces, nearest first. */
  get supertypes(): ReadonlySet<JavaClass> {
    if (this.#supertypes !== null) return this.#supertypes;
    const found = new Set<JavaClass>();
    for (let at: JavaClass | null = this; at !== null; at = at.superclass) found.add(at);
    for (let at: JavaClass | null = this; at !== null; at = at.superclass) {
      for (const each of at.interfaces) for (const type of each.supertypes) found.add(type);
    }
    found.delete(OBJECT);
    found.add(OBJECT);
    this.#supertypes = found;
    return found;
  }

  isAssignableFrom(other: JavaClass): boolean {
    return this === other || this === OBJECT || other.supertypes.has(this);
  }
}

export const OBJECT: JavaClass = new JavaClass('java.lang.Object');
export const CLASS: JavaClass = new JavaClass('java.lang.Class');

/** Limits of one run. Exceeding one throws an error that no `catch` or `finally` of a script sees. */
export interface Budget {
  /** Charges work: one unit is about one simple operation. */
  spend(units: number): void;
  /** Charges memory: bytes of what is about to be made. */
  allocate(bytes: number): void;
}

/** Functions that compiled scripts and the library call. Methods that are not generators may run a script's `toString`, `equals` or `compareTo`, which must not wait. */
export interface Runtime {
  readonly budget: Budget;
  /** Appends to what the script prints. */
  print(text: string): void;
  /** The class by its full or simple name; throws if there is none, because the library names only what it has. */
  class(name: string): JavaClass;
  classOf(value: Value): JavaClass;
  isInstance(value: Value, type: JavaClass): boolean;

  /** Throws an exception of Java: `rt.fail('java.lang.IllegalArgumentException', 'Text must not be null')`. */
  fail(className: string, message?: string | null, cause?: Value): never;

  /** An error as scripts see it: one of JavaScript that a method met becomes an exception of Java. */
  failure(error: unknown): unknown;

  /** Groovy's `toString`: what string concatenation and `println` show. */
  text(value: Value): string;
  /** Java's `String.valueOf` differs from `text` only for maps and lists within: `{a=1}`. */
  javaText(value: Value): string;
  /** Groovy's `inspect()`. */
  inspect(value: Value): string;
  /** Groovy's `==`. */
  equals(left: Value, right: Value): boolean;
  /** Java's `equals`: no coercion of numbers or GStrings. */
  javaEquals(left: Value, right: Value): boolean;
  /** Java's `hashCode`. */
  hash(value: Value): number;
  /** Groovy's `<=>`. */
  compare(left: Value, right: Value): number;
  /** Groovy truth. */
  truth(value: Value): boolean;
  /** `value as Type`. */
  as(value: Value, type: JavaClass): Value;
  /** A cast, or assignment to a typed variable. */
  cast(value: Value, type: JavaClass): Value;
  /** `item in candidates`, `case candidate:`. */
  isCase(candidate: Value, item: Value): Steps<boolean>;

  /** Calls a closure, or the one method of a functional interface. `name` is the method that a message about wrong arguments shows. */
  invoke(callable: Value, args: readonly Value[], name?: 'call' | 'doCall'): Steps;
  /** Calls a closure with one element: a closure of two or more parameters gets the parts of a list. */
  invokeWith(callable: Value, element: Value): Steps;
  /** Calls a closure with a map entry: with key and value if it has two parameters. */
  invokeWithEntry(callable: Value, entry: Value): Steps;
  /** The number of parameters of a closure or function. */
  arity(callable: Value): number;
  /** `self.name(args)`, by the types at run time. */
  call(self: Value, name: string, args: readonly Value[]): Steps;
  callStatic(type: JavaClass, name: string, args: readonly Value[]): Steps;
  construct(type: JavaClass, args: readonly Value[]): Steps;
  get(self: Value, name: string): Steps;
  set(self: Value, name: string, value: Value): Steps;
  /** Binary operators by the name of their method: `plus`, `minus`, `multiply`, `div`, `leftShift`, `getAt` and so on. */
  operator(name: string, left: Value, right: Value): Steps;
  /** Elements of anything that `each` walks over: lists, sets, maps (their entries), arrays, ranges, strings, iterators, matchers. */
  elements(value: Value): Steps<Value[]>;
  /** Runs steps that must not wait. */
  now<T>(steps: Steps<T>): T;
}
