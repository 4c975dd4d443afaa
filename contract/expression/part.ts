import { WorkExceeded } from '../work-budget.ts';
import type { Shape } from './language.ts';
import { kindOfValue, type StaticKind } from './static-kind.ts';
import { Double, EvaluationError, type Value } from './value.ts';

/** Longer texts are made anew for each exchange, so that compiling takes a time that the length of the source bounds. */
const MOST_FOLDED = 8192;

/** An expression, or a part of one, as a function of what it is evaluated for. */
export type Evaluate = (subject: unknown, answer: unknown) => Value;

/** A compiled part of an expression. */
export interface Part {
  readonly run: Evaluate;
  /** Its value is the same for everything it is evaluated for. */
  readonly constant: boolean;
  /** The value, where it is constant. */
  readonly value?: Value;
  /** It cannot be evaluated, whatever for. */
  readonly fails?: true;
  /** What the value always is when it is not null, where that is known. */
  readonly shape: Shape | null;
  /** What kind of value it always is when it is not null, where that is known. */
  readonly kind: StaticKind | null;
  /** What its items always are, where it is a list and that is known. */
  readonly items?: Shape | undefined;
}

/** A part whose value is known. */
export function known(value: Value): Part {
  return { run: () => value, constant: true, value, shape: null, kind: kindOfValue(value) };
}

/**
 * The part that computes from other parts. Where those are constant it is computed once and for all, except for lists
 * and maps, which somebody could change. A failure is met by every exchange that comes to it, but is found out once.
 */
export function made(
  run: Evaluate,
  from: readonly Part[],
  shape: Shape | null = null,
  kind: StaticKind | null = shape === null ? null : 'object',
): Part {
  if (from.every((part) => part.constant || part.fails === true)) {
    try {
      const value = run(null, null);
      if (isFoldable(value)) return known(value);
    } catch (error) {
      if (error instanceof EvaluationError) return failing(error);
      if (!(error instanceof WorkExceeded)) throw error; // what takes too long now is left to those who ask for it
    }
  }
  return { run, constant: false, shape, kind };
}

function isFoldable(value: Value): boolean {
  if (typeof value === 'string') return value.length <= MOST_FOLDED;
  return typeof value !== 'object' || value === null || value instanceof Double;
}

function failing({ message, exception }: EvaluationError): Part {
  function fail(): never {
    throw new EvaluationError(message, exception);
  }
  return { run: fail, constant: false, fails: true, shape: null, kind: null };
}
