import type { ClassTable } from '../runtime/class-table.ts';
import type { Place } from '../syntax/place.ts';
import type { Expression, ScriptNode } from '../syntax/tree.ts';
import { MAP } from '../values/core-classes.ts';
import { CLASS, type JavaClass, type LibraryMethod } from '../values/java-class.ts';
import type { Emitting } from './emitting.ts';
import { knownType } from './known-types.ts';
import { type Scope, type Unit, unsupported } from './unit.ts';

/** Objects that other scripts put values into: a closure there can have any name. */
const SHARED: ReadonlySet<string> = new Set(['globals', 'attributes', 'session', 'binding']);

/** Words of a script that adds methods to classes. */
const ADDING: readonly string[] = ['metaClass', 'getMetaClass', 'mixin'];

/** With one of these in a script, an object of its own can answer any call. */
const OPEN: readonly string[] = ['methodMissing', '$static_methodMissing', 'invokeMethod'];

type Table = 'methods' | 'statics';

/** Names of methods that some class has, and those that Groovy has and no class here. */
interface MethodNames {
  readonly present: ReadonlySet<string>;
  readonly absent: ReadonlySet<string>;
}

const namesOf = new WeakMap<ClassTable, MethodNames>();

function methodNames(classes: ClassTable): MethodNames {
  const known = namesOf.get(classes);
  if (known !== undefined) return known;
  const present = new Set<string>();
  const absent = new Set<string>();
  for (const type of classes.all()) {
    for (const table of [type.methods, type.statics])
      for (const [name, methods] of table) (methods.every(isAbsent) ? absent : present).add(name);
  }
  const made = { present, absent };
  namesOf.set(classes, made);
  return made;
}

function isAbsent({ code }: LibraryMethod): boolean {
  return 'isAbsent' in code;
}

function isAbsentIn(type: JavaClass, name: string, table: Table): boolean {
  const found = [...type.supertypes].flatMap((each) => each[table].get(name) ?? []);
  return found.length > 0 && found.every(isAbsent);
}

/** A variable of this class can hold an object of a class below it, which may have the method. */
function isPresentBelow(classes: ClassTable, type: JavaClass, name: string): boolean {
  for (const each of classes.all())
    if (each !== type && each.supertypes.has(type) && each.methods.get(name)?.every(isAbsent) === false) return true;
  return false;
}

/** Notes `Type.name(…)` of a method that is not available. */
export function checkStaticCall(e: Emitting, type: JavaClass, name: Expression, place: Place): void {
  if (name.kind !== 'literal') return;
  const word = String(name.value);
  const isOwn = e.unit.declared.get(type)?.node.methods.some((method) => method.name === word) ?? false;
  if (word === 'mixin' && !isOwn) unsupported('`mixin` is not supported', place);
  if (type.declared !== null) return;
  if (isAbsentIn(type, word, 'statics') && !CLASS.methods.has(word))
    e.unit.suspects.push({ word, method: word, type, place });
}

/** Notes `comparator.thenComparing { … }`: Groovy cannot choose between its overloads, and its message names a class of the JVM. */
export function checkClosureArgument(e: Emitting, { name, args, place }: Expression & { kind: 'call' }): void {
  const isCase = name.kind === 'literal' && name.value === 'thenComparing' && args.named.length === 0;
  if (isCase && args.positional.length === 1 && args.positional[0]!.kind === 'closure')
    e.unit.suspects.push({ word: 'thenComparing', method: 'thenComparing(Closure)', type: null, place });
}

/** Notes `object.name(…)` of a method that no object of the class has here; of an unknown class, that no object has. */
export function checkCall(e: Emitting, of: Expression, name: Expression, place: Place, scope: Scope): void {
  if (name.kind !== 'literal') return;
  const { classes } = e.unit.types;
  const word = String(name.value);
  const { present, absent } = methodNames(classes);
  if (!absent.has(word)) return;
  const type = knownType(e, of, scope);
  const isMissing =
    type === null
      ? !present.has(word) && !isShared(of)
      : isAbsentIn(type, word, 'methods') && !isPresentBelow(classes, type, word);
  if (isMissing) e.unit.suspects.push({ word, method: word, type, place });
}

