import type { Problem } from '../../../contract/problem.ts';

/** Problem of a resource whose validation threw. It is a fault of the gateway and must not affect other resources. */
export function unjudgeable(error: unknown): Problem {
  const why = error instanceof Error ? error.name : 'it failed';
  return { code: 'value', severity: 'error', path: [], message: `cannot be validated (${why})` };
}
