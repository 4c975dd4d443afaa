import type { SyntaxNode } from './syntax.ts';
import { beanProperty } from './value-methods.ts';

/** A path that an expression reads: its names from the root on, up to the first one that only a run can tell. */
export type TouchedPath = readonly string[];

/** The paths that an expression reads, as far as its text tells. */
export function touchedPaths(node: SyntaxNode): readonly TouchedPath[] {
  const found: TouchedPath[] = [];
  visit(node, found);
  return found;
}

/** Whether one of the paths leads to `path`, into it, or to something that holds it. */
export function touchesPath(touched: readonly TouchedPath[], path: string): boolean {
  const wanted = path.split('.');
  return touched.some((names) => names.every((name, at) => at >= wanted.length || name === wanted[at]));
}

function visit(node: SyntaxNode, found: TouchedPath[]): void {
  switch (node.kind) {
    case 'literal':
      return;
    case 'root':
    case 'access':
    case 'method':
      visitChain(node, found);
      return;
    case 'call':
      for (const given of node.given) visit(given, found);
      return;
    case 'unary':
      visit(node.operand, found);
      return;
    case 'binary':
      visit(node.left, found);
      visit(node.right, found);
      return;
    case 'choice':
      visit(node.condition, found);
      visit(node.yes, found);
      visit(node.no, found);
      return;
    case 'joined':
      for (const part of node.parts) visit(part, found);
  }
}

/** Walks from the last name of a chain to its first; every name that only a run can tell starts the known part anew. */
function visitChain(node: SyntaxNode, found: TouchedPath[]): void {
  let names: string[] = [];
  let at = node;
  while (at.kind === 'access' || at.kind === 'method') {
    const key = at.kind === 'access' ? at.key : at.name;
    const given = at.kind === 'method' ? at.given : [];
    for (const one of given) visit(one, found);
    if (key.kind !== 'literal') visit(key, found);
    const name = key.kind === 'literal' ? nameOf(key.value, at.kind === 'method' && given.length === 0) : null;
    names = name === null || (at.kind === 'method' && given.length > 0) ? [] : [name, ...names];
    at = at.base;
  }
  if (at.kind === 'root') found.push([at.name, ...names]);
  else visit(at, found);
}

function nameOf(key: unknown, isGetter: boolean): string | null {
  if (typeof key !== 'string') return key === null ? null : String(key);
  return isGetter ? beanProperty(key) : key;
}
