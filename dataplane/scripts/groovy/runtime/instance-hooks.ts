import { hashOf, hashOfAll, hashOfText } from '../values/hash.ts';
import type { JavaClass, LibraryMethod, Value } from '../values/java-class.ts';
import { identityOf, KEY_MARK, keyText } from '../values/key-of.ts';
import { type Core, MISSING, settle } from './core.ts';
import {
  declaredOf,
  defaultText,
  Instance,
  type InstanceHooks,
  isEnumConstant,
  type PropertyChoice,
} from './instance.ts';

/** The machine whose script runs now. */
let acting: Core | null = null;

/** @returns the one that ran before, which goes on when this one waits or ends. */
export function setActing(core: Core | null): Core | null {
  const before = acting;
  acting = core;
  return before;
}

/** Lets `toString`, `equals`, `hashCode`, `compareTo` and `asBoolean` of script classes act wherever values are shown or compared. Objects in static fields outlive the run that made them: the methods belong to the run that uses them. */
export class ScriptHooks implements InstanceHooks {
  readonly #maker: Core;
  /** Objects by class and hash, to tell those apart that have one hash and are not equal. */
  readonly #byHash = new Map<string, Instance[]>();

  constructor(maker: Core) {
    this.#maker = maker;
  }

  get #core(): Core {
    return acting ?? this.#maker;
  }

  #own(self: Instance, name: string, args: readonly Value[]): Value | typeof MISSING {
    const overloads = this.#core.methods(self.javaClass, name).filter(isOfScript);
    const found = this.#core.tryCall(self, overloads, args);
    return found === MISSING ? MISSING : this.#core.now(settle(found));
  }

  text(self: Instance): string {
    return this.textOrNull(self) ?? 'null';
  }

  textOrNull(self: Instance): string | null {
    const text = this.#own(self, 'toString', []);
    if (text !== MISSING) return text === null ? null : this.#core.text(text);
    if (isEnumConstant(self)) return self.fields.get('$name') as string;
    const type = transformed(self.javaClass, 'text');
    if (type === null) return defaultText(self);
    const { shown } = declaredOf(type)!.canonical!;
    const values = chosenOf(type, shown)
      .map((name) => [name, self.fields.get(name) ?? null] as const)
      .filter(([, value]) => shown.withNulls || value !== null)
      .map(([name, value]) => (shown.withNames ? `${name}:` : '') + this.#core.text(value));
    return `${shown.withPackage ? type.name : type.simpleName}(${values.join(', ')})`;
  }

  equals(self: Instance, other: Value): boolean {
    const equal = this.#own(self, 'equals', [other]);
    if (equal !== MISSING) return this.#core.truth(equal);
    if (self === other) return true;
    const type = transformed(self.javaClass, 'equals');
    if (type === null || !(other instanceof Instance) || transformed(other.javaClass, 'equals') !== type) return false;
    const theirs = comparedOf(other, type);
    return comparedOf(self, type).every((value, index) => this.#core.equals(value, theirs[index]!));
  }

  hash(self: Instance): number {
    const hash = this.#own(self, 'hashCode', []);
    if (hash !== MISSING) return hash as number;
    const type = transformed(self.javaClass, 'equals');
    if (type !== null) return hashOfAll(comparedOf(self, type).map(hashOf));
    return isEnumConstant(self) ? hashOfText(self.fields.get('$name') as string) : identityOf(self);
  }

  compare(self: Instance, other: Value): number {
    const compared = this.#own(self, 'compareTo', [other]);
    if (compared !== MISSING) return compared as number;
    if (isEnumConstant(self) && isEnumConstant(other))
      return (self.fields.get('$ordinal') as number) - (other.fields.get('$ordinal') as number);
    return this.#core.fail(
      'java.lang.ClassCastException',
      `class ${self.javaClass.name} cannot be cast to class java.lang.Comparable`,
    );
  }

  truth(self: Instance): boolean {
    const truth = this.#own(self, 'asBoolean', []);
    return truth === MISSING ? true : this.#core.truth(truth);
  }

  key(self: Instance): unknown {
    const type = transformed(self.javaClass, 'equals');
    if (type !== null) return `${KEY_MARK}o${type.name}${comparedOf(self, type).map(keyText).join('')}`;
    const hash = this.#own(self, 'hashCode', []);
    if (hash === MISSING) return self;
    const base = `${KEY_MARK}x${self.javaClass.name}:${this.#core.text(hash)}`;
    const known = this.#byHash.get(base) ?? [];
    const at = known.findIndex((each) => each === self || this.equals(self, each));
    if (at >= 0) return `${base}:${at}`;
    this.#core.budget.allocate(64);
    known.push(self);
    this.#byHash.set(base, known);
    return `${base}:${known.length - 1}`;
  }
}

function isOfScript(method: LibraryMethod): boolean {
  return (method as { isOfScript?: boolean }).isOfScript === true;
}

/** The class itself or the nearest one above it that has the generated method. */
function transformed(type: JavaClass, method: 'text' | 'equals'): JavaClass | null {
  for (let at: JavaClass | null = type; at !== null && at.declared !== null; at = at.superclass)
    if (declaredOf(at)!.canonical?.[method] === true) return at;
  return null;
}

function chosenOf(type: JavaClass, { includes, excludes }: PropertyChoice): readonly string[] {
  return includes ?? propertyNames(type).filter((name) => !excludes.includes(name));
}

function comparedOf(self: Instance, type: JavaClass): Value[] {
  return chosenOf(type, declaredOf(type)!.canonical!.compared).map((name) => self.fields.get(name) ?? null);
}

export function propertyNames(type: JavaClass): string[] {
  const fields = [...(declaredOf(type)?.fields.values() ?? [])];
  return fields.filter((field) => field.isProperty && !field.isStatic).map((field) => field.name);
}
