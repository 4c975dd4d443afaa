import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { type Kind, Reference } from '../../contract/vocabulary/reference.ts';
import type { CheckOptions } from '../heap/check-options.ts';
import { ScopeCheck } from '../heap/check-scope.ts';
import type { Scope } from '../heap/scope.ts';
import { refusePrototypeKeys } from './prototype-keys.ts';

/** Checks the declaration of an object of this kind that belongs to no document, as if it stood in a heap below this scope. */
export function checkSingle(kind: Kind, declaration: JsonObject, parent: Scope, options: CheckOptions): void {
  const name = String(declaration['name']);
  // the heap that it stands in is nobody's
  const within = (path: Path): Path => (path[0] === 'heap' ? path.slice(2) : path);
  const report = (problem: Problem): void => options.report({ ...problem, path: within(problem.path) });
  const unknown = (wanted: Kind, found: string, path: Path): void => options.unknown?.(wanted, found, within(path));
  const check = new ScopeCheck(`${parent.name}.${name}`, parent, { ...options, report, unknown });
  refusePrototypeKeys(declaration, report);
  check.heap([declaration], ['heap']);
  check.resolve(new Reference(kind, name, null), ['type']);
  check.finish();
}
