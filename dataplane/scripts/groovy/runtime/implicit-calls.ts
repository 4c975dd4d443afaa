import { Closure, type ClosureCode, type ClosureShape, Functional, RESOLVE } from '../values/closure.ts';
import { GMap } from '../values/collections.ts';
import { CLOSURE } from '../values/core-classes.ts';
import { JavaClass, OBJECT, type Steps, type Value } from '../values/java-class.ts';
import { constructorsOf } from './construction.ts';
import { type Core, isSteps, MISSING, type Outcome, settle } from './core.ts';
import { missingMethod, nullPointer } from './failures.ts';
import { fieldsOf, Instance } from './instance.ts';
import { expandoOf, LIBRARY_MISSING, tryWithParts } from './methods.ts';
import { delegation, lookup } from './properties.ts';

/** `name(args)` without an object: a method of the object around, of the owner or the delegate of a closure. */
export function callHere(core: Core, scope: Value, name: string, args: readonly Value[]): Outcome {
  core.budget.spend(1);
  const found = tryHere(core, scope, name, args);
  if (found !== MISSING) return found;
  if (scope instanceof Closure) {
    const builder = builderAround(core, scope);
    if (builder !== null) return core.send(builder, name, args);
  }
  if (scope instanceof Closure && scope.resolveStrategy >= RESOLVE.delegateOnly)
    return missingMethod(core, scope.javaClass, name, args);
  const outer = askedLast(scope);
  if (outer === null) return missingMethod(core, CLOSURE, name, args);
  return core.send(outer, name, args);
}

/** The object that a message names: the delegate of a closure that asks it first, else the one around all closures. */
export function askedLast(scope: Value): Value {
  let at = scope;
  while (at instanceof Closure) {
    if (at.resolveStrategy === RESOLVE.toSelf) return at;
    const isByDelegate = at.resolveStrategy === RESOLVE.delegateFirst || at.resolveStrategy === RESOLVE.delegateOnly;
    at = isByDelegate ? at.delegate : at.owner;
  }
  return at;
}

function tryHere(core: Core, scope: Value, name: string, args: readonly Value[]): Outcome | typeof MISSING {
  if (!(scope instanceof Closure)) return tryOn(core, scope, name, args);
  if (name === 'call') return core.callClosure(scope, args);
  const own = core.tryCall(scope, core.methods(CLOSURE, name), args);
  if (own !== MISSING) return own;
  for (const target of delegation(scope)) {
    const found = target instanceof Closure ? tryHere(core, target, name, args) : tryOn(core, target, name, args);
    if (found !== MISSING) return found;
  }
  return MISSING;
}

/** The nearest delegate that takes calls of any name, after all methods were looked for. */
function builderAround(core: Core, scope: Closure): Value {
  for (const target of delegation(scope)) {
    const found = target instanceof Closure ? builderAround(core, target) : target;
    if (found === null || found instanceof JavaClass || found instanceof Closure) continue;
    if (core.methods(core.classOf(found), LIBRARY_MISSING).length > 0) return found;
  }
  return null;
}

/** The method of an object, or a closure that it holds under the name. */
function tryOn(core: Core, target: Value, name: string, args: readonly Value[]): Outcome | typeof MISSING {
  if (target === null) return MISSING;
  if (target instanceof JavaClass) {
    const found = core.tryCall(target, core.staticMethods(target, name), args);
    if (found !== MISSING) return found;
    const own = core.tryCall(target, core.methods(target.javaClass, name), args);
    return own;
  }
  const type = core.classOf(target);
  const found = tryWithParts(core, target, core.methods(type, name), args);
  if (found !== MISSING) return found;
  if (core.hasExpandos && expandoOf(core, target, type, name) !== undefined) return core.send(target, name, args);
  const statics = core.tryCall(type, core.staticMethods(type, name), args);
  if (statics !== MISSING) return statics;
  if (target instanceof GMap) {
    const value = target.get(name);
    return value instanceof Closure || value instanceof Functional ? callIt(core, value, args) : MISSING;
  }
  if (type.declared !== null && typeof target === 'object') {
    const value = lookup(core, target, name);
    if (!isSteps(value) && (value instanceof Closure || value instanceof Functional)) return callIt(core, value, args);
    if (!isSteps(value) && value !== MISSING && value !== null && core.methods(core.classOf(value), 'call').length > 0)
      return core.send(value, 'call', args);
    for (const hook of ['methodMissing', 'invokeMethod']) {
      if (core.methods(type, hook).some((each) => (each as { isOfScript?: boolean }).isOfScript === true))
        return core.send(target, name, args);
    }
    const outer = target instanceof Instance ? fieldsOf(target).get('$outer') : undefined;
    if (outer !== undefined) return tryOn(core, outer, name, args);
  }
  return MISSING;
}

