import { Closure, Functional } from '../../values/closure.ts';
import type { GMap } from '../../values/collections.ts';
import { ITERABLE } from '../../values/core-classes.ts';
import { JavaClass, type LibraryMethod, OBJECT, type Steps, type Value } from '../../values/java-class.ts';
import { castFail, samResult, unboxed } from '../../values/sam-results.ts';
import { type Core, MISSING, settle } from '../core.ts';
import { missingMethod } from '../failures.ts';
import { type AbstractMethod, declaredOf, Instance } from '../instance.ts';
import { wrapperOf } from '../overloads.ts';

type Call = (args: readonly Value[]) => Steps;

/** A closure as the one method of an interface. */
export function functional(core: Core, closure: Closure, type: JavaClass): Value {
  const call: Call = (args) => settle(core.callClosure(closure, args));
  const methods = type.sam === null ? [] : implementing(core, type, type.sam, call);
  const code: Call = (args) => {
    if (methods.length === 0) return library(core, call(args), type);
    const found = core.tryCall(null, methods, args);
    return found === MISSING ? missingMethod(core, proxyClass(type), type.sam!, args) : settle(found);
  };
  return new Functional(type, closure.shape.types.length, code, closure);
}

/** A map of closures as an interface. The map is asked at every call, as it may have changed. */
export function proxyOf(core: Core, map: GMap, type: JavaClass): Value {
  // The library reads collections itself, and would not call the closures.
  if (ITERABLE.isAssignableFrom(type) && type.declared === null)
    core.fail('java.lang.UnsupportedOperationException', `a Map as ${type.name} is not available`);
  const proxy = proxyClass(type);
  add(proxy, 'toString', [], () => core.javaText(map));
  add(proxy, 'hashCode', [], () => core.hash(map));
  for (const { entryKey, value } of map.entries()) {
    const name = core.text(entryKey);
    const isOwn = type.declared === null || core.methods(type, name).length > 0;
    if (!(value instanceof Closure) || !isOwn) continue;
    const types = value.shape.hasImplicitIt ? [] : value.shape.types;
    proxy.methods.delete(name);
    const code: Call = (args) => library(core, settle(core.callClosure(value, args)), type);
    add(proxy, name, types, code);
    if (value.shape.hasImplicitIt) add(proxy, name, [OBJECT], code);
  }
  for (const above of [type, ...type.supertypes])
    for (const name of declaredOf(above)?.abstracts.keys() ?? [])
      proxy.methods.set(
        name,
        implementing(core, above, name, (args) => callEntry(core, map, name, args)),
      );
  return new Instance(proxy, core.hooks);
}

function proxyClass(type: JavaClass): JavaClass {
  const proxy = new JavaClass(`${type.name}Proxy`);
  proxy.superclass = OBJECT;
  proxy.interfaces = [type];
  proxy.sam = type.sam;
  return proxy;
}

function add(proxy: JavaClass, name: string, types: readonly JavaClass[], code: (args: readonly Value[]) => unknown) {
  const method: LibraryMethod & { isOfScript: boolean } = {
    name,
    parameters: types.map((each) => each.name),
    isVariadic: false,
    types: types.map(() => OBJECT),
    code: ((_rt: unknown, _self: unknown, args: readonly Value[]) => code(args)) as LibraryMethod['code'],
    isOfScript: true,
  };
  proxy.methods.set(name, [...(proxy.methods.get(name) ?? []), method]);
}

function callEntry(core: Core, map: GMap, name: string, args: readonly Value[]): Steps {
  const value = map.get(name) ?? null;
  if (value === null) return core.fail('java.lang.UnsupportedOperationException');
  return value instanceof Closure
    ? settle(core.callClosure(value, args))
    : castFail(core, value, 'groovy.lang.Closure');
}

/** The methods of a name that an interface or an abstract class of a script declares, each with one body. */
function implementing(core: Core, type: JavaClass, name: string, call: Call): LibraryMethod[] {
  return (declaredOf(type)?.abstracts.get(name) ?? []).map((method) => ({
    name,
    parameters: method.types.map((each) => each.name),
    isVariadic: method.isVariadic,
    types: [...method.types],
    code: (_rt, _self, args: readonly Value[]) => checked(core, call(args), method),
  }));
}

/** The body of a method must return what the method declares: a GString is no String here. */
function* checked(core: Core, steps: Steps, { returns }: AbstractMethod): Steps {
  const value = yield* steps;
  if (returns === null) return value;
  if (returns.name === 'void') return null;
  const box = wrapperOf(returns);
  if (value === null && box !== returns) return core.fail('java.lang.NullPointerException', null);
  return value === null || core.isInstance(value, box) ? value : castFail(core, value, box.name);
}

function* library(core: Core, steps: Steps, type: JavaClass): Steps {
  const value = yield* steps;
  return type.declared === null ? unboxed(core, value, samResult(type.name)) : value;
}
