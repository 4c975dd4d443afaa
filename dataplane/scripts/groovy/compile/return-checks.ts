import { ScriptError } from '../syntax/place.ts';
import type { ClassNode, MethodNode } from '../syntax/tree.ts';
import { PRIMITIVES } from '../values/core-classes.ts';
import { type JavaClass, OBJECT } from '../values/java-class.ts';
import { signatureOf } from './class-checks.ts';
import type { Unit } from './unit.ts';

const PROMISE = 'org.forgerock.util.promise.Promise';

/** Types that methods of the library return, by class, name and number of parameters, where they are not any object. */
const RETURNS: Readonly<Record<string, string>> = {
  'java.lang.Object#toString/0': 'java.lang.String',
  'java.lang.Object#equals/1': 'boolean',
  'java.lang.Object#hashCode/0': 'int',
  'java.lang.Runnable#run/0': 'void',
  'java.lang.Comparable#compareTo/1': 'int',
  'java.lang.Iterable#iterator/0': 'java.util.Iterator',
  'java.lang.AutoCloseable#close/0': 'void',
  'java.lang.Throwable#getMessage/0': 'java.lang.String',
  'java.io.Closeable#close/0': 'void',
  'java.util.Comparator#compare/2': 'int',
  'java.util.Iterator#hasNext/0': 'boolean',
  'java.util.function.Predicate#test/1': 'boolean',
  'java.util.function.BiPredicate#test/2': 'boolean',
  'java.util.function.Consumer#accept/1': 'void',
  'java.util.function.BiConsumer#accept/2': 'void',
  'org.forgerock.util.AsyncFunction#apply/1': PROMISE,
  'org.forgerock.http.Handler#handle/2': PROMISE,
  'org.forgerock.http.Filter#filter/3': PROMISE,
};

/** A method that overrides another returns the same type, or one below it. `def` is any object. */
export function checkReturns(unit: Unit, node: ClassNode, type: JavaClass): void {
  for (const method of node.methods) {
    if (isApart(method)) continue;
    const own = unit.declaredType(method.returns) ?? OBJECT;
    for (const above of type.supertypes) {
      const wanted = above === type ? null : returnsIn(unit, above, method);
      if (wanted !== null && !isBelow(own, wanted))
        throw new ScriptError(
          `the method '${method.name}' must return ${wanted.name}, as in ${above.name}`,
          method.place,
        );
    }
  }
}

function isApart({ modifiers: { words } }: MethodNode): boolean {
  return words.has('static') || words.has('private');
}

/** The type that the overridden method of a class returns; null if there is none. */
function returnsIn(unit: Unit, above: JavaClass, method: MethodNode): JavaClass | null {
  const declared = unit.declared.get(above)?.node;
  const { name, parameters } = method;
  if (declared === undefined) {
    const isOther = name === 'equals' && (parameters[0]?.type?.name ?? 'Object') !== 'Object';
    const found = isOther ? undefined : RETURNS[`${above.name}#${name}/${parameters.length}`];
    return found === undefined ? null : unit.types.classes.named(found);
  }
  if (declared.form === 'trait') return null;
  const signature = signatureOf(parameters);
  const same = declared.methods.find(
    (each) => each.name === name && !isApart(each) && signatureOf(each.parameters) === signature,
  );
  return same === undefined ? null : (unit.declaredType(same.returns) ?? OBJECT);
}

function isBelow(own: JavaClass, wanted: JavaClass): boolean {
  if (own === wanted) return true;
  return !isPlain(own) && !isPlain(wanted) && wanted.isAssignableFrom(own);
}

function isPlain(type: JavaClass): boolean {
  return Object.hasOwn(PRIMITIVES, type.name);
}
