import type { Expression } from '../syntax/tree.ts';
import type { Emitting } from './emitting.ts';
import { primitiveNumber } from './known-types.ts';
import type { Origin, Scope } from './unit.ts';

/** Expressions that make an object each time. */
const MAKING: ReadonlySet<Expression['kind']> = new Set(['new', 'new-array', 'list', 'map', 'gstring', 'closure']);

/** Returns the source of the object of an expression, as far as it can be told. */
export function originOf(node: Expression, scope: Scope): Origin {
  if (node.kind === 'literal' && typeof node.value === 'string') return { kind: 'text', text: node.value };
  if (isOwnText(node)) {
    const of = originOf(node.of, scope);
    if (of.kind === 'text') return of;
  }
  if (node.kind === 'name') return scope.find(node.name)?.origin ?? { kind: 'unknown' };
  if (MAKING.has(node.kind)) return { kind: 'made' };
  if (node.kind === 'binary' && node.operator === '+') return { kind: 'sum' };
  return primitiveNumber(node, scope) === null ? { kind: 'unknown' } : { kind: 'number', of: {} };
}

type OwnText = Expression & { kind: 'call'; of: Expression };

/** A call that gives the text of the script itself. */
function isOwnText(node: Expression): node is OwnText {
  if (node.kind !== 'call' || node.of === null || node.name.kind !== 'literal') return false;
  const isPlain = node.args.positional.length === 0 && node.args.named.length === 0;
  return isPlain && (node.name.value === 'toString' || node.name.value === 'intern');
}

/** The identity of two objects if it can be told before the script runs. Texts and numbers are no objects here, so that equal ones cannot be told apart later. */
function knownIdentity(left: Origin, right: Origin): boolean | null {
  if (left.kind === 'made' || right.kind === 'made') return false;
  if (left.kind === 'text' && right.kind === 'text') return left.text === right.text;
  const isVariable = left.kind === 'variable' || left.kind === 'number';
  return isVariable && right.kind === left.kind && right.of === left.of ? true : null;
}

/** Code for `left === right`. */
export function identityCode(e: Emitting, left: Expression, right: Expression, scope: Scope, leftCode: string): string {
  const rightCode = e.value(right, scope);
  if (primitiveNumber(left, scope) !== null && primitiveNumber(right, scope) !== null)
    return `rt.equals(${leftCode},${rightCode})`;
  const [a, b] = [originOf(left, scope), originOf(right, scope)];
  const known = knownIdentity(a, b);
  if (known !== null) return `(${leftCode},${rightCode},${known})`;
  return `H.same(rt,${leftCode},${rightCode},${areDistinct(a, b)})`;
}

/** Equal numbers of two places, and a text that was just made, are objects of their own unless Java keeps them in a cache. */
function areDistinct(left: Origin, right: Origin): boolean {
  return left.kind === 'sum' || right.kind === 'sum' || (left.kind === 'number' && right.kind === 'number');
}

/** Code for `left.is(right)`; null if only the object can tell. */
export function identityCallCode(e: Emitting, left: Expression, right: Expression, scope: Scope): string | null {
  const [a, b] = [originOf(left, scope), originOf(right, scope)];
  const known = left.kind === 'literal' || a.kind !== 'unknown' ? knownIdentity(a, b) : null;
  if (known !== null && left.kind !== 'new') return `(${e.value(left, scope)},${e.value(right, scope)},${known})`;
  return areDistinct(a, b) ? `H.same(rt,${e.value(left, scope)},${e.value(right, scope)},true)` : null;
}
