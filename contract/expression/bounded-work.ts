import { beginWork, endWork, spend, WorkExceeded } from '../work-budget.ts';
import type { Evaluate } from './part.ts';
import { EvaluationError, isList, type Value } from './value.ts';

/** The same function, which fails where it would take more work than one evaluation may. */
export function bounded(run: Evaluate): Evaluate {
  return (subject, answer) => {
    const outer = beginWork();
    try {
      return run(subject, answer);
    } catch (error) {
      throw error instanceof WorkExceeded ? new EvaluationError(error.message) : error;
    } finally {
      endWork(outer);
    }
  };
}

/** Counts as much work as a value is long. */
export function spendOn(value: Value, each = 1): void {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) spend(value.length * each);
}
