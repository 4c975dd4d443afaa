import { FORBIDDEN } from '../../contract/expression/access.ts';
import type { CallNode, MethodNode, SyntaxNode } from '../../contract/expression/syntax.ts';
import { compilePattern, type Pattern } from '../../contract/pattern/pattern.ts';
import { ValueProblem } from '../../contract/problem.ts';

/**
 * Something that a request must have for a condition to be true: a value, or a value that begins so. `exact` says that
 * having it is all there is to it.
 */
export interface Fact {
  readonly of: 'path' | 'host' | 'method' | 'header';
  /** The header, in lower case; empty for the others. */
  readonly header: string;
  readonly text: string;
  readonly prefix: boolean;
  readonly exact: boolean;
  /** The same for facts that say the same. */
  readonly key: string;
}

/** Facts that must all hold. A clause without facts says nothing. */
export type Clause = readonly Fact[];

/** More alternatives than this are not worth an index. */
const MOST_CLAUSES = 16;

const ANYTHING: readonly Clause[] = [[]];

/**
 * What a condition takes for granted: where none of the clauses holds, it is not true. The opposite need not be so, and
 * whatever is not understood here says nothing.
 */
export function clausesOf(node: SyntaxNode): readonly Clause[] {
  // a text counts as what it says where it is part of a condition
  if (node.kind === 'literal') return node.value === null || node.value === false ? [] : ANYTHING;
  if (node.kind === 'binary' && node.operator === 'or') {
    const either = [...clausesOf(node.left), ...clausesOf(node.right)];
    return either.length > MOST_CLAUSES ? ANYTHING : either.map(inexact);
  }
  if (node.kind === 'binary' && node.operator === 'and') {
    const left = clausesOf(node.left);
    const right = clausesOf(node.right);
    if (left.length * right.length > MOST_CLAUSES)
      return left.length < right.length ? left.map(inexact) : right.map(inexact);
    return left.flatMap((one) => right.map((other) => inexact([...one, ...other])));
  }
  const only = factOf(node);
  return only === null ? ANYTHING : [[only]];
}

/** A fact that is one of several does not decide alone. */
function inexact(clause: Clause): Clause {
  return clause.map((fact) => ({ ...fact, exact: false }));
}

function factOf(node: SyntaxNode): Fact | null {
  if (node.kind === 'binary' && node.operator === '==') {
    const value = textOf(node.right) ?? textOf(node.left);
    const subject = subjectOf(textOf(node.right) === null ? node.right : node.left);
    if (value === null || subject === null) return null;
    return fact(subject, value, false, true);
  }
  if (node.kind === 'call') return patternFact(node);
  return node.kind === 'method' ? prefixFact(node) : null;
}

function patternFact({ name, given }: CallNode): Fact | null {
  const [searched, expression] = given;
  if (searched === undefined || expression === undefined) return null;
  const subject = subjectOf(searched);
  const source = textOf(expression);
  if (subject === null || source === null) return null;
  const whole = name === 'matchesWithRegex';
  if (!whole && name !== 'find' && name !== 'matches') return null;
  const pattern = readable(whole ? `^(?:${source})` : source);
  if (pattern === null) return null;
  if (pattern.exactText !== null && !whole) return fact(subject, pattern.exactText, false, true);
  if (pattern.literalPrefix === null || pattern.literalPrefix === '') return null;
  return fact(subject, pattern.literalPrefix, true, pattern.exactPrefix && !whole);
}

/** Null for what is no pattern any more once something stands around it, such as one that ends in a comment. */
function readable(source: string): Pattern | null {
  try {
    return compilePattern(source, 'bounded');
  } catch (error) {
    if (error instanceof ValueProblem) return null;
    throw error;
  }
}

function prefixFact({ base, name, given }: MethodNode): Fact | null {
  const called = textOf(name);
  const [argument] = given;
  if (argument === undefined || given.length !== 1) return null;
  const subject = subjectOf(base);
  const text = textOf(argument);
  if (subject === null || text === null || text === '') return null;
  if (called === 'startsWith') return fact(subject, text, true, true);
  return called === 'equals' ? fact(subject, text, false, true) : null;
}

function fact({ of, header }: Subject, text: string, prefix: boolean, exact: boolean): Fact {
  return { of, header, text, prefix, exact, key: `${of} ${header} ${prefix} ${text}` };
}

type Subject = Pick<Fact, 'of' | 'header'>;

/** What of the request a node reads, if it is something that can be looked up. */
function subjectOf(node: SyntaxNode): Subject | null {
  const path = accessPath(node);
  if (path === null || path[0] !== 'request') return null;
  if (path.length === 2 && path[1] === 'method') return { of: 'method', header: '' };
  if (path.length === 3 && path[1] === 'uri') {
    if (path[2] === 'path') return { of: 'path', header: '' };
    if (path[2] === 'host') return { of: 'host', header: '' };
  }
  if (path.length === 4 && path[1] === 'headers' && path[3] === '0')
    return { of: 'header', header: path[2]!.toLowerCase() };
  return null;
}

function accessPath(node: SyntaxNode): string[] | null {
  if (node.kind === 'root') return [node.name];
  if (node.kind !== 'access' || node.key.kind !== 'literal') return null;
  const { value } = node.key;
  const base = accessPath(node.base);
  if (base === null || (typeof value !== 'string' && typeof value !== 'bigint')) return null;
  return FORBIDDEN.has(String(value)) ? null : [...base, String(value)];
}

function textOf(node: SyntaxNode): string | null {
  return node.kind === 'literal' && typeof node.value === 'string' ? node.value : null;
}
