import { Closure } from '../values/closure.ts';
import type { JavaClass, Obj, Value } from '../values/java-class.ts';
import type { Core } from './core.ts';
import { Instance } from './instance.ts';

/** Members that take part in every call; setting them has no effect here. */
const HOOKS: ReadonlySet<string> = new Set(
  'constructor methodMissing propertyMissing invokeMethod getProperty setProperty'.split(' '),
);

/** Members that scripts added to single objects of the library, by object. */
export class OwnMembers implements Obj {
  readonly javaClass: JavaClass;
  readonly values = new Map<Value, Value>();

  constructor(javaClass: JavaClass) {
    this.javaClass = javaClass;
  }
}

/** Name in a table of added members for those of single objects. */
export function ownKey(name: string): string {
  return `own ${name}`;
}

/** Result of `Type.metaClass`: methods that are set on it are added to the class for this run, or to one object. */
export class MetaClass implements Obj {
  readonly type: JavaClass;
  readonly isStatic: boolean;
  readonly #core: Core;
  readonly #object: Value;

  constructor(core: Core, type: JavaClass, isStatic = false, object: Value = null) {
    this.#core = core;
    this.#object = object;
    this.type = type;
    this.isStatic = isStatic;
  }

  get javaClass(): JavaClass {
    return this.#core.class('org.codehaus.groovy.runtime.HandleMetaClass');
  }

  text(): string {
    return `groovy.lang.ExpandoMetaClass@0[class ${this.type.name}]`;
  }

  add(name: string, value: Value): void {
    if (value instanceof Closure && HOOKS.has(name))
      this.#core.fail('java.lang.UnsupportedOperationException', `${name} by metaClass is not available`);
    const { expandos } = this.#core;
    const added = expandos.get(this.type) ?? new Map<string, Value>();
    expandos.set(this.type, added);
    if (this.#object === null) added.set(this.isStatic ? `static ${name}` : name, value);
    else if (this.#object instanceof Instance) this.#object.addMember(name, value);
    else this.#addToOne(this.#object, added, name, value);
  }

  #addToOne(object: Value, added: Map<string, Value>, name: string, value: Value): void {
    if (object instanceof Closure)
      this.#core.fail('java.lang.UnsupportedOperationException', `${name} by metaClass of a closure is not available`);
    const known = added.get(ownKey(name));
    const own = known instanceof OwnMembers ? known : new OwnMembers(this.type);
    added.set(ownKey(name), own);
    own.values.set(object, value);
  }
}
