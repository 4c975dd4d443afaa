import type { JavaClass, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import { type Declared, declaredOf } from '../instance.ts';

type StaticParts = (rt: Runtime, self: Value, args: readonly Value[]) => Steps;

/** Steps that run the static parts of a class and of those above it, when it is first used; null if they have run. */
export function preparing(rt: Runtime, type: JavaClass): Steps<void> | null {
  const declared = declaredOf(type);
  if (declared === null || declared.isReady) return null;
  const waiting = [...type.supertypes].filter((each) => declaredOf(each)?.isWaiting === true).reverse();
  if (waiting.length === 0) {
    declared.isReady = true;
    return null;
  }
  return prepareAll(rt, waiting);
}

/** The same where code cannot wait. */
export function prepareNow(rt: Runtime, type: JavaClass): void {
  const steps = preparing(rt, type);
  if (steps !== null) rt.now(steps);
}

function* prepareAll(rt: Runtime, types: readonly JavaClass[]): Steps<void> {
  for (const type of types) {
    const declared = declaredOf(type)! as Declared & { readonly initializeStatics: StaticParts };
    // Code of the class itself uses it while it is being prepared.
    declared.isWaiting = false;
    try {
      yield* declared.initializeStatics(rt, type, []);
    } catch (error) {
      declared.isWaiting = true;
      declared.isReady = false;
      declared.constants.length = 0;
      for (const name of declared.statics.keys()) declared.statics.set(name, null);
      const known = rt.failure(error);
      if (!(known instanceof Thrown) || rt.isInstance(known.throwable, rt.class('java.lang.Error'))) throw known;
      throw new Thrown(new Throwable(rt.class('java.lang.ExceptionInInitializerError'), null, known.throwable));
    }
  }
}