/** Notes `object.name` where only a method that is not available could read it. */
export function checkRead(e: Emitting, of: Expression, name: Expression, place: Place, scope: Scope): void {
  if (name.kind !== 'literal') return;
  const word = String(name.value);
  const { classes } = e.unit.types;
  const { absent } = methodNames(classes);
  const getters = ['get', 'is']
    .map((prefix) => prefix + word.charAt(0).toUpperCase() + word.slice(1))
    .filter((each) => absent.has(each));
  const type = getters.length === 0 ? null : knownType(e, of, scope);
  if (type === null || type.supertypes.has(MAP)) return;
  for (const method of getters)
    if (isAbsentIn(type, method, 'methods') && !isPresentBelow(classes, type, method))
      e.unit.suspects.push({ word, method, type, place });
}

function isShared(of: Expression): boolean {
  let at: Expression | null = of;
  while (at !== null && (at.kind === 'property' || at.kind === 'index' || at.kind === 'call')) at = at.of;
  return at?.kind === 'name' && SHARED.has(at.name);
}

/** Refuses the calls that were noted, unless the script may have something of that name itself. */
export function refuseSuspects(unit: Unit, tree: ScriptNode): void {
  if (unit.suspects.length === 0) return;
  const words = wordsOf(tree);
  if (ADDING.some((word) => words.has(word))) return;
  const isOpen = OPEN.some((word) => words.has(word)) || namesOpenClass(unit.types.classes, words);
  for (const [word, suspects] of Map.groupBy(unit.suspects, (each) => each.word)) {
    const { method, type, place } = suspects[0]!;
    const places = new Set(suspects.map((each) => `${each.place.line}:${each.place.column}`));
    const property = method.replace(/^(?:get|set|is)(?=[A-Z])/, '');
    const isOwn =
      words.get(word)! > places.size ||
      (property !== method && word === method && words.has(property.charAt(0).toLowerCase() + property.slice(1)));
    if (isOwn || (type === null && isOpen)) continue;
    unsupported(`the method ${method}${type === null ? '' : ` of ${type.name}`} is not available`, place);
  }
}

/** Names that the script reads as variables and mentions nowhere else, with the first place of each: nothing in it gives them a value. */
export function openNames(unit: Unit, tree: ScriptNode): ReadonlyMap<string, Place> {
  const words = unit.unknown.length === 0 ? new Map<string, number>() : wordsOf(tree);
  const open = new Map<string, Place>();
  for (const [name, reads] of Map.groupBy(unit.unknown, (each) => each.name)) {
    const getter = `get${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const places = new Set(reads.map(({ place }) => `${place.line}:${place.column}`));
    const sure = reads.find(({ isSure }) => isSure);
    const isOnlyRead = words.get(name)! <= places.size && !words.has(getter) && !words.has('propertyMissing');
    if (sure !== undefined && isOnlyRead) open.set(name, sure.place);
  }
  return open;
}

/** Builders of the library answer any call. */
function namesOpenClass(classes: ClassTable, words: ReadonlyMap<string, number>): boolean {
  for (const { name, simpleName, methods } of classes.all())
    if (methods.has('$missing') && (words.has(simpleName) || words.has(name))) return true;
  return false;
}

/** Names of variables that an assignment or `++` changes, anywhere in the script. */
export function assignedNames(tree: ScriptNode): ReadonlySet<string> {
  const names = new Set<string>();
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop() as Expression | readonly unknown[] | null;
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const each of node) open.push(each);
      continue;
    }
    const { kind } = node as Expression;
    const targets =
      kind === 'assign'
        ? [(node as Expression & { kind: 'assign' }).target]
        : kind === 'assign-many'
          ? (node as Expression & { kind: 'assign-many' }).targets
          : kind === 'step'
            ? [(node as Expression & { kind: 'step' }).of]
            : [];
    for (const target of targets) if (target.kind === 'name') names.add(target.name);
    for (const value of Object.values(node)) open.push(value);
  }
  return names;
}

/** Members of nodes that are words of the grammar, not of the script. */
const GRAMMAR: ReadonlySet<string> = new Set(['kind', 'operator', 'navigation', 'form', 'source', 'shown', 'words']);

/** Every name and text of a script, with how often it stands there. */
function wordsOf(tree: ScriptNode): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === 'string') words.set(node, (words.get(node) ?? 0) + 1);
    else if (node instanceof Map) open.push(...node.values());
    else if (Array.isArray(node)) for (const each of node) open.push(each);
    else if (typeof node === 'object' && node !== null)
      for (const [key, value] of Object.entries(node)) if (!GRAMMAR.has(key)) open.push(value);
  }
  return words;
}
