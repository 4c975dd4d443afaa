import { Closure } from '../../values/closure.ts';
import type { GMap } from '../../values/collections.ts';
import { JavaClass, type LibraryMethod, type Steps, type Value } from '../../values/java-class.ts';
import { castFail } from '../../values/sam-results.ts';
import { type Core, settle } from '../core.ts';
import { type AbstractMethod, type Declared, declaredOf } from '../instance.ts';
import { isPrimitive } from '../overloads.ts';

/** An object of a class below another, some of whose methods are closures: those of a map, or one for all. */
export function objectBelow(core: Core, source: GMap | Closure, type: JavaClass): Value {
  const isOpen = type.constructors.length === 0 || type.constructors.some(({ parameters }) => parameters.length === 0);
  if (type.declared === null || !isOpen)
    core.fail(
      'java.lang.UnsupportedOperationException',
      `${core.classOf(source).name} as ${type.name} is not available`,
    );
  const below = new JavaClass(`${type.name}_groovyProxy`);
  below.superclass = type;
  below.declared = nothingDeclared();
  for (const method of overriding(core, source, type)) add(below, method);
  for (const [name, methods] of openMethods(core, type)) {
    const answer = source instanceof Closure ? source : (source.get(name) ?? null);
    for (const method of methods) add(below, implementing(core, name, method, answer));
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

/** Methods without a body, by name. */
function openMethods(core: Core, type: JavaClass): ReadonlyMap<string, readonly AbstractMethod[]> {
  const open = new Map<string, readonly AbstractMethod[]>();
  for (const above of type.supertypes)
    for (const [name, methods] of declaredOf(above)?.abstracts ?? [])
      if (core.methods(type, name).length === 0) open.set(name, methods);
  return open;
}

/** A method that calls a closure, or returns another value of the map. The result becomes what the method declares. */
function implementing(core: Core, name: string, { types, isVariadic, returns }: AbstractMethod, answer: Value) {
  const run = function* (_rt: unknown, _self: unknown, args: readonly Value[]): Steps {
    if (answer === null) return core.fail('java.lang.UnsupportedOperationException');
    const value = answer instanceof Closure ? yield* settle(core.callClosure(answer, args)) : answer;
    if (returns === null || value === null || isPrimitive(returns))
      return returns === null ? value : core.cast(value, returns);
    return core.isInstance(value, returns) ? value : castFail(core, value, returns.name);
  };
  const method: LibraryMethod = {
    name,
    parameters: types.map((each) => each.name),
    isVariadic,
    types: [...types],
    code: run as LibraryMethod['code'],
  };
  return method;
}

/** Closures in the place of methods that have a body. One for all takes the place only of those of a class that is not abstract. */
function* overriding(core: Core, source: GMap | Closure, type: JavaClass): Generator<LibraryMethod> {
  const closures =
    source instanceof Closure
      ? [...(type.isAbstract ? [] : type.methods.keys())].map((name) => [name, source] as const)
      : source.entries().map(({ entryKey, value }) => [core.text(entryKey), value] as const);
  for (const [key, value] of closures) {
    if (!(value instanceof Closure)) continue;
    for (const { name, parameters, isVariadic, types } of core.methods(type, key))
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
