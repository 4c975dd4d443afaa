import type { PatternPolicy } from '../pattern/pattern.ts';
import type { Language } from './language.ts';

/** Remark on a valid expression. */
export interface ExpressionRemark {
  readonly message: string;
  readonly hint?: string;
}

/** State of the compilation of one expression. */
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
