import { Closure } from '../values/closure.ts';
import type { JavaClass, Obj, Value } from '../values/java-class.ts';
import type { Core } from './core.ts';
import type { Instance } from './instance.ts';

/** Members that take part in every call; setting them has no effect here. */
const HOOKS: ReadonlySet<string> = new Set(
  'constructor methodMissing propertyMissing invokeMethod getProperty setProperty'.split(' '),
);

/** Result of `Type.metaClass`: methods that are set on it are added to the class for this run, or to one object. */
export class MetaClass implements Obj {
  readonly type: JavaClass;
  readonly isStatic: boolean;
  readonly #core: Core;
  readonly #object: Instance | null;

  constructor(core: Core, type: JavaClass, isStatic = false, object: Instance | null = null) {
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
    else this.#object.addMember(name, value);
  }
}
