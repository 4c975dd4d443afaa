import type { Problem } from '../../../contract/problem.ts';

/** What is said of a resource whose judgement failed: that is a fault of the gateway, and must not cost other resources theirs. */
export function unjudgeable(error: unknown): Problem {
  const why = error instanceof Error ? error.name : 'it failed';
  return { code: 'value', severity: 'error', path: [], message: `cannot be validated (${why})` };
}
