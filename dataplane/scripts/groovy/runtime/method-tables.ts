import type { JavaClass, LibraryMethod, Runtime, Value } from '../values/java-class.ts';
import type { ClassTable } from './class-table.ts';
import { NameCache } from './name-cache.ts';
import { withChoices } from './overload-choices.ts';

/** A way to read a property of the objects of a class. */
export type PropertyReader =
  | { readonly kind: 'getter'; readonly get: (rt: Runtime, self: Value) => Value }
  | { readonly kind: 'method'; readonly method: LibraryMethod };

type Overloads = readonly LibraryMethod[];

class ByName<T> {
  readonly #known = new WeakMap<JavaClass, NameCache<T>>();
  readonly #isMissing: (found: T) => boolean;

  /** @param isMissing tells names that a script may make up: few of them are remembered */
  constructor(isMissing: (found: T) => boolean) {
    this.#isMissing = isMissing;
  }

  /** @param make is called for names that are not remembered */
  get(type: JavaClass, name: string, make: (type: JavaClass, name: string) => T): T {
    let names = this.#known.get(type);
    if (names === undefined) {
      names = new NameCache();
      this.#known.set(type, names);
    }
    let found = names.get(name);
    if (found === undefined) {
      found = make(type, name);
      names.set(name, found, this.#isMissing(found));
    }
    return found;
  }
}

/** Methods of script classes have a mark of their own. */
function isOfScript(method: LibraryMethod): boolean {
  return (method as { isOfScript?: boolean }).isOfScript === true;
}

/** A private method of a class that is not static: classes below it do not have it. Those of traits belong to every class. */
function isPrivate({ owner, shown }: LibraryMethod, type: JavaClass): boolean {
  return owner === type && shown !== undefined && /^private (?!static)/.test(shown);
}

const isEmpty = (overloads: Overloads): boolean => overloads.length === 0;
const isNull = (found: unknown): boolean => found === null;

/** Methods and properties of classes, looked up once for each name. All runs share them. */
export class MethodTables {
  readonly #classes: ClassTable;
  readonly #methods = new ByName<Overloads>(isEmpty);
  readonly #statics = new ByName<Overloads>(isEmpty);
  readonly #getters = new ByName<LibraryMethod | null>(isNull);
  readonly #ofScript = [
    new ByName<Overloads>(isEmpty),
    new ByName<Overloads>(isEmpty),
    new ByName<Overloads>(isEmpty),
  ] as const;
  readonly #properties = new ByName<PropertyReader | null>(isNull);

  constructor(classes: ClassTable) {
    this.#classes = classes;
  }

  readonly typesOf = (method: LibraryMethod): readonly JavaClass[] => method.types ?? this.#classes.types(method);

  /** Overloads of the class and everything above it; of equal signatures, the nearest. */
  methods(type: JavaClass, name: string): Overloads {
    return this.#methods.get(type, name, this.#collectMethods);
  }

  statics(type: JavaClass, name: string): Overloads {
    return this.#statics.get(type, name, this.#collectStatics);
  }

  /** Overloads that a script declared, with so many parameters. */
  ofScript(type: JavaClass, name: string, parameters: 0 | 1 | 2): Overloads {
    return this.#ofScript[parameters].get(type, name, () =>
      withChoices(this.methods(type, name).filter((each) => each.parameters.length === parameters && isOfScript(each))),
    );
  }

  getter(type: JavaClass, name: string): LibraryMethod | null {
    return this.#getters.get(type, name, this.#findGetter);
  }

  /** The reader of a property of a class of the library, or null where only the object itself can say. */
  property(type: JavaClass, name: string): PropertyReader | null {
    return this.#properties.get(type, name, this.#findProperty);
  }

  readonly #collectMethods = (type: JavaClass, name: string): Overloads =>
    this.#collect(type, name, (each) => each.methods);

  readonly #collectStatics = (type: JavaClass, name: string): Overloads =>
    this.#collect(type, name, (each) => each.statics);

  readonly #findGetter = (type: JavaClass, name: string): LibraryMethod | null => {
    const suffix = /^.\p{Lu}/u.test(name) ? name : name.charAt(0).toUpperCase() + name.slice(1);
    const [is, get] = ['is', 'get'].map((prefix) =>
      this.methods(type, prefix + suffix).find((each) => each.parameters.length === 0),
    );
    if (is !== undefined && isOfScript(is)) return / boolean \S+$/.test(is.shown ?? '') ? is : (get ?? null);
    return get ?? is ?? null;
  };

  readonly #findProperty = (type: JavaClass, name: string): PropertyReader | null => {
    const tables = type.component === null ? type.supertypes : this.#classes.arrayTables(type);
    for (const each of tables) {
      if (each.property !== null) return null;
      const get = each.getters.get(name);
      if (get !== undefined) return { kind: 'getter', get };
    }
    const method = this.getter(type, name);
    return method === null ? null : { kind: 'method', method };
  };

  #collect(
    type: JavaClass,
    name: string,
    tableOf: (type: JavaClass) => ReadonlyMap<string, LibraryMethod[]>,
  ): Overloads {
    const bySignature = new Map<string, LibraryMethod>();
    const types = type.component === null ? type.supertypes : [...this.#classes.arrayTables(type), ...type.supertypes];
    for (const each of types) {
      for (const method of tableOf(each).get(name) ?? []) {
        if (each !== type && isPrivate(method, each)) continue;
        const signature = this.typesOf(method)
          .map((parameter) => parameter.name)
          .join();
        if (!bySignature.has(signature)) bySignature.set(signature, method);
      }
    }
    return withChoices([...bySignature.values()]);
  }
}

const tablesOf = new WeakMap<ClassTable, MethodTables>();

export function methodTables(classes: ClassTable): MethodTables {
  let tables = tablesOf.get(classes);
  if (tables === undefined) {
    tables = new MethodTables(classes);
    tablesOf.set(classes, tables);
  }
  return tables;
}
