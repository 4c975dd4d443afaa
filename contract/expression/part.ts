import type { Shape } from './language.ts';
import { Double, EvaluationError, type Value } from './value.ts';

/** An expression, or a part of one, as a function of what it is evaluated for. */
export type Evaluate = (subject: unknown, answer: unknown) => Value;

/** A compiled part of an expression. */
export interface Part {
  readonly run: Evaluate;
  /** Its value is the same for everything it is evaluated for. */
  readonly constant: boolean;
  /** The value, where it is constant. */
  readonly value?: Value;
  /** What the value always is when it is not null, where that is known. */
  readonly shape: Shape | null;
}

/**
 * The part that computes from other parts. Where those are constant it is computed once and for all, except for lists
 * and maps, which somebody could change, and for failures, which belong to the exchange that meets them.
 */
export function made(run: Evaluate, from: readonly Part[], shape: Shape | null = null): Part {
  if (from.every((part) => part.constant)) {
    try {
      const value = run(null, null);
      if (typeof value !== 'object' || value === null || value instanceof Double) {
        return { run: () => value, constant: true, value, shape: null };
      }
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
    }
  }
  return { run, constant: false, shape };
}
