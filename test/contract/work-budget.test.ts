import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../contract/expression/expression.ts';
import { compileTarget } from '../../contract/expression/target.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';
import { compilePattern, PatternBudgetExceeded } from '../../contract/pattern/pattern.ts';
import { beginWork, endWork, MOST_WORK, spend, WorkExceeded, workLeft } from '../../contract/work-budget.ts';
import { randomNumbers } from '../support/clients/random.ts';
import { testLanguage } from '../support/programs/evaluation.ts';

const language = testLanguage();
const TOO_MUCH = 'takes too much work';
const TOO_MANY_STEPS = 'took too many steps';
const long = 'a'.repeat(1 << 20);
const numbers = Array.from({ length: 20_000 }, (_, i) => i).join();
const random = randomNumbers(20_261_115);
const letters = Array.from({ length: 40_000 }, () => 'ab'[random(2)]).join('');

function evaluated(source: string, attributes: Record<string, Value>): Value {
  const exchange = { attributes: new Map(Object.entries(attributes)) };
  return compileExpression(source, language, 'linear').evaluate(exchange, null);
}

/** Why an evaluation gives nothing. */
function failureOf(source: string, attributes: Record<string, Value>): string {
  try {
    return `gave ${String(evaluated(source, attributes))}`;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return error.message;
  }
}

/** Maps that hold each other twice: as a text, 2^depth of the innermost. */
function doubled(depth: number): Value {
  let value: Value = 'x';
  for (let i = 0; i < depth; i++) value = { left: value, right: value };
  return value;
}

const many = (call: string): string => `\${${Array.from({ length: 900 }, () => call).join(' or ')}}`;

describe('one evaluation', () => {
  it.each([
    ['a search again and again', many("find(attributes.a, '[bc]d')"), { a: long }, TOO_MANY_STEPS],
    ['a text again and again', many("toLowerCase(attributes.a) == 'b'"), { a: long }, TOO_MUCH],
    ['a method again and again', many("attributes.a.toUpperCase() == 'b'"), { a: long }, TOO_MUCH],
    [
      'lists that are compared item by item',
      "${split(attributes.a, ',').containsAll(split(attributes.a, ','))}",
      { a: numbers },
      TOO_MUCH,
    ],
    ['a text of values in many places', "${'' == attributes.a}", { a: doubled(30) }, TOO_MUCH],
    ['equal values in many places', '${attributes.a == attributes.b}', { a: doubled(60), b: doubled(60) }, TOO_MUCH],
    [
      'the keys of a large map',
      many('not empty attributes.a and false'),
      { a: Object.fromEntries(numbers.split(',').map((key) => [key, 1])) },
      TOO_MUCH,
    ],
    ['a split that looks to the end each time', "${split(attributes.a, 'a*b|a')}", { a: long }, TOO_MANY_STEPS],
    [
      'an automaton with a state for every character',
      "${find(attributes.a, '[ab]*a[ab]{500}c')}",
      { a: letters },
      TOO_MANY_STEPS,
    ],
    ['groups of a long program', "${findGroups(attributes.a, '[ab]{1900}c')}", { a: long }, TOO_MANY_STEPS],
    [
      'patterns of its own for every request',
      '${find(attributes.a, attributes.p)}',
      { a: 'a', p: `a${'(?:)'.repeat(3000)}` },
      TOO_MUCH,
    ],
  ])('is ended: %s', (_, source, attributes, message) => {
    expect(failureOf(source, attributes)).toContain(message);
  });

  it.each([
    ['${contains(attributes.a, attributes.part)}', false],
    ['${attributes.a.lastIndexOf(attributes.part)}', -1],
    ["${attributes.a.replace(attributes.part, '') == attributes.a}", true],
    ['${indexOf(attributes.a, attributes.part)}', -1],
    ['${trim(attributes.spaces) == attributes.spaces}', true],
    ['${attributes.spaces.trim() == attributes.spaces}', true],
  ])('needs time linear in the length of its texts: %s', (source, expected) => {
    const part = `${'a'.repeat(20_000)}b${'a'.repeat(20_000)}`;
    const spaces = `x${' '.repeat(500_000)}x`;
    expect(evaluated(source, { a: long, part, spaces })).toBe(expected);
  });

  it.each(['1'.repeat(100_000), `${'1'.repeat(100_000)}x`, `0x${'1'.repeat(100_000)}x`])(
    'reads no long number',
    (a) => {
      expect(() => evaluated('${attributes.a + 1.5}', { a })).toThrow('not a number');
    },
  );

  it('does not quote a text that is not a number', () => {
    expect(() => evaluated('${attributes.a + 1}', { a: 'Basic Z2F' })).toThrow(/^the text is not a whole number$/);
  });

  it('creates no text beyond the maximum length', () => {
    const most = 'could be longer';
    expect(() => evaluated('${attributes.a}${attributes.a}', { a: long })).toThrow(most);
    expect(() => evaluated('${attributes.a.concat(attributes.a)}', { a: long })).toThrow(most);
    expect(() => evaluated("${attributes.a.replace('a', 'bcd')}", { a: long.slice(0, 400_000) })).toThrow(most);
  });

  it('leaves the next one all it needs', () => {
    expect(() => evaluated('${split(attributes.a, attributes.p)}', { a: long, p: 'a*b|a' })).toThrow(EvaluationError);
    expect(evaluated("${find(attributes.a, 'b$')}", { a: `${long}b` })).toBe(true);
    expect(workLeft()).toBe(Number.POSITIVE_INFINITY);
  });

  it('is compiled within the work of one, also where it is always the same', () => {
    const call = `'${'a'.repeat(4000)}'.replaceAll('a*b|a', 'b') == 'c'`;
    const source = `\${${Array.from({ length: 15 }, () => call).join(' or ')}}`;
    const { evaluate } = compileExpression(source, language, 'linear');
    expect(() => evaluate(null, null)).toThrow(EvaluationError);
  });

  it('fails if a replacement is invalid at run time', () => {
    expect(() => evaluated("${attributes.a.replaceAll('a', attributes.b)}", { a: 'a', b: '$9' })).toThrow(
      EvaluationError,
    );
  });
});

describe('a target', () => {
  it('is found within the work of an evaluation', () => {
    const target = compileTarget("${attributes[split(attributes.a, 'a*b|a')[0]].x}", language);
    expect(() => target.assign({ attributes: new Map([['a', long]]) }, null, 1)).toThrow(EvaluationError);
  });
});

describe('one use of a pattern', () => {
  it('is bounded outside of an evaluation', () => {
    expect(() => compilePattern('a{1900}b', 'linear').exec(long)).toThrow(PatternBudgetExceeded);
    expect(() => compilePattern('[ab]*a[ab]{500}c', 'linear').test(letters)).toThrow(PatternBudgetExceeded);
    expect(compilePattern('[b-z]+$', 'linear').test(long)).toBe(false);
  });

  it('is decided by another matcher where an automaton needs a state for every character', () => {
    expect(compilePattern('a{1990}', 'linear').test('a'.repeat(1990))).toBe(true);
  });
});

describe('the count', () => {
  it('is shared by nested evaluations, and absent outside of one', () => {
    spend(MOST_WORK * 2);
    const outer = beginWork();
    const inner = beginWork();
    spend(MOST_WORK - 1);
    endWork(inner);
    expect(workLeft()).toBe(1);
    expect(() => spend(2)).toThrow(WorkExceeded);
    endWork(outer);
    spend(MOST_WORK * 2);
  });
});
