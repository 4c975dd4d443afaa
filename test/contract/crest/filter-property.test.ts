import { expect, it } from 'vitest';
import { matchesFilter } from '../../../contract/crest/filter-match.ts';
import { filterText } from '../../../contract/crest/filter-text.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { Random } from '../../fuzz/random.ts';

/** A filter as text with its meaning: true, false, or null where an operator is not known. */
interface Meant {
  readonly text: string;
  holds(value: JsonObject): boolean | null;
}

const VALUES: readonly JsonObject[] = [
  { s: 'Alice', n: 20, b: true, l: ['x', 'Y', 3], o: { s: 'deep' }, z: null },
  { s: 'bob "q" \\ ü', n: -1.5, b: false, l: [], 'a b': 'space', 'x/y': 'slash' },
  { s: ['alice', 'bob'], n: '20', l: 'x', o: [{ s: 'in list' }] },
  {},
];
const FIELDS: readonly (readonly [string, (value: JsonObject) => JsonValue | undefined])[] = [
  ['s', ({ s }) => s],
  ['/n', ({ n }) => n],
  ['b', ({ b }) => b],
  ['/l', ({ l }) => l],
  ['l/1', ({ l }) => (Array.isArray(l) ? l[1] : undefined)],
  ['/o/s', ({ o }) => (Array.isArray(o) ? undefined : (o as JsonObject | undefined)?.['s'])],
  ['/a%20b', (value) => value['a b']],
  ['x~1y', (value) => value['x/y']],
  ['z', ({ z }) => z],
];
const WANTED: readonly (string | number | boolean)[] = [
  'alice',
  'B',
  '',
  'x',
  'bob "q" \\ ü',
  20,
  -1.5,
  3,
  true,
  false,
];
const OPERATORS = ['eq', 'co', 'sw', 'lt', 'le', 'gt', 'ge', 'my.op'];

function compares(found: JsonValue | undefined, operator: string, wanted: string | number | boolean): boolean | null {
  if (operator === 'my.op') return null;
  const candidates = Array.isArray(found) ? found : [found];
  for (const candidate of candidates) {
    if (typeof candidate !== typeof wanted) continue;
    const a = typeof candidate === 'string' ? candidate.toLowerCase() : Number(candidate);
    const b = typeof wanted === 'string' ? wanted.toLowerCase() : Number(wanted);
    const isText = typeof a === 'string' && typeof b === 'string';
    if (operator === 'eq' && a === b) return true;
    if (operator === 'co' && (isText ? a.indexOf(b) >= 0 : a === b)) return true;
    if (operator === 'sw' && (isText ? a.indexOf(b) === 0 : a === b)) return true;
    if (operator === 'lt' && a < b) return true;
    if (operator === 'le' && !(a > b)) return true;
    if (operator === 'gt' && a > b) return true;
    if (operator === 'ge' && !(a < b)) return true;
  }
  return false;
}

function randomFilter(random: Random, depth: number): Meant {
  const spaces = (): string => ' '.repeat(random.between(1, 2));
  const anyCase = (word: string): string => (random.once(3) ? word.toUpperCase() : word);
  const kind = depth === 0 ? random.below(3) : random.below(6);
  if (kind === 0) {
    const verdict = random.once(2);
    return { text: anyCase(String(verdict)), holds: () => verdict };
  }
  const [name, find] = FIELDS[random.below(FIELDS.length)]!;
  if (kind === 1)
    return { text: `${name}${spaces()}${anyCase('pr')}`, holds: (value) => (find(value) ?? null) !== null };
  if (kind === 2) {
    const operator = OPERATORS[random.below(OPERATORS.length)]!;
    const wanted = WANTED[random.below(WANTED.length)]!;
    const text = `${name}${spaces()}${anyCase(operator)}${spaces()}${JSON.stringify(wanted)}`;
    return { text, holds: (value) => compares(find(value), operator, wanted) };
  }
  if (kind === 3) {
    const inner = randomFilter(random, depth - 1);
    const not = (verdict: boolean | null): boolean | null => (verdict === null ? null : !verdict);
    return { text: `!${random.once(2) ? ' ' : ''}(${inner.text})`, holds: (value) => not(inner.holds(value)) };
  }
  const word = kind === 4 ? 'and' : 'or';
  const parts = Array.from({ length: random.between(2, 3) }, () => randomFilter(random, depth - 1));
  return {
    text: parts.map(({ text }) => `(${text})`).join(`${spaces()}${anyCase(word)}${spaces()}`),
    holds(value) {
      const verdicts = parts.map((part) => part.holds(value));
      if (verdicts.includes(word === 'or')) return word === 'or';
      return verdicts.includes(null) ? null : word === 'and';
    },
  };
}

it('selects by a random filter the values for which its meaning holds', () => {
  for (let seed = 0; seed < 4000; seed++) {
    const { text, holds } = randomFilter(Random.of(seed, 'filter', seed), 4);
    const filter = readQueryFilter(text);
    const selected = VALUES.map((value) => matchesFilter(filter, value));
    expect({ text, selected }).toEqual({ text, selected: VALUES.map((value) => holds(value) === true) });
  }
});

it('reads a random filter again from the text that it writes', () => {
  for (let seed = 0; seed < 4000; seed++) {
    const filter = readQueryFilter(randomFilter(Random.of(seed, 'text', seed), 4).text);
    expect(readQueryFilter(filterText(filter))).toEqual(filter);
  }
});

it('binds and more tightly than or', () => {
  expect(filterText(readQueryFilter('a pr or b pr and ! c pr'))).toBe('(/a pr or (/b pr and ! (/c pr)))');
});
