import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../../../contract/crest/filter-match.ts';
import { filterText } from '../../../contract/crest/filter-text.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { Random } from '../../fuzz/random.ts';

const SEEDS = 6000;

const VALUE: JsonObject = {
  ...{ a: 'Alpha', b: 2, and: 'x', or: true, true: 'literal', pr: null, eq: [1, 'two', false], '!': 'bang' },
  ...{
    deep: { er: { n: -1.5e3 } },
    'sp ace': '"q" \\',
    'p(1)': 'paren',
    é: 'É',
    'a~b': 'tilde',
    list: [['x'], { y: 1 }],
  },
};
const FIELDS = ['a', '/b', 'and', '/or', '/true', 'pr', 'eq', '/!', 'deep/er/n', 'sp%20ace', '/p%281%29', '%C3%A9'];
const MORE_FIELDS = ['a~0b', 'list', 'eq/1', 'list/0/0', 'missing', '/', 'deep/er', 'a%7E0b', '/deep/', 'e%71'];
const VALUES = [
  '"alpha"',
  "'ALPHA'",
  '2',
  '-1500',
  '1.5E0',
  'true',
  'FALSE',
  '"two"',
  '"\\u0022Q\\" \\\\"',
  '"é"',
  '""',
];
const OPERATORS = ['eq', 'CO', 'sw', 'lt', 'le', 'Gt', 'ge', 'x.y'];

/** A filter without more parentheses than some: precedence decides. */
function randomText(random: Random): string {
  const words: string[] = [];
  let open = 0;
  for (let left = random.between(1, 7); left > 0; left--) {
    if (random.once(3)) words.push('!');
    if (random.once(4)) {
      words.push('(');
      open++;
      if (random.once(3)) words.push('!');
    }
    words.push(...primary(random));
    while (open > 0 && random.once(3)) {
      words.push(')');
      open--;
    }
    if (left > 1) words.push(random.pick(['and', 'or', 'AND', 'Or']));
  }
  words.push(...Array<string>(open).fill(')'));
  return words.map((word) => ((word === '(' || word === '!') && random.once(2) ? word : `${word} `)).join('');
}

function primary(random: Random): string[] {
  if (random.once(6)) return [random.pick(['true', 'false', 'True'])];
  const field = random.pick(random.once(2) ? FIELDS : MORE_FIELDS);
  if (random.once(5)) return [field, random.pick(['pr', 'PR'])];
  return [field, random.pick(OPERATORS), random.pick(VALUES)];
}

type Truth = boolean | null;

/**
 * Evaluates a filter while it reads it, with two stacks and no tree: a second reading of the grammar. Null for a text that
 * is no filter.
 */
function evaluated(text: string, value: JsonObject): { readonly truth: Truth } | null {
  const words = text.match(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()!]|[^ ()]+/gu) ?? [];
  const operands: Truth[] = [];
  const marks: string[] = [];
  const rank: Readonly<Record<string, number>> = { or: 1, and: 2, '!': 3 };
  const reduce = (): void => {
    const mark = marks.pop()!;
    const right = operands.pop()!;
    if (mark === '!') operands.push(right === null ? null : !right);
    else operands.push(joined(mark, operands.pop()!, right));
  };
  for (let at = 0; at < words.length; ) {
    const word = words[at++]!;
    const lower = word.toLowerCase();
    if (word === '(' || word === '!') marks.push(word);
    else if (word === ')') {
      while (marks.at(-1) !== '(') reduce();
      marks.pop();
    } else if (isBetween(words, at) && (lower === 'and' || lower === 'or')) {
      while (marks.length > 0 && marks.at(-1) !== '(' && rank[marks.at(-1)!]! >= rank[lower]!) reduce();
      marks.push(lower);
    } else if (lower === 'true' || lower === 'false') operands.push(lower === 'true');
    else {
      const operator = words[at++]!.toLowerCase();
      const found = fieldOf(value, word);
      operands.push(operator === 'pr' ? (found ?? null) !== null : compared(found, operator, wordValue(words[at++]!)));
    }
  }
  while (marks.length > 0) reduce();
  return operands.length === 1 ? { truth: operands[0]! } : null;

  /** `and` and `or` join filters, unless they are where a field is. */
  function isBetween(all: readonly string[], next: number): boolean {
    const before = all[next - 2];
    if (before === undefined || before === '(' || before === '!') return false;
    return operands.length > marks.filter((mark) => mark === 'and' || mark === 'or').length;
  }
}

