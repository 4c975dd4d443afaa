import { Closure } from '../../values/closure.ts';
import type { GMap } from '../../values/collections.ts';
import { JavaClass, type LibraryMethod, type Value } from '../../values/java-class.ts';
import { type Core, settle } from '../core.ts';
import { type Declared, declaredOf } from '../instance.ts';
import { type Call, callEntry, implementing } from './proxies.ts';

/** An object of a class below an abstract one, whose missing methods are closures: those of a map, or one for all. */
export function belowAbstract(core: Core, source: GMap | Closure, type: JavaClass): Value {
  const isOpen = type.constructors.length === 0 || type.constructors.some(({ parameters }) => parameters.length === 0);
  if (type.declared === null || !isOpen)
    core.fail(
      'java.lang.UnsupportedOperationException',
      `${core.classOf(source).name} as ${type.name} is not available`,
    );
  const below = new JavaClass(`${type.name}_groovyProxy`);
  below.superclass = type;
  below.declared = nothingDeclared();
  if (!(source instanceof Closure)) for (const method of overriding(core, source, type)) add(below, method);
  for (const [name, above] of openMethods(core, type)) {
    const call: Call =
      source instanceof Closure
        ? (args) => settle(core.callClosure(source, args))
        : (args) => callEntry(core, source, name, args);
    below.methods.set(name, [...(below.methods.get(name) ?? []), ...implementing(core, above, name, call)]);
  }
  return core.now(settle(core.create(below, [])));
}

/** A closure can stand for a class with one abstract method. */
export function hasOneAbstract(core: Core, type: JavaClass): boolean {
  return type.declared !== null && openMethods(core, type).size === 1;
}

function nothingDeclared(): Declared {
  return {
    fields: new Map(),
    statics: new Map(),
    initialize: null,
    isTrait: false,
    hasOnlyVariables: false,
    canonical: null,
    constants: [],
    abstracts: new Map(),
    inheritsConstructors: false,
    hasMapConstructor: false,
    isEvaluated: true,
    isWaiting: false,
    isReady: false,
  };
}

/** Names of methods without a body, with the class that declares them. */
function openMethods(core: Core, type: JavaClass): ReadonlyMap<string, JavaClass> {
  const open = new Map<string, JavaClass>();
  for (const above of type.supertypes)
    for (const name of declaredOf(above)?.abstracts.keys() ?? [])
      if (core.methods(type, name).length === 0) open.set(name, above);
  return open;
}

/** Closures of a map in the place of methods that have a body. */
function* overriding(core: Core, map: GMap, type: JavaClass): Generator<LibraryMethod> {
  for (const { entryKey, value } of map.entries()) {
    if (!(value instanceof Closure)) continue;
    for (const { name, parameters, isVariadic, types } of core.methods(type, core.text(entryKey)))
      yield {
        name,
        parameters,
        isVariadic,
        types,
        code: ((_rt: unknown, _self: unknown, args: readonly Value[]) =>
          settle(core.callClosure(value, args))) as LibraryMethod['code'],
      };
  }
}

function add(type: JavaClass, method: LibraryMethod): void {
  const own: LibraryMethod & { isOfScript: boolean } = { ...method, isOfScript: true };
  type.methods.set(method.name, [...(type.methods.get(method.name) ?? []), own]);
}
