import type { SyntaxNode } from '../../contract/expression/syntax.ts';
import { clausesOf, type Fact } from './condition-clauses.ts';

/**
 * Whether a condition only holds for the administrative path or for paths that begin with it.
 * @param prefix the path without slashes around it, such as `openig`
 */
export function testsAdministration(condition: SyntaxNode, prefix: string): boolean {
  const clauses = clausesOf(condition);
  return clauses.length > 0 && clauses.every((facts) => facts.some((fact) => isAdministrative(fact, `/${prefix}`)));
}

function isAdministrative({ of, text }: Fact, root: string): boolean {
  return of === 'path' && (text === root || text.startsWith(`${root}/`));
}
