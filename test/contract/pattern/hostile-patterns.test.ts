import { describe, expect, it } from 'vitest';
import { Alphabet } from '../../../contract/pattern/alphabet.ts';
import { Automaton } from '../../../contract/pattern/automaton.ts';
import { BacktrackingMatcher } from '../../../contract/pattern/backtracking-matcher.ts';
import { compileProgram } from '../../../contract/pattern/compile-program.ts';
import { literalShape } from '../../../contract/pattern/literal-shape.ts';
import { ParallelMatcher } from '../../../contract/pattern/parallel-matcher.ts';
import { compilePattern, PatternBudgetExceeded } from '../../../contract/pattern/pattern.ts';
import {
  editBudget,
  maxGroups,
  maxNesting,
  maxProgramLength,
  maxSourceLength,
  runBudget,
} from '../../../contract/pattern/pattern-limits.ts';
import { readPattern } from '../../../contract/pattern/read-pattern.ts';
import { StartFinder } from '../../../contract/pattern/start-finder.ts';
import { ValueProblem } from '../../../contract/problem.ts';

function matchersOf(source: string) {
  const read = readPattern(source);
  const program = compileProgram(read, maxProgramLength.linear);
  const alphabet = new Alphabet(program);
  const { startsAtTextStart } = literalShape(read.tree);
  const starts = new StartFinder(program, alphabet, '', startsAtTextStart);
  return {
    length: program.length,
    automaton: new Automaton(program, alphabet, 'somewhere', startsAtTextStart),
    parallel: new ParallelMatcher(program, alphabet, starts),
    backtracking: new BacktrackingMatcher(program, alphabet, starts),
  };
}

describe('patterns that take exponential time elsewhere', () => {
  const hostile = [
    ['^(a+)+$', 'a', '!'],
    ['(a|a)*b', 'a', 'c'],
    ['(.*)*x', 'a', 'y'],
    ['(x+x+)+y', 'x', 'z'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a', '!'],
    ['(a?){20}a{20}b', 'a', 'c'],
    ['((a*)*)*b', 'a', 'c'],
    ['(?:\\s*,?\\s*)*;', ' ', '.'],
  ] as const;

  it.each(hostile)('%s needs steps linear in the length of the text', (source, unit, end) => {
    const text = unit.repeat(2_000) + end;
    const { length, automaton, parallel, backtracking } = matchersOf(source);
    expect(automaton.run(text, 0)).toBe('no');
    expect(automaton.statesMade).toBeLessThan(200);
    expect(parallel.run(text, 0)).toBeNull();
    expect(parallel.steps).toBeLessThan(2 * length * (text.length + 2));
    expect(backtracking.search(text, 0, null)).toBe('none');
    expect(backtracking.steps).toBeLessThan(3 * length * (text.length + 2));
  });

  it.each(hostile)('%s is decided for a tenant', (source, unit, end) => {
    const pattern = compilePattern(source, 'linear');
    const text = unit.repeat(5_000) + end;
    expect(pattern.test(text)).toBe(false);
    expect(pattern.exec(text)).toBeNull();
    expect(pattern.matches(text)).toBe(false);
  });

  it('steps grow with the text and not faster', () => {
    const stepsFor = (length: number) => {
      const { parallel } = matchersOf('^(a+)+$');
      parallel.run(`${'a'.repeat(length)}!`, 0);
      return parallel.steps;
    };
    expect(stepsFor(2_000) / stepsFor(1_000)).toBeLessThan(2.1);
  });

  it('an automaton with more states than its table holds still answers', () => {
    const { automaton, length } = matchersOf('[ab]*a[ab]{14}c');
    let text = '';
    for (let i = 0; text.length < 20_000; i++) text += i.toString(2).replaceAll('0', 'b').replaceAll('1', 'a');
    expect(automaton.run(text, 0)).toBe('no');
    expect(automaton.run(`${text}a${'b'.repeat(14)}c`, 0)).toBe('yes');
    expect(length).toBeLessThan(50);
  });
});

describe('runs beyond linear time', () => {
  it.each(['^(?=(a+)+$)', '(a+)+\\1b', '(?:(?=a)a+)+b', '(?:(a|a)(?!b))*c'])('end at the limit for %s', (source) => {
    const text = `${'a'.repeat(200)}!`;
    const pattern = compilePattern(source, 'bounded');
    expect(() => pattern.exec(text)).toThrow(PatternBudgetExceeded);
    expect(() => pattern.test(text)).toThrow(PatternBudgetExceeded);
  });

  it('take no more steps than their budget', () => {
    const { backtracking } = matchersOf('(?:(?=a)a+)+b');
    const text = `${'a'.repeat(200)}!`;
    expect(backtracking.search(text, 0, runBudget(text.length))).toBe('exhausted');
    expect(backtracking.steps).toBe(runBudget(text.length) + 1);
  });

  it('are bounded for the whole of an edit, of a linear pattern as well', () => {
    const text = 'x'.repeat(40_000);
    const pattern = compilePattern('x(?:[^y]*y)?', 'linear');
    expect(() => pattern.replaceAll(text, '-')).toThrow(PatternBudgetExceeded);
    expect(() => pattern.split(text)).toThrow(PatternBudgetExceeded);
    expect(editBudget(text.length, 12)).toBeLessThan(text.length ** 2 / 100);
    expect(pattern.exec(text)?.end).toBe(1);
  });
});

describe('limits of compiling', () => {
  it.each([
    ['a count of counts', '(?:a{1000}){1000}', 'steps when its repeats are written out'],
    ['a count without a body', '(?:(?:){1000000}){1000000}', 'steps when its repeats are written out'],
    ['loops that may take nothing, nested', `${'(?:a?'.repeat(40)}b?${')*'.repeat(40)}`, 'written out'],
    ['100,000 parentheses', '('.repeat(100_000), 'too long'],
    ['groups in groups', `${'(?:'.repeat(maxNesting + 1)}a${')'.repeat(maxNesting + 1)}`, 'nested more than'],
    ['classes in classes', `${'['.repeat(maxNesting + 1)}a${']'.repeat(maxNesting + 1)}`, 'nested more than'],
    ['many groups', '(a)'.repeat(maxGroups + 1), `more than ${maxGroups} groups`],
    ['a long source', 'a'.repeat(maxSourceLength + 1), 'too long'],
    ['a long look-behind', '(?<=a{300})b', 'look-behind'],
  ])('reject %s', (_, source, message) => {
    expect(() => compilePattern(source, 'bounded')).toThrow(ValueProblem);
    expect(() => compilePattern(source, 'bounded')).toThrow(message);
  });

  it('an operator may write longer programs than a tenant', () => {
    const source = `a{${maxProgramLength.linear}}`;
    expect(() => compilePattern(source, 'linear')).toThrow(`more than ${maxProgramLength.linear} steps`);
    expect(compilePattern(source, 'bounded').test('a'.repeat(maxProgramLength.linear))).toBe(true);
  });

  it('patterns just within the limits work', () => {
    const nested = `${'(?:'.repeat(maxNesting)}a${')'.repeat(maxNesting)}`;
    expect(compilePattern(nested, 'linear').test('ba')).toBe(true);
    expect(compilePattern('(a)'.repeat(maxGroups), 'linear').exec('a'.repeat(maxGroups))?.groups.length).toBe(101);
  });

  it('a class of thousands of properties is one set', () => {
    expect(compilePattern(`[${'\\pL'.repeat(5_000)}]`, 'linear').test('é')).toBe(true);
  });
});
