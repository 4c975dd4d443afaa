import { ValueProblem } from '../problem.ts';

const MEANT: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['TRUE', 'true'],
  ['False', 'false'],
  ['FALSE', 'false'],
  ['None', 'null'],
  ['NULL', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
]);

/**
 * A syntax error: what should have come, what came instead, and what the writer may have had in mind. A longer word is
 * not repeated, because what stands without quotes in a file may be a password as well as a misspelt `true`.
 */
export function jsonFault(expected: string, found: string): ValueProblem {
  const isTelling = MEANT.has(found) || Array.from(found).length === 1;
  const shown = isTelling ? (found === '"' ? `'"'` : JSON.stringify(found)) : 'a word that JSON does not have';
  return new ValueProblem('text', `must have ${expected} here, not ${shown}`, hintFor(expected, found));
}

function hintFor(expected: string, found: string): string | undefined {
  if (/^['‘’`]/.test(found)) return 'strings are written in double quotes';
  if (/^[“”„«»]/.test(found)) return 'strings are written in plain double quotes, not in typographic ones';
  if (found.startsWith('#')) return 'comments begin with //';
  if (expected.startsWith("','")) {
    return /^["\w{[-]/.test(found) ? 'a comma may be missing before it' : undefined;
  }
  if (expected.includes('key')) return /^[\p{L}_$]/u.test(found) ? 'put the key in double quotes' : undefined;
  if (expected !== 'a value') return undefined;
  const meant = MEANT.get(found);
  if (meant !== undefined) return `write ${meant}`;
  if (/^[-+.]?\d|^[-+.]/.test(found) || /^(?:NaN|Inf)/.test(found)) {
    return 'numbers are written as 12, -0.5 or 1e3';
  }
  return /^\p{L}/u.test(found) ? 'texts are written in double quotes' : undefined;
}
