import type { ClassTable } from '../runtime/class-table.ts';
import { type Place, ScriptError } from '../syntax/place.ts';
import { PRIMITIVE_NAMES } from '../syntax/token.ts';
import type { ImportNode, TypeName } from '../syntax/tree.ts';
import { arrayOf, PRIMITIVES } from '../values/core-classes.ts';
import type { JavaClass } from '../values/java-class.ts';
import { KNOWN_ELSEWHERE } from './known-elsewhere.ts';

/** Annotations that a script may import; the generator knows what they do. */
const TRANSFORM_PACKAGE = 'groovy.transform';

/** Static member that an import names. */
export interface StaticImport {
  readonly type: JavaClass;
  readonly member: string;
}

/** Finds the classes that a script names. */
export class TypeNames {
  readonly classes: ClassTable;
  readonly #own = new Map<string, JavaClass>();
  readonly #imported = new Map<string, JavaClass>();
  readonly #packages: string[] = [];
  readonly #statics = new Map<string, StaticImport>();
  readonly #staticStars: JavaClass[] = [];
  readonly #given = new Map<string, StaticImport>();

  constructor(
    classes: ClassTable,
    packages: readonly string[] = [],
    imports: readonly string[] = [],
    statics: readonly string[] = [],
  ) {
    this.classes = classes;
    this.#packages.push(...packages);
    for (const name of imports) this.#imported.set(lastPart(name), classes.named(name));
    for (const name of statics)
      this.#given.set(lastPart(name), { type: classes.named(ownerPart(name)), member: lastPart(name) });
  }

  declare(name: string, type: JavaClass): void {
    this.#own.set(name, type);
  }

  import(node: ImportNode): void {
    const { name, alias, isStatic, isStar, place } = node;
    if (isStar) {
      if (isStatic) this.#staticStars.push(this.#byFullName(name) ?? notAvailable(name, place));
      else if (this.#byFullName(name) !== undefined) this.#packages.push(`${this.#byFullName(name)!.name}$`);
      else this.#packages.push(name);
      return;
    }
    const last = lastPart(name);
    if (isStatic) {
      const owner = ownerPart(name);
      this.#statics.set(alias ?? last, { type: this.#byFullName(owner) ?? notAvailable(owner, place), member: last });
      return;
    }
    if (name.startsWith(`${TRANSFORM_PACKAGE}.`)) return;
    this.#imported.set(alias ?? last, this.#byFullName(name) ?? notAvailable(name, place));
  }

  /** A static member by its simple name. */
  staticMember(name: string): StaticImport | null {
    const found = this.#statics.get(name);
    if (found !== undefined) return found;
    const type = this.#staticStars.find((each) => each.statics.has(name) || each.constants.has(name));
    return type === undefined ? null : { type, member: name };
  }

  /** A static method that needs no import, by its simple name. Variables and methods of the script hide it. */
  givenMethod(name: string): StaticImport | null {
    return this.#given.get(name) ?? null;
  }

  /** `java.util.Map.Entry` may be a class within a class. */
  #byFullName(name: string): JavaClass | undefined {
    const found = this.#own.get(name) ?? this.classes.find(name);
    if (found !== undefined) return found;
    const parts = name.split('.');
    for (let at = parts.length - 1; at > 0; at--) {
      const nested = this.classes.find(`${parts.slice(0, at).join('.')}$${parts.slice(at).join('$')}`);
      if (nested !== undefined) return nested;
    }
    return undefined;
  }

  /** A class by simple or full name; undefined if the name means none. */
  find(name: string): JavaClass | undefined {
    if (PRIMITIVE_NAMES.has(name)) return PRIMITIVES[name as keyof typeof PRIMITIVES];
    if (name.endsWith('[]')) {
      const component = this.find(name.slice(0, -2));
      return component === undefined ? undefined : arrayOf(component);
    }
    const simple = this.#own.get(name) ?? this.#imported.get(name);
    if (simple !== undefined) return simple;
    if (name.includes('.')) return this.#byFullName(name) ?? this.#nested(name);
    for (const each of this.#packages) {
      const found = this.classes.find(each.endsWith('$') ? each + name : `${each}.${name}`);
      if (found !== undefined) return found;
    }
    return this.classes.findByDefault(name);
  }

  #nested(name: string): JavaClass | undefined {
    const [head = '', ...rest] = name.split('.');
    const outer = this.find(head);
    if (outer === undefined) return undefined;
    const full = `${outer.name}$${rest.join('$')}`;
    return this.#own.get(full) ?? this.classes.find(full);
  }

  resolve(type: TypeName): JavaClass {
    const base = this.find(type.name) ?? this.#unknown(type.name, type.place);
    for (const arg of type.args)
      if (this.find(arg.name) === undefined && !this.isKnownElsewhere(arg.name)) notAvailable(arg.name, arg.place);
    let found = base;
    for (let at = 0; at < type.dimensions; at++) found = arrayOf(found);
    return found;
  }

  /** A simple name that no package with classes of Groovy or Java has is a mistake there, too. */
  #unknown(name: string, place: Place): never {
    const isMistake = !name.includes('.') && this.#packages.length === 0 && !KNOWN_ELSEWHERE.has(name);
    return isMistake ? unavailable(name, place, false) : notAvailable(name, place);
  }

  isKnownElsewhere(name: string): boolean {
    return KNOWN_ELSEWHERE.has(name);
  }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function ownerPart(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

export function notAvailable(name: string, place: Place): never {
  return unavailable(name, place, true);
}

function unavailable(name: string, place: Place, isUnsupported: boolean): never {
  throw new ScriptError(`class ${name} is not available`, place, isUnsupported);
}
