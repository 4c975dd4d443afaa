import { Closure, RESOLVE } from '../values/closure.ts';
import { GMap, List } from '../values/collections.ts';
import { COLLECTION, ENUM, LIST, SCRIPT } from '../values/core-classes.ts';
import { JavaClass, type LibraryMethod, OBJECT, type Steps, type Value } from '../values/java-class.ts';
import { Throwable, Thrown } from '../values/throwable.ts';
import { type Core, isSteps, MISSING, type Outcome, settle } from './core.ts';
import { missingProperty, nullPointer, readOnlyProperty } from './failures.ts';
import {
  type Declared,
  type DeclaredField,
  declaredOf,
  fieldsOf,
  Instance,
  isHidden,
  variablesOf,
} from './instance.ts';
import { expandoOf } from './methods.ts';
import { prepareNow, preparing } from './objects/class-preparation.ts';
import type { ScriptVariables } from './script-variables.ts';

/** Methods of script classes that answer for properties that are not there. */
const PROPERTY_HOOKS = ['propertyMissing', 'get'] as const;

export function capitalized(name: string): string {
  // `aName` has the getter `getaName`.
  return /^.\p{Lu}/u.test(name) ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

/** `self.name` */
export function read(core: Core, self: Value, name: string): Outcome {
  core.budget.spend(1);
  if (self === null) return nullPointer(core, `Cannot get property '${name}' on null object`);
  const found = lookup(core, self, name);
  if (found !== MISSING) return found;
  let object: Value = self;
  while (object instanceof Closure) object = object.owner;
  return missingProperty(core, object instanceof JavaClass ? object : core.classOf(object), name);
}

/** The property, or MISSING. */
export function lookup(core: Core, self: Value, name: string): Outcome | typeof MISSING {
  if (self === null) return MISSING;
  if (self instanceof GMap && self.javaClass.declared === null) return self.get(name) ?? defaultOf(self, name);
  if (self instanceof GMap) return core.send(self, 'get', [name]);
  if (self instanceof JavaClass) return lookupStatic(core, self, name);
  if (self instanceof Closure) return lookupInClosure(core, self, name);
  const type = core.classOf(self);
  if (core.hasExpandos) {
    const added = expandoOf(core, self, type, `get${capitalized(name)}`);
    if (added instanceof Closure) return core.send(self, `get${capitalized(name)}`, []);
    const value = expandoOf(core, self, type, name);
    if (value !== undefined && !(value instanceof Closure)) return value;
  }
  const declared = type.declared !== null ? lookupDeclared(core, self, type, name) : MISSING;
  if (declared !== MISSING) return declared;
  const reader = core.property(type, name);
  if (reader !== null) return reader.kind === 'getter' ? reader.get(core, self) : core.callGetter(self, reader.method);
  const tables = type.component === null ? type.supertypes : core.classes.arrayTables(type);
  for (const each of tables) {
    const value = each.property?.(core, self, name);
    if (value !== undefined) return value;
    const getter = each.getters.get(name);
    if (getter !== undefined) return getter(core, self);
  }
  const getter = core.getter(type, name);
  if (getter !== null) return core.callGetter(self, getter);
  if (self instanceof Throwable && self.details.has(name)) return self.details.get(name)!;
  if (type.supertypes.has(COLLECTION)) return readFromAll(core, self, name);
  const statics = lookupStaticMember(core, type, name);
  return statics;
}

function defaultOf(map: GMap, name: string): Value {
  return map.defaultFor === null ? null : map.defaultFor(name);
}

/** The property of each element of a collection. */
function* readFromAll(core: Core, self: Value, name: string): Steps {
  const values: Value[] = [];
  for (const item of yield* core.elements(self)) {
    if (item === null) continue;
    try {
      values.push(yield* settle(core.read(item, name)));
    } catch (error) {
      if (!(error instanceof Thrown) || error.throwable.javaClass.name !== 'groovy.lang.MissingPropertyException')
        throw error;
      const reason = core.text(error.throwable);
      const throwable = new Throwable(
        error.throwable.javaClass,
        `Exception evaluating property '${name}' for ${core.classOf(self).name}, Reason: ${reason}`,
      );
      throw new Thrown(throwable);
    }
  }
  return new List(values);
}

function lookupDeclared(
  core: Core,
  self: Exclude<Value, null>,
  type: JavaClass,
  name: string,
): Outcome | typeof MISSING {
  const custom = core.ofScript(type, 'getProperty', 1);
  if (custom.length > 0 && name !== 'metaClass') return core.tryCall(self, custom, [name]);
  const getter = core.getter(type, name);
  if (getter !== null && isOfScript(getter)) return core.callGetter(self, getter);
  if (typeof self === 'object') {
    const isReadable = (type.superclass?.declared ?? null) === null || !isHidden(type, name);
    const value = isReadable ? fieldsOf(self).get(name) : undefined;
    if (value !== undefined) return value;
    for (let at: JavaClass | null = isReadable ? type : null; at !== null; at = at.superclass) {
      if (declaredOf(at)?.statics.has(name) ?? false) return declaredOf(at)!.statics.get(name)!;
    }
    if (type.supertypes.has(SCRIPT)) {
      const variable = variablesOf(core, self).get(name);
      if (variable !== undefined) return variable;
    }
  }
  if (getter !== null) return core.callGetter(self, getter);
  for (const hook of PROPERTY_HOOKS) {
    const overloads = core.ofScript(type, hook, 1);
    if (overloads.length > 0) return core.tryCall(self, overloads, [name]);
  }
  return MISSING;
}

/** Methods of script classes have their types from the start. */
function isOfScript(method: LibraryMethod): boolean {
  return (method as { isOfScript?: boolean }).isOfScript === true;
}

function lookupStatic(core: Core, self: JavaClass, name: string): Outcome | typeof MISSING {
  if (name === 'class') return self;
  const steps = self.declared === null || isOfClass(core, self, name) ? null : preparing(core, self);
  if (steps !== null) return lookupPrepared(core, steps, self, name);
  const member = lookupStaticMember(core, self, name);
  if (member !== MISSING) return member;
  const getter = core.getter(self.javaClass, name);
  if (getter !== null) return core.callGetter(self, getter);
  const missing = self.declared === null ? [] : core.staticMethods(self, '$static_propertyMissing');
  return missing.length === 0 ? MISSING : core.tryCall(self, missing, [name]);
}

/** A property of the class object, such as its name: reading it is no use of the class. */
function isOfClass(core: Core, self: JavaClass, name: string): boolean {
  return lookupStaticMember(core, self, name) === MISSING && core.getter(self.javaClass, name) !== null;
}

function* lookupPrepared(core: Core, steps: Steps<void>, self: JavaClass, name: string): Steps {
  yield* steps;
  const found = lookupStatic(core, self, name);
  return found === MISSING ? missingProperty(core, self, name) : yield* settle(found);
}

function lookupStaticMember(core: Core, type: JavaClass, name: string): Outcome | typeof MISSING {
  for (const at of type.supertypes) {
    const declared = declaredOf(at);
    if ((declared?.statics.has(name) ?? false) && !isHidden(type, name)) return declared!.statics.get(name)!;
    const constant = at.constants.get(name);
    if (constant !== undefined) return typeof constant === 'function' ? constant(core) : constant;
    for (const prefix of ['get', 'is']) {
      const getters = (at.statics.get(prefix + capitalized(name)) ?? []).filter((each) => each.parameters.length === 0);
      if (getters.length > 0) return core.tryCall(type, getters, []);
    }
  }
  return core.classes.find(`${type.name}$${name}`) ?? MISSING;
}

function lookupInClosure(core: Core, closure: Closure, name: string): Outcome | typeof MISSING {
  switch (name) {
    case 'owner':
      return closure.owner;
    case 'delegate':
      return closure.delegate;
    case 'thisObject':
      return closure.thisObject;
    case 'resolveStrategy':
      return closure.resolveStrategy;
    default: {
      const getter = core.getter(closure.javaClass, name);
      if (getter !== null && name !== 'empty') return core.callGetter(closure, getter);
      return lookupFrom(core, closure, name);
    }
  }
}

/** A name in the code of a closure: in its owner and its delegate, in the order of its strategy. */
export function lookupFrom(core: Core, scope: Value, name: string): Outcome | typeof MISSING {
  if (!(scope instanceof Closure)) return lookup(core, scope, name);
  if (name === 'owner' || name === 'delegate' || name === 'thisObject') return lookupInClosure(core, scope, name);
  for (const target of delegation(scope)) {
    const found = target instanceof Closure ? lookupFrom(core, target, name) : lookup(core, target, name);
    if (isSteps(found)) return found;
    if (found !== MISSING) return found;
  }
  return MISSING;
}

/** The objects that a closure asks, in order. */
export function delegation(closure: Closure): Value[] {
  const { owner, delegate } = closure;
  switch (closure.resolveStrategy) {
    case RESOLVE.delegateFirst:
      return delegate === owner ? [owner] : [delegate, owner];
    case RESOLVE.ownerOnly:
      return [owner];
    case RESOLVE.delegateOnly:
      return [delegate];
    case RESOLVE.toSelf:
      return [];
    default:
      return delegate === owner ? [owner] : [owner, delegate];
  }
}

/** `self.name = value` */
export function write(core: Core, self: Value, name: string, value: Value): Outcome {
  core.budget.spend(1);
  if (self === null) return nullPointer(core, `Cannot set property '${name}' on null object`);
  if (self instanceof GMap) return core.send(self, 'put', [name, value]);
  if (self instanceof JavaClass) return writeStatic(core, self, name, value);
  const type = core.classOf(self);
  if (self instanceof Closure) {
    if (name === 'delegate') self.delegate = value;
    else if (name === 'resolveStrategy') self.resolveStrategy = value as number;
    else return writeFrom(core, self, name, value);
    return value;
  }
  const custom = type.declared === null ? [] : core.ofScript(type, 'setProperty', 2);
  if (custom.length > 0) return core.tryCall(self, custom, [name, value]) as Outcome;
  const setters = core.methods(type, `set${capitalized(name)}`).filter((each) => each.parameters.length === 1);
  const isOwn = type.declared !== null && typeof self === 'object';
  if (setters.length > 0 && (!isOwn || setters.some(isOfScript)))
    return writeBySetter(core, self, type, setters, name, value);
  if (isOwn) {
    const done = writeDeclared(core, self, type, name, value);
    if (done !== MISSING) return done;
    if (setters.length > 0) return writeBySetter(core, self, type, setters, name, value);
  }
  for (const each of type.supertypes) {
    if (each.setProperty?.(core, self, name, value) === true) return value;
    const setter = each.setters.get(name);
    if (setter !== undefined) {
      setter(core, self, value);
      return value;
    }
  }
  if (type.supertypes.has(LIST) && !isOwn)
    return core.fail('java.lang.IllegalArgumentException', 'argument type mismatch');
  const isReadable = !(type.supertypes.has(COLLECTION) && core.property(type, name) === null);
  if (isReadable && lookup(core, self, name) !== MISSING) return readOnlyProperty(core, type, name);
  return missingProperty(core, type, name);
}

function* writeBySetter(
  core: Core,
  self: Value,
  type: JavaClass,
  setters: readonly LibraryMethod[],
  name: string,
  value: Value,
): Steps {
  let found = core.tryCall(self, setters, [value]);
  if (found === MISSING) {
    const wanted = core.classes.types(setters[0]!)[0]!;
    found = core.tryCall(self, setters, [core.cast(value, wanted)]);
  }
  if (found === MISSING) missingProperty(core, type, name);
  yield* settle(found as Outcome);
  return value;
}

function fieldOf(type: JavaClass, name: string): { field: DeclaredField; declared: Declared } | null {
  for (const at of type.supertypes) {
    const declared = declaredOf(at);
    const field = declared?.fields.get(name);
    if (declared !== null && field !== undefined) return isHidden(type, name) ? null : { field, declared };
  }
  return null;
}

function writeDeclared(
  core: Core,
  self: Exclude<Value, null | boolean | string | number | bigint>,
  type: JavaClass,
  name: string,
  value: Value,
): Outcome | typeof MISSING {
  const found = fieldOf(type, name);
  if (found !== null) {
    const { field, declared } = found;
    if (field.isFinal) return readOnlyProperty(core, type, name);
    const converted = field.type === null ? value : castField(core, value, field.type);
    if (field.isStatic) declared.statics.set(name, converted);
    else fieldsOf(self).set(name, converted);
    return value;
  }
  if (type.supertypes.has(SCRIPT)) {
    if (name === 'binding') return core.send(self, 'setBinding', [value]);
    setVariable(core, variablesOf(core, self), name, value);
    return value;
  }
  const missing = core.methods(type, 'propertyMissing').filter((each) => each.parameters.length === 2);
  const setter = core.ofScript(type, 'set', 2);
  if (missing.length > 0 || setter.length > 0)
    return core.tryCall(self, missing.length > 0 ? missing : setter, [name, value]);
  return MISSING;
}

/** A map that a script made the variables of may be one that cannot be changed. */
export function setVariable(core: Core, variables: ScriptVariables, name: string, value: Value): void {
  if (!variables.set(name, value)) core.fail('java.lang.UnsupportedOperationException');
}

function castField(core: Core, value: Value, type: JavaClass): Value {
  if (
    value === null &&
    !type.name.includes('.') &&
    type !== OBJECT &&
    type.superclass === null &&
    type.component === null &&
    type.declared === null &&
    !type.isInterface &&
    type.name !== 'boolean'
  ) {
    return core.fail('java.lang.IllegalArgumentException');
  }
  return core.cast(value, type);
}

function writeStatic(core: Core, self: JavaClass, name: string, value: Value): Outcome {
  prepareNow(core, self);
  const found = fieldOf(self, name);
  if (found?.field.isStatic ?? false) {
    if (found!.field.isFinal) return readOnlyProperty(core, self, name);
    found!.declared.statics.set(name, found!.field.type === null ? value : core.cast(value, found!.field.type));
    return value;
  }
  const setters = (self.statics.get(`set${capitalized(name)}`) ?? []).filter((each) => each.parameters.length === 1);
  if (setters.length > 0) return core.tryCall(self, setters, [value]) as Outcome;
  if (self.constants.has(name) || self.supertypes.has(ENUM)) return readOnlyProperty(core, self, name);
  return missingProperty(core, self, name);
}

/** Assigns to a name in the code of a closure. */
export function writeFrom(core: Core, scope: Value, name: string, value: Value): Outcome {
  if (!(scope instanceof Closure)) {
    const around = scope instanceof Instance ? (scope.fields.get('$outer') ?? null) : null;
    return around !== null && !hasTarget(core, scope, name) && hasTarget(core, around, name)
      ? core.write(around, name, value)
      : core.write(scope, name, value);
  }
  if (name === 'delegate' || name === 'resolveStrategy') return core.write(scope, name, value);
  const targets = delegation(scope);
  for (const target of targets) {
    const isLast = target === targets.at(-1);
    if (isLast || hasTarget(core, target, name)) return writeFrom(core, target, name, value);
  }
  return value;
}

function hasTarget(core: Core, target: Value, name: string): boolean {
  if (target instanceof Closure) return delegation(target).some((each) => hasTarget(core, each, name));
  if (target instanceof GMap) return true;
  if (target === null) return false;
  const type = core.classOf(target);
  if (type.supertypes.has(SCRIPT) || core.ofScript(type, 'setProperty', 2).length > 0) return true;
  if (core.ofScript(type, 'propertyMissing', 2).length > 0) return true;
  return lookup(core, target, name) !== MISSING;
}

/** `object.@name` */
export function rawField(core: Core, self: Value, name: string): Value {
  if (self === null) return nullPointer(core, `Cannot get property '${name}' on null object`);
  const type = core.classOf(self);
  const own = typeof self === 'object' ? fieldsOf(self).get(name) : undefined;
  const found = own ?? declaredOf(type)?.statics.get(name);
  return found === undefined
    ? core.fail('groovy.lang.MissingFieldException', `No such field: ${name} for class: ${type.name}`)
    : found;
}
