import { Closure } from '../values/closure.ts';
import type { JavaClass, Obj, Value } from '../values/java-class.ts';
import type { Core } from './core.ts';

/** Result of `Type.metaClass`: methods that are set on it are added to the class for this run. */
export class MetaClass implements Obj {
  readonly type: JavaClass;
  readonly isStatic: boolean;
  readonly #core: Core;

  constructor(core: Core, type: JavaClass, isStatic = false) {
    this.#core = core;
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
    const added = this.#core.expandos.get(this.type) ?? new Map<string, Value>();
    added.set(this.isStatic ? `static ${name}` : name, value);
    this.#core.expandos.set(this.type, added);
    if (value instanceof Closure && name === 'constructor')
      this.#core.fail('java.lang.UnsupportedOperationException', 'a constructor by metaClass is not available');
  }
}
