import { Closure, type ClosureCode, type ClosureShape, Functional } from '../values/closure.ts';
import { ArrayValue, ByteArray, GMap, GSet, List } from '../values/collections.ts';
import { LIST, PRIMITIVES } from '../values/core-classes.ts';
import { GString } from '../values/g-string.ts';
import { JavaClass, OBJECT, type Obj, type Steps, type Value } from '../values/java-class.ts';
import { Throwable, Thrown } from '../values/throwable.ts';
import { assertionFailed, type Note, powerAssertionFailed } from './assertions.ts';
import { newArray } from './coercion.ts';
import { initialize, runConstructor } from './construction.ts';
import { type Core, MISSING, type Outcome, settle } from './core.ts';
import { missingMethod, missingProperty, nullPointer } from './failures.ts';
import { askedLast, callHere, callOwn, callStaticHere, callThis, embedded, pointer } from './implicit-calls.ts';
import { declaredOf, fieldsOf, Instance } from './instance.ts';
import { iterate } from './iteration.ts';
import { prepareNow } from './objects/class-preparation.ts';
import { createAnonymous, createInner, enumConstant, outerThis } from './objects/inner-objects.ts';
import {
  comparePrimitives,
  compareWith,
  elementAt,
  isSame,
  makeRange,
  operate,
  putElement,
  spaceship,
  step,
  unary,
} from './operators.ts';
import { lookup, lookupFrom, rawField, writeFrom } from './properties.ts';
import { anonymousClass } from './script-classes.ts';
import { bareArgument, TypedArgument } from './typed-argument.ts';

/** Bytes of a closure with the variables around it. */
const CLOSURE_BYTES = 192;

