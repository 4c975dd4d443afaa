import { THROWABLE } from '../../values/core-classes.ts';
import type { JavaClass, Steps, Value } from '../../values/java-class.ts';
import { Throwable } from '../../values/throwable.ts';
import { createDeclared, initialize, runConstructor } from '../construction.ts';
import type { Core } from '../core.ts';
import { missingConstructor, missingProperty } from '../failures.ts';
import { declaredOf, fieldsOf, Instance } from '../instance.ts';

/** An object of a class without a name. */
export function* createAnonymous(core: Core, type: JavaClass, outer: Value, args: readonly Value[]): Steps {
  const self = type.supertypes.has(THROWABLE) ? new Throwable(type, null) : new Instance(type, core.hooks);
  fieldsOf(self).set('$outer', outer);
  const above = type.superclass!;
  if (above.declared !== null || args.length > 0) yield* runConstructor(core, above, self, args);
  yield* initialize(core, type, self, false);
  return self;
}

/** An object of a class within a class: of the object around it, or of the one that comes first of the arguments. */
export function* createInner(
  core: Core,
  type: JavaClass,
  self: Value,
  outer: JavaClass,
  args: readonly Value[],
): Steps {
  const around = enclosing(self, outer);
  if (around !== null) return yield* createDeclared(core, type, args, around);
  const [first = null, ...rest] = args;
  if (first !== null && core.isInstance(first, outer)) return yield* createDeclared(core, type, rest, first);
  return missingConstructor(core, type, args);
}

/** The object itself or one around it that is of the class. */
function enclosing(self: Value, type: JavaClass): Value {
  let at: Value = self;
  while (at instanceof Instance && !at.javaClass.supertypes.has(type)) at = at.fields.get('$outer') ?? null;
  return at instanceof Instance ? at : null;
}

/** `Outer.this` */
export function outerThis(core: Core, self: Value, type: JavaClass): Value {
  return enclosing(self, type) ?? missingProperty(core, type, 'this');
}

/** Makes a constant of an enum. */
export function* enumConstant(
  core: Core,
  type: JavaClass,
  actual: JavaClass,
  name: string,
  ordinal: number,
  args: readonly Value[],
): Steps<void> {
  const self = new Instance(actual, core.hooks);
  self.fields.set('$name', name);
  self.fields.set('$ordinal', ordinal);
  yield* runConstructor(core, type, self, args);
  if (actual !== type) yield* initialize(core, actual, self, false);
  const declared = declaredOf(type)!;
  declared.constants.push(self);
  declared.statics.set(name, self);
}
