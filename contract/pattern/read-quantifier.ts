import type { PatternSource } from './pattern-source.ts';

export interface Quantifier {
  readonly min: number;
  readonly max: number;
  readonly manner: 'greedy' | 'lazy' | 'possessive';
}

/** The largest count that Java can read. */
const maxCount = 0x7fffffff;

/** Takes the quantifier that follows an atom, if one does. */
export function eatQuantifier(source: PatternSource): Quantifier | undefined {
  const range = eatRange(source);
  if (range === undefined) return undefined;
  const manner = source.eat('?') ? 'lazy' : source.eat('+') ? 'possessive' : 'greedy';
  if (/^[*+?{]$/.test(source.peek())) {
    throw source.problem('a quantifier follows a quantifier', 'put what is to be repeated into a group: (?:…)');
  }
  return { ...range, manner };
}

function eatRange(source: PatternSource): { min: number; max: number } | undefined {
  if (source.eat('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (source.eat('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (source.eat('?')) return { min: 0, max: 1 };
  const start = source.position;
  if (!source.eat('{')) return undefined;
  const min = source.takeWhile(/^[0-9]$/);
  let max = min;
  if (min !== '' && source.peekRaw() === ',') {
    source.takeRaw();
    max = source.takeWhile(/^[0-9]$/) || 'Infinity';
  }
  if (min === '' || !source.eat('}')) {
    throw source.problem('a count is written {n}, {n,} or {n,m}', 'write \\{ for the character itself', start);
  }
  const range = { min: Number(min), max: Number(max) };
  if (range.min > range.max || range.min > maxCount || (range.max > maxCount && max !== 'Infinity')) {
    throw source.problem(`{${min},${max}} is no range of counts`, undefined, start);
  }
  return range;
}
