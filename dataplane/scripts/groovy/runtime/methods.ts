import { Closure, Functional } from '../values/closure.ts';
import { ArrayValue, GMap, List } from '../values/collections.ts';
import { SCRIPT } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import { JavaClass, type LibraryMethod, OBJECT, type Steps, type Value } from '../values/java-class.ts';
import { NULL_OBJECT } from '../values/null-object.ts';
import { Range } from '../values/range.ts';
import { type Core, MISSING, type Outcome, settle } from './core.ts';
import { missingMethod, nullPointer } from './failures.ts';
import { declaredOf, fieldsOf, Instance, variablesOf } from './instance.ts';
import { OwnMembers, ownKey } from './meta-class.ts';
import { preparing } from './objects/class-preparation.ts';
import { chosenOverload } from './overload-choices.ts';

/** Methods of Object that null has too. */
const FOR_NULL: ReadonlySet<string> = new Set(
  'toString equals is with tap isCase asBoolean asType getClass plus inspect getAt putAt'.split(' '),
);

/** Methods that walk over null as over nothing; the first ones return null itself. */
const WALKING_NULL: ReadonlySet<string> = new Set(
  'each eachWithIndex collect find findAll any every inject grep findIndexOf findResult iterator'.split(' '),
);

/** Method of a class of the library that answers calls of any other name. */
export const LIBRARY_MISSING = '$missing';

/** `self.name(args)` */
export function send(core: Core, self: Value, name: string, args: readonly Value[]): Outcome {
  core.budget.spend(1);
  if (self === null) return sendToNull(core, name, args);
  if (self instanceof JavaClass) return sendToClass(core, self, name, args);
  const type = core.classOf(self);
  if (core.hasExpandos) {
    const added = expandoOf(core, self, type, name);
    if (added instanceof Closure) return callAsMethod(core, added, self, args);
  }
  if (self instanceof Closure && (name === 'call' || name === 'doCall')) return core.callClosure(self, args, { name });
  const found = tryWithParts(core, self, core.methods(type, name), args);
  if (found !== MISSING) return found;
  const other = sendOtherwise(core, self, type, name, args);
  if (other !== MISSING) return other;
  // A GString has all methods of its text.
  return self instanceof GString ? send(core, self.text(), name, args) : missingMethod(core, type, name, args);
}

/** Calls a method; the elements of a list are the arguments where no overload takes the list. */
export function tryWithParts(
  core: Core,
  self: Value,
  overloads: readonly LibraryMethod[],
  args: readonly Value[],
): Outcome | typeof MISSING {
  const found = core.tryCall(self, overloads, args);
  if (found !== MISSING || args.length !== 1 || overloads.length === 0) return found;
  const [only] = args as readonly [Value];
  if (!(only instanceof List) && !(only instanceof Range)) return found;
  const { items } = only;
  const many = overloads.filter(isVariadic);
  const fixed = core.tryCall(self, many.length > 0 ? overloads.filter((each) => !each.isVariadic) : overloads, items);
  if (fixed !== MISSING) return fixed;
  const chosen = many.length === 0 ? null : chosenOverload(core, (each) => core.classes.types(each), many, items, self);
  if (chosen !== null)
    return core.fail(
      'java.lang.IllegalArgumentException',
      chosen.method.parameters.length === items.length ? 'argument type mismatch' : 'wrong number of arguments',
    );
  return MISSING;
}

function isVariadic(method: LibraryMethod): boolean {
  return method.isVariadic;
}

function sendToNull(core: Core, name: string, args: readonly Value[]): Outcome {
  if (name === 'plus') {
    const other = args[0] ?? null;
    if (typeof other === 'string' || (other !== null && core.isInstance(other, core.class('CharSequence'))))
      return `null${core.text(other)}`;
    return nullPointer(core, `Cannot execute null+${core.text(other)}`);
  }
  if (WALKING_NULL.has(name)) {
    if (name.startsWith('each')) return NULL_OBJECT;
    if (name === 'iterator') return core.sendStatic(core.class('java.util.Collections'), 'emptyIterator', []);
    const empty = new List();
    const found = core.tryCall(empty, core.methods(empty.javaClass, name), args);
    if (found !== MISSING) return found;
  }
  if (FOR_NULL.has(name)) {
    const found = core.tryCall(null, core.methods(OBJECT, name), args);
    if (found !== MISSING) return found;
  }
  return nullPointer(core, `Cannot invoke method ${name === 'dump' ? 'hashCode' : name}() on null object`);
}