function joined(mark: string, a: Truth, b: Truth): Truth {
  const decides = mark === 'or';
  if (a === decides || b === decides) return decides;
  return a === null || b === null ? null : !decides;
}

function fieldOf(value: JsonObject, pointer: string): JsonValue | undefined {
  const steps = pointer.split('/').filter((step) => step !== '');
  let now: JsonValue | undefined = value;
  for (const step of steps) {
    const name = decodeURIComponent(step).replace('~1', '/').replace('~0', '~');
    now = typeof now === 'object' && now !== null ? (now as JsonObject)[name] : undefined;
  }
  return now;
}

function wordValue(word: string): string | number | boolean {
  if (/^["']/.test(word)) return JSON.parse(`"${word.slice(1, -1)}"`) as string;
  return /^(true|false)$/i.test(word) ? word.toLowerCase() === 'true' : Number(word);
}

function compared(found: JsonValue | undefined, operator: string, wanted: string | number | boolean): Truth {
  if (operator === 'x.y') return null;
  const plain = (one: unknown): unknown => (typeof one === 'string' ? one.toLowerCase() : one);
  return [found].flat().some((one) => {
    if (typeof one !== typeof wanted) return false;
    const [a, b] = [plain(one), plain(wanted)] as [string, string];
    const isText = typeof a === 'string';
    const order = a === b ? 0 : a < b ? -1 : 1;
    const results: Readonly<Record<string, boolean>> = {
      ...{ eq: order === 0, lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 },
      co: isText ? a.split(b).length > 1 || b === '' : order === 0,
      sw: isText ? a.slice(0, b.length) === b : order === 0,
    };
    return results[operator]!;
  });
}

describe('a random filter without a tree of parentheses', () => {
  it('has the result of a second reader', () => {
    let selected = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const text = randomText(Random.of(seed, 'reading', seed));
      const ours = matchesFilter(readQueryFilter(text), VALUE);
      expect({ seed, text, ours }).toEqual({ seed, text, ours: evaluated(text, VALUE)?.truth === true });
      if (ours) selected++;
    }
    expect(selected).toBeGreaterThan(SEEDS / 10);
    expect(selected).toBeLessThan((SEEDS * 9) / 10);
  });

  it('means the same after it was written and read again', () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const text = randomText(Random.of(seed, 'writing', seed));
      const once = readQueryFilter(text);
      const twice = readQueryFilter(filterText(once));
      expect({ seed, text, written: filterText(twice) }).toEqual({ seed, text, written: filterText(once) });
      expect(twice).toEqual(once);
    }
  });

  it('is a filter or an error after any change of one character', () => {
    let read = 0;
    for (let seed = 0; seed < SEEDS; seed++) {
      const random = Random.of(seed, 'change', seed);
      const text = randomText(random);
      const at = random.below(text.length);
      const put = random.pick(['', ' ', '(', ')', '"', '\\', '!', 'é', '/', '%', '0', '\u0000']);
      const changed = `${text.slice(0, at)}${put}${text.slice(at + random.below(2))}`;
      try {
        const filter = readQueryFilter(changed);
        expect(readQueryFilter(filterText(filter))).toEqual(filter);
        matchesFilter(filter, VALUE);
        read++;
      } catch (error) {
        if (!(error instanceof ValueProblem)) throw new Error(`seed ${seed}: ${changed}`, { cause: error });
      }
    }
    expect(read).toBeGreaterThan(SEEDS / 10);
  });
});
