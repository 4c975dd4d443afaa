import type { Runtime, Steps } from '../../values/java-class.ts';
import type { RunnableScript } from '../core.ts';
import { clearStatics, initializeStatics } from '../script-classes.ts';

/** Scripts whose static fields have their values. */
const prepared = new WeakSet<RunnableScript>();

export function isPrepared(script: RunnableScript): boolean {
  return prepared.has(script);
}

/** A failure is not kept, unlike in Java, where the class stays unusable: the next run begins again. */
export function* prepareStatics(rt: Runtime, script: RunnableScript): Steps<void> {
  prepared.add(script);
  try {
    yield* initializeStatics(rt, script.classes);
  } catch (error) {
    prepared.delete(script);
    clearStatics(script.classes);
    throw error;
  }
}
