import { anyCodePoint, type CodePoints, complement, intersection, union } from './code-points.ts';
import { type CaseRule, caseVariants, rangeVariants } from './letter-case.ts';
import { maxNesting } from './pattern-limits.ts';
import type { Flags, PatternSource } from './pattern-source.ts';
import { readCharacterEscape, readSetEscape } from './read-escape.ts';

export function caseRule(flags: Flags): CaseRule {
  if (!flags.ignoreCase) return 'exact';
  return flags.unicodeCase ? 'unicode' : 'ascii';
}

/** Reads a character class whose `[` is taken, up to its `]`. */
export function readClass(source: PatternSource, depth: number): CodePoints {
  const start = source.position - 1;
  if (depth > maxNesting) throw source.problem(`classes are nested more than ${maxNesting} deep`);
  const isNegative = source.eat('^');
  let whole: CodePoints | undefined;
  let elements: CodePoints[] = [];
  for (;;) {
    if (source.isAtEnd()) throw source.problem('a character class is not closed', undefined, start);
    if (!(elements.length === 0 && whole === undefined) && source.eat(']')) break;
    if (source.eat('&&')) {
      if (source.peek() === ']' || source.peek() === '&') throw source.problem('nothing stands to the right of &&');
      if (elements.length > 0) whole = intersection(whole ?? anyCodePoint, union(...elements));
      elements = [];
    } else elements.push(source.eat('[') ? readClass(source, depth + 1) : readElement(source));
  }
  const set = intersection(whole ?? anyCodePoint, union(...elements));
  return isNegative ? complement(set) : set;
}

/** One character, a range, or a set such as `\d`. */
function readElement(source: PatternSource): CodePoints {
  const start = source.position;
  const first = readCharacter(source);
  if (typeof first !== 'number') return first;
  if (!startsRange(source)) return caseVariants(first, caseRule(source.flags));
  source.take();
  const last = readCharacter(source);
  if (typeof last !== 'number' || last < first) {
    throw source.problem('a range of characters does not go from a lower to a higher one', undefined, start);
  }
  return rangeVariants([first, last], caseRule(source.flags));
}

function startsRange(source: PatternSource): boolean {
  if (source.peek() !== '-') return false;
  const dash = source.position;
  source.take();
  const next = source.peek();
  const isRange = !source.isAtEnd() && next !== ']' && next !== '[';
  source.position = dash;
  return isRange;
}

function readCharacter(source: PatternSource): number | CodePoints {
  if (source.peek() !== '\\') return source.take();
  source.take();
  const start = source.position;
  const letter = String.fromCodePoint(source.takeRaw());
  const character = readCharacterEscape(source, letter) ?? readSetEscape(source, letter);
  if (character !== undefined) return character;
  throw source.problem(`\\${letter} has no meaning in a character class`, undefined, start);
}
