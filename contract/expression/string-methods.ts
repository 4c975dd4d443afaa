import type { Pattern } from '../pattern/pattern.ts';
import { type TextSearch, textSearch } from '../text-search.ts';
import { spend } from '../work-budget.ts';
import { integerOf } from './coercion.ts';
import { notTooLong, textOf, trimmed } from './text.ts';
import { EvaluationError, type Value } from './value.ts';

/** What it costs to replace one part of a text, beside its length. */
const REPLACED_STEPS = 16;

/** A method of text values: how many arguments it takes and what it gives. */
export interface StringMethod {
  readonly counts: readonly number[];
  /** The first argument is a regular expression. */
  readonly takesPattern?: true;
  call(text: string, given: readonly Value[], pattern: Pattern | null): Value;
}

/** The methods of java.lang.String that expressions may call. */
export const stringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ['length', { counts: [0], call: (text) => text.length }],
  ['isEmpty', { counts: [0], call: (text) => text === '' }],
  ['isBlank', { counts: [0], call: (text) => text.trim() === '' }],
  ['toString', { counts: [0], call: (text) => text }],
  ['trim', { counts: [0], call: (text) => trimmed(text) }],
  ['strip', { counts: [0], call: (text) => text.trim() }],
  ['toLowerCase', { counts: [0], call: (text) => text.toLowerCase() }],
  ['toUpperCase', { counts: [0], call: (text) => text.toUpperCase() }],
  ['hashCode', { counts: [0], call: hashCode }],
  ['concat', { counts: [1], call: (text, given) => text + argument(given, 0) }],
  ['contains', { counts: [1], call: (text, given) => searchFor(given).first(text, 0) >= 0 }],
  ['endsWith', { counts: [1], call: (text, given) => text.endsWith(argument(given, 0)) }],
  ['startsWith', { counts: [1, 2], call: startsWith }],
  ['equals', { counts: [1], call: (text, given) => text === given[0] }],
  ['equalsIgnoreCase', { counts: [1], call: equalsIgnoreCase }],
  ['compareTo', { counts: [1], call: compareTo }],
  ['charAt', { counts: [1], call: charAt }],
  ['indexOf', { counts: [1, 2], call: indexOf }],
  ['lastIndexOf', { counts: [1, 2], call: lastIndexOf }],
  ['substring', { counts: [1, 2], call: substring }],
  ['replace', { counts: [2], call: replace }],
  ['matches', { counts: [1], takesPattern: true, call: (text, _, pattern) => pattern!.matches(text) }],
  ['split', { counts: [1], takesPattern: true, call: (text, _, pattern) => pattern!.split(text) }],
  ['replaceAll', { counts: [2], takesPattern: true, call: replaceAll }],
  ['replaceFirst', { counts: [2], takesPattern: true, call: replaceFirst }],
]);

function argument(given: readonly Value[], at: number): string {
  const value = given[at] ?? null;
  if (value === null) throw new EvaluationError('a method of a text was given null');
  return textOf(value);
}

function startsWith(text: string, given: readonly Value[]): Value {
  const from = integerOf(given[1] ?? null);
  return from >= 0 && from <= text.length && text.startsWith(argument(given, 0), from);
}

function searchFor(given: readonly Value[]): TextSearch {
  return textSearch(argument(given, 0));
}

function indexOf(text: string, given: readonly Value[]): Value {
  return searchFor(given).first(text, integerOf(given[1] ?? null));
}

function lastIndexOf(text: string, given: readonly Value[]): Value {
  const from = given.length > 1 ? integerOf(given[1]!) : text.length;
  return from < 0 ? -1 : searchFor(given).last(text, from);
}

function equalsIgnoreCase(text: string, given: readonly Value[]): Value {
  const other = given[0] ?? null;
  return other !== null && text.toLowerCase() === textOf(other).toLowerCase();
}

/** The distance of the first characters that differ, or of the lengths. */
function compareTo(text: string, given: readonly Value[]): Value {
  const other = argument(given, 0);
  const most = Math.min(text.length, other.length);
  for (let at = 0; at < most; at++) {
    const distance = text.charCodeAt(at) - other.charCodeAt(at);
    if (distance !== 0) return distance;
  }
  return text.length - other.length;
}

function charAt(text: string, given: readonly Value[]): Value {
  const at = integerOf(given[0]!);
  if (at < 0 || at >= text.length) throw new EvaluationError(`there is no character ${at} in a text of ${text.length}`);
  return text.charAt(at);
}

function substring(text: string, given: readonly Value[]): Value {
  const start = integerOf(given[0]!);
  const end = given.length > 1 ? integerOf(given[1]!) : text.length;
  if (start < 0 || end > text.length || start > end) {
    throw new EvaluationError(`there is no part from ${start} to ${end} in a text of ${text.length}`);
  }
  return text.slice(start, end);
}

function replace(text: string, given: readonly Value[]): Value {
  const [wanted, instead] = [argument(given, 0), argument(given, 1)];
  if (wanted === '') {
    notTooLong(text.length + (text.length + 1) * instead.length);
    return text.replaceAll('', () => instead);
  }
  const search = searchFor(given);
  let replaced = '';
  let end = 0;
  for (let at = search.first(text, 0); at >= 0; at = search.first(text, end)) {
    spend(REPLACED_STEPS);
    replaced += text.slice(end, at) + instead;
    notTooLong(replaced.length);
    end = at + wanted.length;
  }
  return replaced + text.slice(end);
}

function replaceAll(text: string, given: readonly Value[], pattern: Pattern | null): Value {
  const instead = argument(given, 1);
  // Matches do not overlap, so that one group can add at most the whole text over all of them.
  notTooLong((text.length + 1) * instead.length + text.length * instead.split('$').length);
  return pattern!.replaceAll(text, instead);
}

function replaceFirst(text: string, given: readonly Value[], pattern: Pattern | null): Value {
  const instead = argument(given, 1);
  notTooLong(text.length * instead.split('$').length + instead.length);
  return pattern!.replaceFirst(text, instead);
}

function hashCode(text: string): Value {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}
