import type { Place } from './place.ts';

export type TokenKind = 'name' | 'keyword' | 'number' | 'string' | 'gstring' | 'operator' | 'end';

/** Part of a GString: text, a dotted path (`$a.b`), or an expression in braces. */
export type StringPart = { readonly text: string } | { readonly tokens: readonly Token[]; readonly isPath: boolean };

export interface Token extends Place {
  readonly kind: TokenKind;
  /** The name, keyword or operator; the digits of a number; the content of a string. */
  readonly text: string;
  /** Parts of a GString. */
  readonly parts?: readonly StringPart[];
  /** A line ends before this token, and not within parentheses or brackets. */
  readonly isAfterNewline: boolean;
  readonly isAfterSpace: boolean;
  /** Offsets into the script. */
  readonly start: number;
  readonly end: number;
}

export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'abstract as assert break case catch class const continue def default do else enum extends final finally for goto if implements import in ' +
    'instanceof interface native new null package private protected public return static strictfp super switch synchronized this threadsafe throw ' +
    'throws transient true false try volatile while int long double float short byte char boolean void'
  ).split(' '),
);

/** Keywords of later versions, which are names everywhere but in their place. */
export const PRIMITIVE_NAMES: ReadonlySet<string> = new Set(
  'int long double float short byte char boolean void'.split(' '),
);

/** Longest first. */
export const OPERATORS: readonly string[] = [
  '>>>=',
  '<<=',
  '>>=',
  '>>>',
  '**=',
  '===',
  '!==',
  '==~',
  '<=>',
  '...',
  '..<',
  '<..',
  '?.@',
  '<<',
  '>>',
  '**',
  '==',
  '!=',
  '<=',
  '>=',
  '=~',
  '&&',
  '||',
  '++',
  '--',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '->',
  '..',
  '?.',
  '?:',
  '?=',
  '?[',
  '*.',
  '.&',
  '.@',
  '::',
  '&',
  '|',
  '^',
  '~',
  '!',
  '+',
  '-',
  '*',
  '/',
  '%',
  '<',
  '>',
  '=',
  '?',
  ':',
  ';',
  ',',
  '.',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '@',
];