function callIt(core: Core, value: Closure | Functional, args: readonly Value[]): Outcome {
  return value instanceof Closure ? core.callClosure(value, args) : value.code(args);
}

/** `this.name(args)` */
export function callThis(core: Core, self: Value, name: string, args: readonly Value[]): Outcome {
  const found = tryOn(core, self, name, args);
  return found === MISSING ? core.send(self, name, args) : found;
}

/** `name(args)` where the class around has a private method of the name. */
export function callOwn(core: Core, self: Value, type: JavaClass, name: string, args: readonly Value[]): Outcome {
  const found = core.tryCall(self, core.methods(type, name), args);
  return found === MISSING ? callHere(core, self, name, args) : found;
}

const NO_PARAMETERS: ClosureShape = { types: [], isVariadic: false, hasImplicitIt: false, required: 0 };

/** A closure without parameters that stands in a string: it is called without arguments. */
export function embedded(core: Core, of: Closure): Closure {
  const code: ClosureCode = (_closure, args) => of.code(of, [args[0] ?? null]);
  return new Closure(core, code, of.owner, of.thisObject, NO_PARAMETERS, of.javaClass);
}

/** `name(args)` in a static method. */
export function callStaticHere(core: Core, type: JavaClass, name: string, args: readonly Value[]): Outcome {
  const found = core.tryCall(type, core.staticMethods(type, name), args);
  if (found !== MISSING) return found;
  const common = core.tryCall(type, core.methods(OBJECT, name), args);
  return common === MISSING ? core.sendStatic(type, name, args) : common;
}

/** `object.&name`, `Type::name`: a closure that calls the method. */
export function pointer(core: Core, target: Value, name: string, owner: Value, self: Value): Closure {
  if (target === null) return nullPointer(core, `Cannot access method pointer for '${name}' on null object`);
  const isClass = target instanceof JavaClass;
  const code = (args: readonly Value[]): Outcome => {
    if (!isClass) return core.send(target, name, args);
    if (name === 'new') return core.create(target, args);
    const statics = core.tryCall(target, core.staticMethods(target, name), args);
    if (statics !== MISSING) return statics;
    const [first = null, ...rest] = args;
    return core.send(first, name, rest);
  };
  const overloads = isClass
    ? [
        ...core.staticMethods(target, name).map((each) => each.parameters.length),
        ...core.methods(target, name).map((each) => each.parameters.length + 1),
      ]
    : core.methods(core.classOf(target), name).map((each) => each.parameters.length);
  const counts = [...new Set(name === 'new' ? [] : overloads)].sort((left, right) => left - right);
  const made = isClass && name === 'new' ? constructorsOf(target).map((each) => each.parameters.length) : overloads;
  const longest = made.reduce((most, count) => Math.max(most, count), 0);
  const isSure = counts.length === 1;
  const arity = counts.find((count) => count > 0) ?? counts[0] ?? 1;
  const types = isSure ? Array.from({ length: arity }, () => OBJECT) : [core.class('Object[]')];
  const run = function* (_closure: Closure, args: readonly Value[]): Steps {
    const [packed] = args;
    return yield* settle(
      code(isSure || packed === undefined || packed === null ? args : (packed as unknown as { items: Value[] }).items),
    );
  };
  return new Closure(
    core,
    run,
    owner,
    self,
    { types, isVariadic: !isSure, hasImplicitIt: false, required: isSure ? arity : 0, most: longest },
    core.class('org.codehaus.groovy.runtime.MethodClosure'),
  );
}