/** The functions that compiled code calls; it has no other way to anything. */
export const support: Readonly<Record<string, unknown>> = Object.freeze(
  Object.assign(Object.create(null), {
    send: sendTo,
    sendStatic: (core: Core, type: JavaClass, name: string, args: readonly Value[]) =>
      core.sendStatic(type, name, args),
    read: (core: Core, self: Value, name: string) => core.read(self, name),
    write: (core: Core, self: Value, name: string, value: Value) => core.write(self, name, value),
    create: (core: Core, type: JavaClass, args: readonly Value[]) => core.create(type, args),
    callHere,
    callStaticHere,
    callThis,
    pointer,
    iterate,
    operate,
    unary,
    step,
    compare: compareWith,
    comparePrimitives,
    spaceship,
    at: elementAt,
    putAt: putElement,
    anonymousClass,
    range: (core: Core, from: Value, to: Value, first: boolean, last: boolean) =>
      makeRange(core, from, to, { first, last }),
    same: isSame,
    typed: (core: Core, value: Value, type: JavaClass) =>
      new TypedArgument(value === null ? null : core.cast(value, type), type),
    sendTyped,
    callHereTyped,
    readHere,
    writeHere: writeFrom,
    callValue,
    callImported,
    gstring: (core: Core, strings: readonly string[], values: readonly Value[]) => {
      core.budget.allocate(32 + values.length * 8);
      return new GString(strings, values);
    },
    list: (core: Core, items: Value[]) => {
      core.budget.allocate(32 + items.length * 8);
      return new List(items);
    },
    map,
    spread,
    spreadMap,
    spreadRead,
    spreadCall,
    spreadWrite,
    closure: (core: Core, code: ClosureCode, owner: Value, self: Value, shape: ClosureShape, type: JavaClass) => {
      core.budget.allocate(CLOSURE_BYTES);
      return new Closure(core, code, owner, self, shape, type);
    },
    field,
    setField,
    rawField,
    initField: (self: Obj, name: string, value: Value) => void fieldsOf(self).set(name, value),
    initNamed,
    fixedCopy,
    initStatic: (type: JavaClass, name: string, value: Value) => void declaredOf(type)!.statics.set(name, value),
    staticField: (core: Core, type: JavaClass, name: string) => {
      prepareNow(core, type);
      return declaredOf(type)!.statics.get(name) ?? null;
    },
    setStaticField: (core: Core, type: JavaClass, name: string, value: Value) => {
      prepareNow(core, type);
      const { type: wanted } = declaredOf(type)!.fields.get(name)!;
      declaredOf(type)!.statics.set(name, wanted === null ? value : core.cast(value, wanted));
      return value;
    },
    isIn: function* (core: Core, item: Value, candidates: Value): Steps<boolean> {
      return candidates === null ? item === null : yield* core.isCase(candidates, item);
    },
    find: function* (core: Core, text: Value, pattern: Value): Steps {
      return yield* core.call(yield* patternOf(core, pattern), 'matcher', [core.text(text)]);
    },
    matches: function* (core: Core, text: Value, pattern: Value): Steps {
      if (text === null || pattern === null) return text === pattern;
      const matcher = yield* core.call(yield* patternOf(core, pattern), 'matcher', [core.text(text)]);
      return yield* core.call(matcher, 'matches', []);
    },
    newArray: (core: Core, type: JavaClass, sizes: readonly Value[]) =>
      emptyArray(
        core,
        type,
        sizes.map((size) => core.cast(size, PRIMITIVES.int) as number),
      ),
    part,
    thrown: (core: Core, value: Value, name: string) => {
      if (value === null) return nullPointer(core, `Cannot throw exception because ${name}`);
      if (value instanceof Throwable) return new Thrown(value);
      return core.fail(
        'java.lang.ClassCastException',
        `class ${core.classOf(value).name} cannot be cast to class java.lang.Throwable`,
      );
    },
    /** Groovy has no conversion here: its compiler knows the number, and Boolean is no primitive type. */
    noBoolean: (core: Core, type: string) =>
      core.fail(
        'java.lang.invoke.WrongMethodTypeException',
        `cannot convert MethodHandle(${type})${type} to (${type})Boolean`,
      ),
    assertionFailed,
    powerAssertionFailed,
    note: (notes: Note[], column: number, value: Value) => {
      notes.push({ column, value });
      return value;
    },
    close: function* (core: Core, resource: Value, failure: unknown): Steps {
      try {
        return yield* core.call(resource, 'close', []);
      } catch (error) {
        if (!(failure instanceof Thrown) || !(error instanceof Thrown)) throw error;
        failure.throwable.suppressed.push(error.throwable);
        return null;
      }
    },
    constructorCall: (core: Core, type: JavaClass, self: Obj, args: readonly Value[]) =>
      runConstructor(core, type, self, args),
    initialize: (core: Core, type: JavaClass, self: Obj) => initialize(core, type, self, false),
    superCall,
    /** `Trait.super.name(args)` */
    callAbove: (core: Core, self: Value, type: JavaClass, name: string, args: readonly Value[]) => {
      const found = core.tryCall(self, core.methods(type, name), args);
      return found === MISSING ? missingMethod(core, type, name, args) : found;
    },
    callOwn,
    embedded,
    superRead: (core: Core, self: Value, type: JavaClass, name: string) => {
      const getter = core.getter(type.superclass!, name);
      return getter === null ? core.read(self, name) : core.callGetter(self, getter);
    },
    createWithin: function* (core: Core, type: JavaClass, outer: Value, args: readonly Value[]): Steps {
      return yield* createAnonymous(core, type, outer, args);
    },
    createInner,
    outerThis,
    /** An argument for an interface with one method: a closure becomes that method. */
    functional: (core: Core, value: Value, type: JavaClass) =>
      value instanceof Closure && !type.supertypes.has(value.javaClass) && !core.isInstance(value, type)
        ? core.cast(value, type)
        : value,
    enumConstant,
  }),
);

/** `self.name(args)`: a closure passes on calls that it has no method for. */
function sendTo(core: Core, self: Value, name: string, args: readonly Value[]): Outcome {
  const isPassed =
    self instanceof Closure && name !== 'call' && name !== 'doCall' && core.methods(self.javaClass, name).length === 0;
  return isPassed ? callHere(core, self, name, args) : core.send(self, name, args);
}