function* sendPrepared(core: Core, steps: Steps<void>, self: JavaClass, name: string, args: readonly Value[]): Steps {
  yield* steps;
  return yield* settle(sendToClass(core, self, name, args));
}

function sendToClass(core: Core, self: JavaClass, name: string, args: readonly Value[]): Outcome {
  const isOwn = self.declared !== null && (self.statics.has(name) || self.superclass?.declared !== null);
  const steps = isOwn ? preparing(core, self) : null;
  if (steps !== null) return sendPrepared(core, steps, self, name, args);
  const found = core.tryCall(self, core.staticMethods(self, name), args);
  if (found !== MISSING) return found;
  const own = core.tryCall(self, core.methods(self.javaClass, name), args);
  if (own !== MISSING) return own;
  const added = core.expandos.get(self)?.get(`static ${name}`);
  if (added instanceof Closure) return callAsMethod(core, added, self, args);
  const value = self.constants.get(name);
  if (value instanceof Closure) return core.callClosure(value, args);
  if (value !== undefined && typeof value !== 'function') return core.send(value, 'call', args);
  const missing = core.staticMethods(self, '$static_methodMissing');
  if (missing.length > 0) {
    const found = core.tryCall(self, missing, [name, new ArrayValue(OBJECT, [...args])]);
    if (found !== MISSING) return found;
  }
  const declared = (self.declared as { statics?: Map<string, Value> } | null)?.statics?.get(name);
  if (declared instanceof Closure) return core.callClosure(declared, args);
  return missingMethod(core, self, name, args, true);
}

export function sendStatic(core: Core, type: JavaClass, name: string, args: readonly Value[]): Outcome {
  core.budget.spend(1);
  return sendToClass(core, type, name, args);
}

/** A member that a script added to the object, to its class or to one above it. */
export function expandoOf(core: Core, self: Value, type: JavaClass, name: string): Value | undefined {
  const own = self instanceof Instance ? self.added(name) : undefined;
  if (own !== undefined) return own;
  const members = core.expandos.get(type)?.get(ownKey(name));
  const member = members instanceof OwnMembers ? members.values.get(self) : undefined;
  if (member !== undefined) return member;
  const isOlder = self instanceof Instance && !self.hasExpandos && type.declared !== null;
  for (const each of type.supertypes) {
    if (isOlder && each === type) continue;
    const found = core.expandos.get(each)?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Calls a closure whose delegate is the object that it is called on. */
export function callAsMethod(core: Core, closure: Closure, self: Value, args: readonly Value[]): Outcome {
  const bound = new Closure(closure.rt, closure.code, closure.owner, self, closure.shape, closure.javaClass);
  bound.delegate = self;
  bound.resolveStrategy = 1;
  return core.callClosure(bound, args);
}

/** Ways to answer a call beyond the methods of a class. */
function sendOtherwise(
  core: Core,
  self: Value,
  type: JavaClass,
  name: string,
  args: readonly Value[],
): Outcome | typeof MISSING {
  if (self instanceof Functional && (name === type.sam || name === 'call' || declaredOf(type)?.abstracts.has(name)))
    return self.code(args);
  if (self instanceof GMap) {
    const value = self.get(name);
    if (value instanceof Closure) return core.callClosure(value, args, { name, type });
    if (value instanceof Functional) return value.code(args);
  }
  if (type.declared === null) {
    const statics = tryWithParts(core, type, core.staticMethods(type, name), args);
    if (statics !== MISSING) return statics;
  }
  const missing = core.methods(type, LIBRARY_MISSING);
  if (missing.length > 0) {
    const found = core.tryCall(self, missing, [name, new ArrayValue(OBJECT, [...args])]);
    if (found !== MISSING) return found;
  }
  if (typeof self === 'object' && self !== null && type.declared !== null) {
    const value = fieldsOf(self).get(name);
    if (value instanceof Closure) return core.callClosure(value, args, { name, type });
    if (value instanceof Functional) return value.code(args);
    const statics = tryWithParts(core, type, core.staticMethods(type, name), args);
    if (statics !== MISSING) return statics;
    const binding = type.supertypes.has(SCRIPT) ? variablesOf(core, self).get(name) : undefined;
    if (binding !== undefined && binding !== null) return core.send(binding, 'call', args);
    for (const hook of ['invokeMethod', 'methodMissing']) {
      const overloads = core
        .methods(type, hook)
        .filter((each) => (each as { isOfScript?: boolean }).isOfScript === true);
      if (overloads.length === 0) continue;
      const found = core.tryCall(self, overloads, [name, new ArrayValue(OBJECT, [...args])]);
      if (found !== MISSING) return found;
    }
  }
  return MISSING;
}
