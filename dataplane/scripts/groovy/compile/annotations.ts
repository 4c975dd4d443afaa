import { ScriptError } from '../syntax/place.ts';
import type { Annotation, ImportNode, ScriptNode } from '../syntax/tree.ts';

const TRANSFORMS = 'groovy.transform';

/** Annotations that need no import. */
const GIVEN: ReadonlySet<string> = new Set(
  (
    'Override Deprecated SuppressWarnings FunctionalInterface SafeVarargs ' +
    'Category Delegate DelegatesTo Lazy Mixin Newify Singleton Grab Grapes GrabConfig GrabExclude GrabResolver Groovydoc'
  ).split(' '),
);

/** Annotations of `groovy.transform`. */
const IMPORTABLE: ReadonlySet<string> = new Set(
  (
    'ASTTest AnnotationCollector AutoClone AutoExternalize AutoFinal AutoImplement BaseScript Canonical CompileDynamic CompileStatic ' +
    'ConditionalInterrupt EqualsAndHashCode ExternalizeMethods ExternalizeVerifier Field Final Generated Immutable ImmutableBase ImmutableOptions ' +
    'IndexedProperty InheritConstructors Internal KnownImmutable MapConstructor Memoized NamedDelegate NamedParam NamedParams NamedVariant NonSealed ' +
    'NullCheck PackageScope PropertyOptions Pure RecordBase RecordOptions RecordType Sealed SealedOptions SelfType Sortable SourceURI Synchronized ' +
    'TailRecursive ThreadInterrupt TimedInterrupt ToString Trait TupleConstructor TypeChecked VisibilityOptions WithReadLock WithWriteLock'
  ).split(' '),
);

/** Gives annotations their simple names; one that the script does not import is an error, as in Groovy. */
export function resolveAnnotations(tree: ScriptNode): void {
  const names = new Map<string, string>([...GIVEN].map((name) => [name, name]));
  for (const node of tree.imports) addImport(names, node);
  for (const annotation of annotationsOf(tree)) {
    const { name, place } = annotation;
    const bare = name.replace(/^(?:groovy\.(?:transform|lang)|java\.lang)\./, '');
    const isFull = bare !== name && (IMPORTABLE.has(bare) || GIVEN.has(bare));
    const resolved = isFull ? bare : names.get(name);
    if (resolved === undefined) throw new ScriptError(`the annotation \`@${name}\` is not available`, place, true);
    (annotation as { name: string }).name = resolved;
  }
}

function addImport(names: Map<string, string>, { name, alias, isStatic, isStar, place }: ImportNode): void {
  if (isStatic) return;
  if (isStar && name === TRANSFORMS) for (const each of IMPORTABLE) names.set(each, each);
  if (isStar || !name.startsWith(`${TRANSFORMS}.`)) return;
  const simple = name.slice(TRANSFORMS.length + 1);
  // They help the static compiler only.
  if (simple.startsWith('stc.')) return;
  if (!IMPORTABLE.has(simple)) throw new ScriptError(`class ${name} is not available`, place, true);
  names.set(alias ?? simple, simple);
}

/** All annotations of a script, wherever they stand. */
function annotationsOf(tree: ScriptNode): Annotation[] {
  const found: Annotation[] = [];
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const each of node) open.push(each);
      continue;
    }
    for (const [key, value] of Object.entries(node)) {
      if (key === 'annotations') found.push(...(value as Annotation[]));
      else open.push(value);
    }
  }
  return found;
}