/** A name without an object. */
function readHere(core: Core, scope: Value, name: string): Outcome {
  core.budget.spend(1);
  if (scope instanceof Instance && declaredOf(scope.javaClass)?.hasOnlyVariables === true && !core.hasExpandos) {
    const variable = (scope.variables ?? core.variables).get(name);
    if (variable !== undefined) return variable;
  }
  const found = lookupFrom(core, scope, name);
  if (found !== MISSING) return found;
  const outer = outermost(scope);
  const around = outer instanceof Instance ? outer.fields.get('$outer') : undefined;
  if (around !== undefined) {
    const above = lookup(core, around, name);
    if (above !== MISSING) return above;
  }
  const asked = askedLast(scope);
  return missingProperty(core, asked instanceof JavaClass ? asked : core.classOf(asked), name);
}

function outermost(scope: Value): Value {
  let at = scope;
  while (at instanceof Closure) at = at.owner;
  return at;
}

function staticTyped(core: Core, type: JavaClass, name: string, args: readonly Value[]): Outcome | typeof MISSING {
  return core.tryCall(type, core.staticMethods(type, name), args);
}

/** A call with casts in its arguments. */
function sendTyped(core: Core, self: Value, name: string, args: readonly Value[]): Outcome {
  const found =
    self === null || self instanceof Closure
      ? MISSING
      : self instanceof JavaClass
        ? staticTyped(core, self, name, args)
        : core.tryCall(self, core.methods(core.classOf(self), name), args);
  return found === MISSING ? core.send(self, name, args.map(bareArgument)) : found;
}

function callHereTyped(core: Core, scope: Value, name: string, args: readonly Value[]): Outcome {
  const self = outermost(scope);
  const found =
    self === null
      ? MISSING
      : core.tryCall(
          self,
          core.methods(core.classOf(self), name).filter((each) => each.types !== null),
          args,
        );
  return found === MISSING ? callHere(core, scope, name, args.map(bareArgument)) : found;
}

/** Calls a value: a closure, a function, or an object with `call`. */
function callValue(core: Core, value: Value, args: readonly Value[]): Outcome {
  if (value instanceof Closure) return core.callClosure(value, args, { name: 'call' });
  if (value instanceof Functional) return value.code(args);
  if (value === null) return nullPointer(core, 'Cannot invoke method call() on null object');
  return core.send(value, 'call', args);
}

/** A method of the script comes before one that a static import names. */
function callImported(
  core: Core,
  scope: Value,
  name: string,
  type: JavaClass,
  member: string,
  args: readonly Value[],
): Outcome {
  const self = outermost(scope);
  const own = self === null || core.classOf(self).declared === null ? [] : core.classOf(self).methods.get(name);
  return own !== undefined && own.length > 0 ? callHere(core, scope, name, args) : core.sendStatic(type, member, args);
}

function map(core: Core, items: readonly Value[]): GMap {
  core.budget.allocate(64 + items.length * 24);
  const made = new GMap();
  for (let at = 0; at < items.length; at += 2) made.put(items[at]!, items[at + 1]!);
  return made;
}

function* spread(core: Core, value: Value): Steps<Value[]> {
  if (value === null) return [null];
  const isList = value instanceof ArrayValue || value instanceof ByteArray || core.isInstance(value, LIST);
  if (!isList) {
    const hint = value instanceof GMap ? ', did you mean to use the spread-map operator instead?' : '';
    const shown = `${core.classOf(value).name} with value ${core.javaText(value)}`;
    core.fail('java.lang.IllegalArgumentException', `Cannot spread the type ${shown}${hint}`);
  }
  const items = yield* core.elements(value);
  core.budget.allocate(items.length * 8);
  return items;
}

function spreadMap(core: Core, value: Value): Value[] {
  // Groovy has an empty map as the key here.
  if (value === null) return [new GMap(), null];
  if (!(value instanceof GMap))
    return core.fail('groovy.lang.GroovyRuntimeException', `Cannot spread the map ${core.classOf(value).name}`);
  return value.entries().flatMap((entry) => [entry.entryKey, entry.value]);
}

function* spreadRead(core: Core, self: Value, name: string): Steps {
  if (self === null) return null;
  const values: Value[] = [];
  for (const item of yield* core.elements(self)) values.push(item === null ? null : yield* core.get(item, name));
  core.budget.allocate(values.length * 8);
  return new List(values);
}

