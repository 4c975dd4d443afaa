import type { JavaClass, Obj } from '../values/java-class.ts';
import type { Core } from './core.ts';

/** Result of `object.hasProperty(name)`. */
export class MetaProperty implements Obj {
  readonly name: string;
  readonly #core: Core;

  constructor(core: Core, name: string) {
    this.#core = core;
    this.name = name;
  }

  get javaClass(): JavaClass {
    return this.#core.class('groovy.lang.MetaBeanProperty');
  }
}
