import type { Problem } from '../../contract/problem.ts';
import type { SharedObjects } from '../../contract/snapshot.ts';
import { Reference } from '../../contract/vocabulary/reference.ts';
import type { CheckOptions } from '../heap/check-options.ts';
import { ScopeCheck } from '../heap/check-scope.ts';
import type { CheckedObject, Scope } from '../heap/scope.ts';

/** Result of a check of shared objects: the object that routes refer to, unless there are errors. */
export interface CheckedShared {
  readonly scope: Scope;
  readonly object: CheckedObject | null;
  readonly problems: readonly Problem[];
}

/** Checks shared objects as if they stood in a heap below this scope. */
export function checkShared({ key, objects }: SharedObjects, parent: Scope, options: CheckOptions): CheckedShared {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const check = new ScopeCheck(`${parent.name}.${key}`, parent, { ...options, report });
  check.heap([...objects], ['objects']);
  const object = check.resolve(new Reference('any', String(objects[0]?.['name']), null), ['objects', 0]);
  check.finish();
  const isSound = !problems.some(({ severity }) => severity === 'error');
  return { scope: check.scope, object: isSound ? object : null, problems };
}