function* spreadCall(core: Core, self: Value, name: string, args: readonly Value[]): Steps {
  if (self === null) return null;
  const values: Value[] = [];
  for (const item of yield* core.elements(self)) values.push(item === null ? null : yield* core.call(item, name, args));
  core.budget.allocate(values.length * 8);
  return new List(values);
}

function* spreadWrite(core: Core, self: Value, name: string, value: Value): Steps {
  if (self === null) return null;
  for (const item of yield* core.elements(self)) if (item !== null) yield* core.set(item, name, value);
  return value;
}

function field(core: Core, self: Value, name: string): Value {
  if (self === null) return nullPointer(core, `Cannot get property '${name}' on null object`);
  const value = typeof self === 'object' ? fieldsOf(self).get(name) : undefined;
  if (value !== undefined) return value;
  const statics = declaredOf(core.classOf(self))?.statics.get(name);
  return statics ?? (self instanceof GMap ? (self.get(name) ?? null) : missingProperty(core, core.classOf(self), name));
}

function setField(core: Core, self: Obj, name: string, value: Value): Value {
  for (const type of self.javaClass.supertypes) {
    const found = declaredOf(type)?.fields?.get(name);
    if (found === undefined) continue;
    const converted = found.type === null ? value : core.cast(value, found.type);
    if (found.isStatic) declaredOf(type)!.statics.set(name, converted);
    else fieldsOf(self).set(name, converted);
    return converted;
  }
  return missingProperty(core, self.javaClass, name);
}

/** Properties by name, for classes whose properties are final. */
function initNamed(core: Core, self: Obj, type: JavaClass, named: Value): void {
  if (named === null) return;
  for (const { entryKey, value } of (named as GMap).entries()) {
    const name = core.text(entryKey);
    const found = declaredOf(type)!.fields.get(name);
    if (found === undefined) missingProperty(core, type, name);
    const given = found.type === null ? value : core.cast(value, found.type);
    fieldsOf(self).set(name, declaredOf(type)!.canonical?.immutable === true ? fixedCopy(core, given) : given);
  }
}

/** Collections of immutable objects are copies that cannot be changed. */
function fixedCopy(core: Core, value: Value): Value {
  const isCollection = value instanceof List || value instanceof GMap || value instanceof GSet;
  return isCollection ? core.now(settle(core.send(value, 'asImmutable', []))) : value;
}

function* patternOf(core: Core, value: Value): Steps {
  const pattern = core.class('java.util.regex.Pattern');
  if (core.isInstance(value, pattern)) return value;
  return yield* core.callStatic(pattern, 'compile', [value === null ? 'null' : core.text(value)]);
}

function emptyArray(core: Core, type: JavaClass, sizes: readonly number[]): Value {
  const [size = 0, ...inner] = sizes;
  const component = type.component!;
  if (size < 0) core.fail('java.lang.NegativeArraySizeException', String(size));
  core.budget.allocate(size * 8);
  if (component === PRIMITIVES.byte) return new ByteArray(new Uint8Array(size));
  const zero =
    component === PRIMITIVES.boolean
      ? false
      : component.name.includes('.') || component.component !== null
        ? null
        : initial(core, component);
  const items = new Array<Value>(size).fill(zero);
  return newArray(component, inner.length === 0 ? items : items.map(() => emptyArray(core, component, inner)));
}

function initial(core: Core, component: JavaClass): Value {
  return component.declared !== null ? null : core.cast(0, component);
}

/** One of several variables that take the parts of a value. */
function part(core: Core, list: Value, index: number): Outcome {
  if (list instanceof ArrayValue && index >= list.items.length)
    core.fail(
      'java.lang.ArrayIndexOutOfBoundsException',
      `Index ${index} out of bounds for length ${list.items.length}`,
    );
  return elementAt(core, list, index);
}

function superCall(core: Core, self: Value, type: JavaClass, name: string, args: readonly Value[]): Outcome {
  const found = core.tryCall(self, core.methods(type.superclass ?? OBJECT, name), args);
  if (found !== MISSING) return found;
  for (const above of type.interfaces) {
    const own = core.tryCall(self, core.methods(above, name), args);
    if (own !== MISSING) return own;
  }
  return missingMethod(core, type.superclass ?? OBJECT, name, args);
}
