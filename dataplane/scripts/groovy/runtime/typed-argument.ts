import type { JavaClass, Obj, Value } from '../values/java-class.ts';

/** An argument with a cast: the overload is chosen by the type of the cast, not by the class of the value. */
export class TypedArgument implements Obj {
  readonly javaClass: JavaClass;
  readonly value: Value;

  constructor(value: Value, javaClass: JavaClass) {
    this.value = value;
    this.javaClass = javaClass;
  }
}

export function bareArgument(arg: Value): Value {
  return arg instanceof TypedArgument ? arg.value : arg;
}
