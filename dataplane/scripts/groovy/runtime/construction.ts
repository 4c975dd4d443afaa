import { GMap, List } from '../values/collections.ts';
import { THROWABLE } from '../values/core-classes.ts';
import type { JavaClass, LibraryMethod, Obj, Steps, Value } from '../values/java-class.ts';
import { Throwable } from '../values/throwable.ts';
import { type Core, isSteps, MISSING, type Outcome, settle } from './core.ts';
import { missingConstructor } from './failures.ts';
import { declaredOf, fieldsOf, Instance } from './instance.ts';
import { preparing } from './objects/class-preparation.ts';
import { bareArgument, TypedArgument } from './typed-argument.ts';

/** `new Type(args)` */
/** Bytes of an object beside its content. */
const OBJECT_BYTES = 128;

/** Bytes of the fields of an object of a script class. */
const FIELDS_BYTES = 256;

export function create(core: Core, type: JavaClass, args: readonly Value[]): Outcome {
  core.budget.allocate(OBJECT_BYTES);
  if (type.isInterface || type.isAbstract) {
    return core.fail('java.lang.InstantiationException', type.isInterface ? null : type.name);
  }
  if (type.declared !== null) return createDeclared(core, type, args);
  const overloads = constructorsOf(type);
  // The constructor of exceptions with four parameters is only for the classes below.
  const open = type.supertypes.has(THROWABLE) && args.length === 4 ? [] : overloads;
  const made = core.tryCall(type, open, args);
  if (made !== MISSING) return made;
  const named = args.length === 1 ? args[0]! : null;
  if (named instanceof GMap) {
    const plain = overloads.filter((each) => each.parameters.length === 0);
    const bare = core.tryCall(type, plain, []);
    if (bare !== MISSING) return withProperties(core, bare, named);
  }
  return missingConstructor(core, type, args);
}

/** Exceptions have the constructors of Throwable. */
export function constructorsOf(type: JavaClass): readonly LibraryMethod[] {
  if (type.constructors.length > 0 || !type.supertypes.has(THROWABLE)) return type.constructors;
  return type.superclass === null ? [] : constructorsOf(type.superclass);
}

function* withProperties(core: Core, made: Outcome, named: GMap): Steps {
  const self = isSteps(made) ? yield* made : made;
  for (const { entryKey, value } of named.entries()) yield* core.set(self, core.text(entryKey), value);
  return self;
}

/** An object of a script's class: fields first, then the constructor. */
export function* createDeclared(core: Core, type: JavaClass, args: readonly Value[], around: Value = null): Steps {
  const steps = preparing(core, type);
  if (steps !== null) yield* steps;
  const self = allocate(core, type);
  if (around !== null) fieldsOf(self).set('$outer', around);
  const overloads = type.constructors;
  if (overloads.length > 0) {
    yield* runConstructor(core, type, self, args);
    return self;
  }
  if (args.length > 0 && inheritsFromScript(type)) {
    yield* runInherited(core, type, self, args);
    return self;
  }
  yield* initialize(core, type, self, true);
  const [only] = args;
  if (args.length === 0) return self;
  if (args.length === 1 && only instanceof GMap) return yield* withProperties(core, self, only);
  if (args.length === 1 && only === null && declaredOf(type)!.hasMapConstructor) return self;
  if (self instanceof Throwable && inheritsConstructors(type)) {
    initThrowable(core, type, self, args);
    return self;
  }
  if (isForeign(type) && !(self instanceof Instance) && declaredOf(type)!.inheritsConstructors) return self;
  return missingConstructor(core, type, args);
}

/** Constructors are not inherited, except by `@InheritConstructors` and by classes without a name. */
function inheritsConstructors(type: JavaClass): boolean {
  let at: JavaClass | null = type;
  while (at !== null && at.declared !== null) {
    if (declaredOf(at)!.inheritsConstructors !== true) return false;
    at = at.superclass;
  }
  return true;
}

/** The constructors of the class are those that a script declared for the one above. */
function inheritsFromScript(type: JavaClass): boolean {
  const above = type.superclass;
  if (type.constructors.length > 0 || declaredOf(type)?.inheritsConstructors !== true) return false;
  return above !== null && above.declared !== null && (above.constructors.length > 0 || inheritsFromScript(above));
}

function* runInherited(core: Core, type: JavaClass, self: Obj, args: readonly Value[]): Steps<void> {
  yield* runConstructor(core, type.superclass!, self, args);
  yield* initialize(core, type, self, false);
}

