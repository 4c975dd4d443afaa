import { JavaClass, type LibraryMethod, type Runtime, type Value } from '../values/java-class.ts';
import { type Selection, selectOverload } from './overloads.ts';
import { TypedArgument } from './typed-argument.ts';

type TypesOf = (method: LibraryMethod) => readonly JavaClass[];

/** Selections by the classes of the arguments. Classes of scripts must not be kept alive. */
interface Choices {
  none: Selection | null | undefined;
  readonly one: WeakMap<JavaClass, Selection | null>;
  readonly two: WeakMap<JavaClass, WeakMap<JavaClass, Selection | null>>;
}

const choicesOf = new WeakMap<readonly LibraryMethod[], Choices>();

/** Stands for the class of null. */
const NULL = new JavaClass('null');

/** Overloads that stay the same, so that what was chosen for arguments of some classes can be remembered. */
export function withChoices(overloads: readonly LibraryMethod[]): readonly LibraryMethod[] {
  choicesOf.set(overloads, { none: undefined, one: new WeakMap(), two: new WeakMap() });
  return overloads;
}

/** The overload that fits the arguments best, or null. The choice depends on nothing but their classes. */
export function chosenOverload(
  rt: Runtime,
  typesOf: TypesOf,
  overloads: readonly LibraryMethod[],
  args: readonly Value[],
  self: Value,
): Selection | null {
  const choices = args.length > 2 ? undefined : choicesOf.get(overloads);
  if (choices === undefined) return selectOverload(rt, typesOf, overloads, args, self);
  const [first, second] = args;
  if (first === undefined) {
    if (choices.none === undefined) choices.none = selectOverload(rt, typesOf, overloads, args, self);
    return choices.none;
  }
  // An argument with a cast has the class of the cast, and is still not an object of it.
  if (first instanceof TypedArgument || second instanceof TypedArgument)
    return selectOverload(rt, typesOf, overloads, args, self);
  const key = first === null ? NULL : rt.classOf(first);
  let known = choices.one;
  let last = key;
  if (second !== undefined) {
    const inner = choices.two.get(key) ?? new WeakMap<JavaClass, Selection | null>();
    choices.two.set(key, inner);
    known = inner;
    last = second === null ? NULL : rt.classOf(second);
  }
  const found = known.get(last);
  if (found !== undefined) return found;
  const made = selectOverload(rt, typesOf, overloads, args, self);
  known.set(last, made);
  return made;
}
