import { ValueProblem } from '../problem.ts';
import type { BinaryOperator } from './syntax.ts';
import { doubleOf, type Value } from './value.ts';

/** One word of an expression. */
export type Token = { readonly offset: number; readonly end: number } & (
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'operator'; readonly operator: BinaryOperator }
  | { readonly kind: 'word'; readonly word: 'not' | 'empty' | 'instanceof' }
  | { readonly kind: 'mark'; readonly mark: '?' | ':' | '[' | ']' | '(' | ')' | ',' | '.' | '}' }
  | { readonly kind: 'end' }
);

const NAME_START = /[\p{L}\p{Nl}\p{Sc}\p{Pc}]/u;
const NAME_PART = /[\p{L}\p{Nl}\p{Sc}\p{Pc}\p{Mn}\p{Mc}\p{Nd}\p{Cf}]/u;
const SPACE = /[\t-\r\x1c-\x1f \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]/;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const MOST_LONG = 2n ** 63n - 1n;

/** Words that are operators or literals and therefore cannot name anything. */
const KEYWORDS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['and', { kind: 'operator', operator: 'and' }],
  ['or', { kind: 'operator', operator: 'or' }],
  ['eq', { kind: 'operator', operator: '==' }],
  ['ne', { kind: 'operator', operator: '!=' }],
  ['lt', { kind: 'operator', operator: '<' }],
  ['gt', { kind: 'operator', operator: '>' }],
  ['le', { kind: 'operator', operator: '<=' }],
  ['ge', { kind: 'operator', operator: '>=' }],
  ['div', { kind: 'operator', operator: '/' }],
  ['mod', { kind: 'operator', operator: '%' }],
  ['not', { kind: 'word', word: 'not' }],
  ['empty', { kind: 'word', word: 'empty' }],
  ['instanceof', { kind: 'word', word: 'instanceof' }],
  ['true', { kind: 'literal', value: true }],
  ['false', { kind: 'literal', value: false }],
  ['null', { kind: 'literal', value: null }],
]);

const SYMBOLS: readonly (readonly [string, Meaning])[] = [
  ['==', { kind: 'operator', operator: '==' }],
  ['!=', { kind: 'operator', operator: '!=' }],
  ['<=', { kind: 'operator', operator: '<=' }],
  ['>=', { kind: 'operator', operator: '>=' }],
  ['&&', { kind: 'operator', operator: 'and' }],
  ['||', { kind: 'operator', operator: 'or' }],
  ['<', { kind: 'operator', operator: '<' }],
  ['>', { kind: 'operator', operator: '>' }],
  ['+', { kind: 'operator', operator: '+' }],
  ['-', { kind: 'operator', operator: '-' }],
  ['*', { kind: 'operator', operator: '*' }],
  ['/', { kind: 'operator', operator: '/' }],
  ['%', { kind: 'operator', operator: '%' }],
  ['!', { kind: 'word', word: 'not' }],
  ['?', { kind: 'mark', mark: '?' }],
  [':', { kind: 'mark', mark: ':' }],
  ['[', { kind: 'mark', mark: '[' }],
  [']', { kind: 'mark', mark: ']' }],
  ['(', { kind: 'mark', mark: '(' }],
  [')', { kind: 'mark', mark: ')' }],
  [',', { kind: 'mark', mark: ',' }],
  ['.', { kind: 'mark', mark: '.' }],
  ['}', { kind: 'mark', mark: '}' }],
];

type Meaning = Token extends infer One ? (One extends Token ? Omit<One, 'offset' | 'end'> : never) : never;

/** Syntax problem with its position; positions are counted from 1 for people. */
export function syntaxProblem(offset: number, message: string, hint?: string): ValueProblem {
  return new ValueProblem('expression', `${message} at character ${offset + 1}`, hint, offset);
}

/** The token at or after a place inside `${…}`. */
export function tokenAt(source: string, from: number): Token {
  let offset = from;
  while (offset < source.length && SPACE.test(source[offset]!)) offset++;
  if (offset === source.length) return { kind: 'end', offset, end: offset };
  const first = source[offset]!;
  if (first === "'" || first === '"') return stringAt(source, offset);
  NUMBER.lastIndex = offset;
  const number = NUMBER.exec(source);
  if (number !== null) return numberToken(number[0], offset);
  if (NAME_START.test(first)) return nameAt(source, offset);
  for (const [symbol, meaning] of SYMBOLS) {
    if (source.startsWith(symbol, offset)) return { ...meaning, offset, end: offset + symbol.length };
  }
  const meant = { '=': '==', '&': '&&', '|': '||' }[first];
  const hint = meant === undefined ? undefined : `write '${meant}'`;
  throw syntaxProblem(offset, `'${first}' means nothing in an expression`, hint);
}

function nameAt(source: string, offset: number): Token {
  let end = offset + 1;
  while (end < source.length && NAME_PART.test(source[end]!)) end++;
  const name = source.slice(offset, end);
  const keyword = KEYWORDS.get(name);
  return keyword === undefined ? { kind: 'name', name, offset, end } : { ...keyword, offset, end };
}

function numberToken(digits: string, offset: number): Token {
  const end = offset + digits.length;
  if (/[.eE]/.test(digits)) return { kind: 'literal', value: doubleOf(Number(digits)), offset, end };
  const value = BigInt(digits);
  if (value > MOST_LONG) throw syntaxProblem(offset, `the number ${digits} has more than 64 bits`);
  return { kind: 'literal', value, offset, end };
}

function stringAt(source: string, offset: number): Token {
  const quote = source[offset]!;
  let value = '';
  for (let at = offset + 1; at < source.length; at++) {
    const character = source[at]!;
    if (character === quote) return { kind: 'literal', value, offset, end: at + 1 };
    if (character !== '\\') {
      value += character;
      continue;
    }
    at++;
    const escaped = source[at];
    if (escaped === undefined) break;
    if (escaped !== '\\' && escaped !== quote) {
      const hint = `a backslash is written as \\\\, which is \\\\\\\\ in a JSON file, and a quote as \\${quote}`;
      throw syntaxProblem(at - 1, `'\\${escaped}' is not an escape`, hint);
    }
    value += escaped;
  }
  throw syntaxProblem(offset, `the text that begins here has no closing ${quote}:`);
}