function foreignAbove(type: JavaClass): JavaClass | null {
  let at: JavaClass | null = type;
  while (at !== null && at.declared !== null) at = at.superclass;
  return at;
}

function isForeign(type: JavaClass): boolean {
  const above = foreignAbove(type);
  return (
    above !== null &&
    above.name !== 'java.lang.Object' &&
    above.name !== 'groovy.lang.Script' &&
    above.name !== 'java.lang.Enum'
  );
}

/** The object before its constructor runs. A class that extends an exception or a collection of the library is one. */
function allocate(core: Core, type: JavaClass): Obj {
  if (type.supertypes.has(THROWABLE)) return new Throwable(type, null);
  const above = foreignAbove(type);
  if (above?.name === 'java.util.ArrayList') return new List([], type);
  if (above?.supertypes.has(core.class('java.util.Map'))) return new GMap(type, 'linked');
  core.budget.allocate(FIELDS_BYTES);
  const made = new Instance(type, core.hooks);
  made.hasExpandos = core.hasExpandos && (core.expandos.get(type)?.size ?? 0) > 0;
  return made;
}

function initThrowable(core: Core, type: JavaClass, self: Throwable, args: readonly Value[]): void {
  const made = core.tryCall(foreignAbove(type)!, constructorsOf(foreignAbove(type)!), args);
  if (made === MISSING || !(made instanceof Throwable)) missingConstructor(core, type, args);
  self.message = (made as Throwable).message;
  self.cause = (made as Throwable).cause;
}

/** Sets the initial values of fields, of the class above first. */
export function* initialize(core: Core, type: JavaClass, self: Obj, withAbove: boolean): Steps<void> {
  if (withAbove && type.superclass !== null && type.superclass.declared !== null) {
    if (type.superclass.constructors.length > 0) yield* runConstructor(core, type.superclass, self, []);
    else yield* initialize(core, type.superclass, self, true);
  }
  for (const trait of type.interfaces)
    if (declaredOf(trait)?.isTrait ?? false) yield* initialize(core, trait, self, false);
  const declared = declaredOf(type);
  if (declared === null) return;
  for (const field of declared.fields.values())
    if (!field.isStatic) fieldsOf(self).set(field.name, initialValue(field.type));
  if (declared.initialize !== null) yield* declared.initialize(core, self);
}

const ZERO: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['int', 0],
  ['long', 0n],
  ['boolean', false],
]);

function initialValue(type: JavaClass | null): Value {
  return type === null || type.name.includes('.') ? null : (ZERO.get(type.name) ?? null);
}

/** Runs the constructor of a class on an object; `super(…)` and `this(…)` come here too. */
export function* runConstructor(core: Core, type: JavaClass, self: Obj, args: readonly Value[]): Steps<void> {
  if (type.declared === null) {
    if (self instanceof Throwable && type.supertypes.has(THROWABLE)) initThrowable(core, type, self, args);
    return;
  }
  if (args.length > 0 && inheritsFromScript(type)) {
    yield* runInherited(core, type, self, args);
    return;
  }
  if (type.constructors.length === 0) {
    yield* initialize(core, type, self, true);
    if (args.length === 0) return;
    const [only] = args;
    if (self instanceof Throwable && inheritsConstructors(type)) initThrowable(core, type, self, args);
    else if (args.length === 1 && only instanceof GMap) yield* withProperties(core, self, only);
    else missingConstructor(core, type, args);
    return;
  }
  const typed = core.tryCall(self, type.constructors, args);
  const isTyped = args.some((arg) => arg instanceof TypedArgument && arg.value !== null);
  const made = typed === MISSING && isTyped ? core.tryCall(self, type.constructors, args.map(bareArgument)) : typed;
  if (made === MISSING) {
    const [only] = args;
    const isNamed = args.length === 1 && only instanceof GMap;
    const plain = type.constructors.filter((each) => each.parameters.length === 0);
    const bare = isNamed ? core.tryCall(self, plain, []) : MISSING;
    if (bare === MISSING && isNamed)
      core.fail(
        'groovy.lang.GroovyRuntimeException',
        `Could not find named-arg compatible constructor. Expecting one of:\n${type.name}(Map)\n${type.name}()`,
      );
    if (bare === MISSING) missingConstructor(core, type, args);
    yield* settle(bare as Outcome);
    yield* withProperties(core, self, only as GMap);
    return;
  }
  yield* settle(made);
}
