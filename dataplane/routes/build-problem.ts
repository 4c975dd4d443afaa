import type { Problem } from '../../contract/problem.ts';
import { errorText } from '../../platform/error-text.ts';
import type { BuildFailure } from '../heap/heap.ts';

/** Problem of an object that could not be built. */
export function buildProblem({ object, cause }: BuildFailure): Problem {
  return { code: 'build', severity: 'error', path: object.path, message: errorText(cause) };
}
