import type { PatternPolicy } from '../pattern/pattern.ts';
import type { Language } from './language.ts';

/** What a writer should know of an expression that does what it says. */
export interface ExpressionRemark {
  readonly message: string;
  readonly hint?: string;
}

/** What is known of one expression while it is compiled, and what is learnt of it. */
export interface Compilation {
  readonly language: Language;
  readonly patterns: PatternPolicy;
  readonly roots: Set<string>;
  readonly unknownRoots: Set<string>;
  readonly unknownMethods: Set<string>;
  readonly deprecations: Map<string, string>;
  /** By their messages. */
  readonly remarks: Map<string, ExpressionRemark>;
}
