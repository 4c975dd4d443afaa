import { type Place, ScriptError } from '../syntax/place.ts';
import type { Expression } from '../syntax/tree.ts';
import type { JavaClass } from '../values/java-class.ts';
import { type Emitting, quote } from './emitting.ts';
import { NESTED_ELSEWHERE } from './known-elsewhere.ts';
import { notAvailable } from './type-names.ts';
import type { Scope } from './unit.ts';

const METHODS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'multiply',
  '/': 'div',
  '%': 'mod',
  '**': 'power',
  '<<': 'leftShift',
  '>>': 'rightShift',
  '>>>': 'rightShiftUnsigned',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
};

/** The method that a binary operator calls. */
export function methodOf(operator: string): string | undefined {
  return METHODS[operator];
}

/** The class that a name or a dotted path means, unless a variable hides it. */
export function classOfPath(e: Emitting, node: Expression, scope: Scope): JavaClass | null {
  const path = dottedPath(node);
  if (path === null) return null;
  const [head = ''] = path;
  if (scope.find(head) !== null || scope.context.owner?.fields.has(head) === true) return null;
  const name = path.join('.');
  const found = e.unit.types.find(name);
  if (found !== undefined) return found;
  const outer = path.length > 1 ? e.unit.types.find(path.slice(0, -1).join('.')) : undefined;
  if (outer !== undefined && NESTED_ELSEWHERE.has(`${outer.name}$${path.at(-1)!}`)) notAvailable(name, node.place);
  if (
    path.length > 1 &&
    /^(?:java|javax|groovy|org|com|net|io|jakarta)$/.test(head) &&
    /^[A-Z]/.test(path.at(-1)!) &&
    !path.slice(0, -1).some((part) => /^[A-Z]/.test(part))
  ) {
    notAvailable(name, node.place);
  }
  return null;
}

/** Classes without static properties that a script can name. */
const KNOWN_ABOVE: ReadonlySet<string> = new Set([
  'java.lang.Object',
  'java.lang.Enum',
  'groovy.lang.Script',
  'groovy.lang.GroovyObject',
  'java.lang.Runnable',
]);

/** In a static method a name is a variable, a static member or a class; Groovy has nothing else to look in. */
export function checkStaticName(e: Emitting, name: string, place: Place, scope: Scope): void {
  const { owner, isStatic, isClosure } = scope.context;
  if (owner === null || !isStatic || isClosure) return;
  const suffix = name.charAt(0).toUpperCase() + name.slice(1);
  for (const type of [...outers(e, owner.type)].flatMap((each) => [...each.supertypes])) {
    const node = e.unit.declared.get(type)?.node;
    if (node === undefined && KNOWN_ABOVE.has(type.name)) continue;
    if (node === undefined) {
      if (type !== owner.type) return;
      continue;
    }
    const isField = node.fields.some(
      (field) => field.name === name && (field.modifiers.words.has('static') || node.form === 'interface'),
    );
    if (isField || node.constants.some((each) => each.name === name)) return;
    if (node.methods.some((method) => [`get${suffix}`, `is${suffix}`].includes(method.name))) return;
  }
  // A static variable with `@Field` would be one.
  const isField = owner.isScript && owner.fields.has(name);
  throw new ScriptError(
    `'${name}' is no variable, static member or class, and the code around it is static`,
    place,
    isField,
  );
}

/** A class and the classes around it, the nearest first. */
export function* outers(e: Emitting, type: JavaClass): Generator<JavaClass> {
  for (let at: JavaClass | null = type; at !== null; at = e.unit.declared.get(at)?.outer ?? null) yield at;
}

/** The class around this one that has a static field of the name. */
export function staticFieldAround(e: Emitting, type: JavaClass, name: string): JavaClass | null {
  for (const outer of outers(e, type)) {
    const node = outer === type ? undefined : e.unit.declared.get(outer)?.node;
    if (node?.fields.some((field) => field.name === name && field.modifiers.words.has('static')) === true) return outer;
  }
  return null;
}

/** The class around this one that has a static method of the name, unless this one has a method of its own. */
export function staticMethodAround(e: Emitting, type: JavaClass, name: string): JavaClass | null {
  for (const outer of outers(e, type)) {
    const found = e.unit.declared.get(outer)?.node.methods.filter((method) => method.name === name) ?? [];
    if (found.length > 0)
      return outer !== type && found.some(({ modifiers }) => modifiers.words.has('static')) ? outer : null;
  }
  return null;
}

/** No class has a longer name; longer paths are never one. */
const LONGEST_PATH = 16;

function dottedPath(node: Expression, left = LONGEST_PATH): string[] | null {
  if (node.kind === 'name') return [node.name];
  if (left === 0 || node.kind !== 'property' || node.navigation !== 'plain' || node.isField) return null;
  if (node.name.kind !== 'literal' || typeof node.name.value !== 'string') return null;
  const head = dottedPath(node.of, left - 1);
  return head === null ? null : [...head, node.name.value];
}

/** Code for the name of a property or method: known, or computed. */
export function memberName(e: Emitting, name: Expression, scope: Scope): string {
  if (name.kind === 'literal' && typeof name.value === 'string') return quote(name.value);
  return `rt.text(${e.value(name, scope)})`;
}
