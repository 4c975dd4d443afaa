import type { CompiledScript } from '../../compile/compile-script.ts';
import type { Runtime, Steps } from '../../values/java-class.ts';
import { clearStatics, initializeStatics } from '../script-classes.ts';

/** Scripts whose static fields have their values. */
const prepared = new WeakSet<CompiledScript>();

export function isPrepared(script: CompiledScript): boolean {
  return prepared.has(script);
}

/** A failure is not kept, unlike in Java, where the class stays unusable: the next run begins again. */
export function* prepareStatics(rt: Runtime, script: CompiledScript): Steps<void> {
  prepared.add(script);
  try {
    yield* initializeStatics(rt, script.classes);
  } catch (error) {
    prepared.delete(script);
    clearStatics(script.classes);
    throw error;
  }
}
