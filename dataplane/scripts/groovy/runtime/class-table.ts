import { arrayOf, CORE_CLASSES, PRIMITIVES } from '../values/core-classes.ts';
import { type ClassSpec, JavaClass, type LibraryFunction, type LibraryMethod, OBJECT } from '../values/java-class.ts';

/** Packages whose classes need no import. */
const DEFAULT_PACKAGES = ['java.lang', 'java.util', 'java.io', 'java.net', 'groovy.lang', 'groovy.util'] as const;
const DEFAULT_CLASSES: ReadonlyMap<string, string> = new Map([
  ['BigDecimal', 'java.math.BigDecimal'],
  ['BigInteger', 'java.math.BigInteger'],
]);

/** The tables with methods of arrays: of objects, and the fewer that arrays of primitive types have. */
const OBJECT_ARRAYS = 'java.lang.Object[]';
const PRIMITIVE_ARRAYS = 'primitive[]';

/** The classes that scripts can name. */
export class ClassTable {
  readonly #byName: Map<string, JavaClass>;
  readonly #arrays = new Map<string, JavaClass>();
  readonly #packages: Set<string>;

  constructor(specs: readonly ClassSpec[]) {
    this.#byName = new Map(CORE_CLASSES);
    for (const { name } of specs)
      if (!name.endsWith('[]') && !this.#byName.has(name)) this.#byName.set(name, new JavaClass(name));
    for (const spec of specs) this.#install(spec);
    for (const type of this.#byName.values())
      if (type !== OBJECT && type.superclass === null && !type.isInterface && type.name.includes('.'))
        type.superclass = OBJECT;
    this.#packages = new Set([...this.#byName.keys()].map((name) => name.slice(0, Math.max(0, name.lastIndexOf('.')))));
  }

  #install(spec: ClassSpec): void {
    const type = spec.name.endsWith('[]') ? this.#arrayTable(spec.name) : this.#byName.get(spec.name)!;
    if (spec.superclass !== undefined) type.superclass = this.named(spec.superclass);
    if (spec.interfaces !== undefined)
      type.interfaces = [...new Set([...type.interfaces, ...spec.interfaces.map((name) => this.named(name))])];
    if (spec.kind === 'interface') type.isInterface = true;
    if (spec.kind === 'abstract') type.isAbstract = true;
    if (spec.kind === 'enum') type.isEnum = true;
    if (spec.sam !== undefined) type.sam = spec.sam;
    addMethods(type, type.methods, spec.methods);
    addMethods(type, type.statics, spec.statics);
    for (const [signature, code] of Object.entries(spec.constructors ?? {}))
      type.constructors.push(methodOf(signature, code));
    for (const [name, getter] of Object.entries(spec.getters ?? {})) type.getters.set(name, getter as never);
    for (const [name, setter] of Object.entries(spec.setters ?? {})) type.setters.set(name, setter as never);
    for (const [name, value] of Object.entries(spec.constants ?? {})) type.constants.set(name, value);
    if (spec.property !== undefined) type.property = spec.property as never;
    if (spec.setProperty !== undefined) type.setProperty = spec.setProperty as never;
  }

  #arrayTable(name: string): JavaClass {
    let type = this.#arrays.get(name);
    if (type === undefined) {
      type = new JavaClass(name);
      this.#arrays.set(name, type);
    }
    return type;
  }

  /** Tables with the methods of an array class: its own, and that of arrays of its kind. */
  arrayTables(array: JavaClass): JavaClass[] {
    const own = this.#arrays.get(`${array.component!.name}[]`) ?? this.#arrays.get(`${array.component!.simpleName}[]`);
    const all = this.#arrays.get(Object.hasOwn(PRIMITIVES, array.component!.name) ? PRIMITIVE_ARRAYS : OBJECT_ARRAYS);
    return [...(own === undefined || own === all ? [] : [own]), ...(all === undefined ? [] : [all])];
  }

  /** The class with this full name, or undefined. */
  find(name: string): JavaClass | undefined {
    return this.#byName.get(name);
  }

  /** All classes, and the tables of arrays. */
  *all(): Generator<JavaClass> {
    yield* this.#byName.values();
    yield* this.#arrays.values();
  }

  hasPackage(name: string): boolean {
    return this.#packages.has(name);
  }

  /** A class by its simple name in the packages that need no import. */
  findByDefault(name: string): JavaClass | undefined {
    const full = DEFAULT_CLASSES.get(name);
    if (full !== undefined) return this.#byName.get(full);
    for (const each of DEFAULT_PACKAGES) {
      const found = this.#byName.get(`${each}.${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A class by full or simple name, or an array of it, as signatures write it. */
  named(name: string): JavaClass {
    if (name.endsWith('[]')) return arrayOf(this.named(name.slice(0, -2)));
    const found = this.#byName.get(name) ?? this.findByDefault(name) ?? this.findByDefault(name.replaceAll('.', '$'));
    if (found === undefined) throw new Error(`the library names the class ${name}, which it does not have`);
    return found;
  }

  types(method: LibraryMethod): readonly JavaClass[] {
    method.types ??= method.parameters.map((name) => this.named(name));
    return method.types;
  }
}

function addMethods(
  owner: JavaClass,
  table: Map<string, LibraryMethod[]>,
  methods: Readonly<Record<string, LibraryFunction>> = {},
): void {
  for (const [signature, code] of Object.entries(methods)) {
    const method = { ...methodOf(signature, code), owner };
    const overloads = table.get(method.name);
    if (overloads === undefined) table.set(method.name, [method]);
    else overloads.push(method);
  }
}

/** Takes `name(Type, Type...)` apart. */
function methodOf(signature: string, code: LibraryFunction): LibraryMethod {
  const open = signature.indexOf('(');
  const inner = signature.slice(open + 1, signature.lastIndexOf(')')).trim();
  const parameters = inner === '' ? [] : inner.split(',').map((each) => each.trim());
  const isVariadic = parameters.at(-1)?.endsWith('...') ?? false;
  return {
    name: signature.slice(0, open),
    parameters: parameters.map((each) => each.replace(/\.\.\.$/, '[]')),
    isVariadic,
    code,
    types: null,
  };
}
