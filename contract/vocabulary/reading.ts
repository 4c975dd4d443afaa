import type { Language } from '../expression/language.ts';
import type { PatternPolicy } from '../pattern/pattern.ts';
import type { Reach } from '../reach.ts';

/** Context for reading the values of one document. */
export interface Reading {
  readonly reach: Reach;
  /** What expressions may name that are evaluated once, here and now. */
  readonly configuration: Language;
  /** What expressions may name that are evaluated for each request. */
  readonly runtime: Language;
  readonly patterns: PatternPolicy;
  /** Hears of runtime expressions that gave no value because they failed or gave another type. */
  evaluationFailed(source: string, reason: string): void;
}

/** The schema library hands nothing to its transformations but the value, so what they need is set around a parse. */
let current: Reading | null = null;

/** Runs a parse whose values are read with this reading. Parsing is synchronous, so nothing else sees it. */
export function withReading<T>(reading: Reading, parse: () => T): T {
  const before = current;
  current = reading;
  try {
    return parse();
  } finally {
    current = before;
  }
}

/** The reading of the parse that is under way. */
export function theReading(): Reading {
  if (current === null) throw new Error('a configuration value is read outside of a parse');
  return current;
}
