import type { SyntaxNode } from '../../contract/expression/syntax.ts';
import type { Problem } from '../../contract/problem.ts';
import { referencesIn } from '../heap/config-walk.ts';
import type { CheckedObject } from '../heap/scope.ts';
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

/**
 * Warns of objects that answer requests to a path of their own, such as that of a callback, where the condition of their
 * route keeps these requests away.
 * @param handler the handler of the route
 */
export function unreachedPaths(condition: SyntaxNode, handler: CheckedObject): Problem[] {
  const clauses = clausesOf(condition);
  const problems: Problem[] = [];
  const seen = new Set<CheckedObject>();
  enter(handler);
  return problems;

  function enter(object: CheckedObject): void {
    if (seen.has(object) || object.config === undefined) return;
    seen.add(object);
    const own = object.scope === handler.scope ? (object.definition.ownPath?.(object.config) ?? null) : null;
    if (
      own !== null &&
      clauses.length > 0 &&
      clauses.every((facts) => facts.some((fact) => isExcluded(fact, own.path)))
    ) {
      const message = `the condition of the route excludes '${own.path}': ${own.consequence}`;
      const below = own.path.slice(0, own.path.lastIndexOf('/'));
      const test = below === '' ? `request.uri.path == '${own.path}'` : `find(request.uri.path, '^${below}/')`;
      const hint = `add "or ${test}" to the condition, or choose a path that it includes`;
      problems.push({
        code: 'no-effect',
        severity: 'warning',
        path: [...object.path, 'config', own.field],
        message,
        hint,
      });
    }
    for (const { value } of referencesIn(object.config, [])) {
      const target = object.targets.get(value);
      if (target !== undefined) enter(target);
    }
  }
}

function isExcluded({ of, text, prefix }: Fact, path: string): boolean {
  return of === 'path' && !(prefix ? path.startsWith(text) : path === text);
}
