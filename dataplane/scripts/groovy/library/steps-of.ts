import type { Steps } from '../values/java-class.ts';

/** A value where steps are wanted. */
export function* stepsOf<T>(value: T): Steps<T> {
  yield* [];
  return value;
}
