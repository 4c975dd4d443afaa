import type { Closure } from '../values/closure.ts';
import { ArrayValue, List } from '../values/collections.ts';
import { type LibraryMethod, OBJECT, type Value } from '../values/java-class.ts';
import type { CalledName, Core, Outcome } from './core.ts';
import { missingMethod } from './failures.ts';
import { convertArguments, selectOverload, takesNull } from './overloads.ts';

/** Calls a closure with as many arguments as it has parameters; a list of them may stand for the arguments. */
export function callClosure(
  core: Core,
  closure: Closure,
  args: readonly Value[],
  failsAs: CalledName = { name: 'doCall' },
): Outcome {
  core.budget.spend(1);
  const { shape } = closure;
  if (shape.hasImplicitIt && args.length === 0) return closure.code(closure, [null]);
  const found = fitted(core, closure, args);
  if (found !== null) return closure.code(closure, found);
  if (args.length === 0 && !shape.isVariadic && takesNull(shape.types)) return closure.code(closure, [null]);
  const only = args.length === 1 ? args[0]! : null;
  if (shape.types.length !== 1 && (only instanceof List || only instanceof ArrayValue)) {
    const spread = fitted(core, closure, only.items);
    if (spread !== null) return closure.code(closure, spread);
  }
  return missingMethod(
    core,
    failsAs.type ?? closure.javaClass,
    closure.javaClass.name === 'groovy.lang.Closure' ? 'call' : failsAs.name,
    args,
  );
}

/** The arguments as the parameters want them, or null if they do not fit. */
function fitted(core: Core, closure: Closure, args: readonly Value[]): readonly Value[] | null {
  const { types, isVariadic, required } = closure.shape;
  if (args.length === types.length && !isVariadic && types.every((type) => type === OBJECT)) return args;
  if (args.length < required || (args.length > types.length && !isVariadic)) return null;
  const isShort = args.length < types.length && !isVariadic;
  const method: LibraryMethod = {
    name: 'doCall',
    parameters: [],
    isVariadic,
    types: isShort ? types.slice(0, args.length) : types,
    code: () => null,
  };
  const selection = selectOverload(core, (each) => each.types!, [method], args);
  return selection === null ? null : convertArguments(method.types!, args, selection.packs);
}
