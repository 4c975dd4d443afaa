import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CompiledScript, compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { ScriptError } from '../../../../dataplane/scripts/groovy/syntax/place.ts';
import { Thrown } from '../../../../dataplane/scripts/groovy/values/throwable.ts';
import { BudgetExceeded } from '../../../../dataplane/scripts/script-budget.ts';
import { groovyRows } from '../../../support/groovy/replay.ts';

const PIECES = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '"',
  "'",
  '/',
  '$',
  '${',
  '\\',
  '\n',
  ';',
  '->',
  '?.',
  '*.',
  '..',
  'def ',
  'class ',
  'case ',
  '@',
  ':',
  ',',
  '<',
  '0x',
  '1e',
  '\u2028',
  '`',
];

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state;
  }
}

function mutated(script: string, turn: number, next: (below: number) => number): string {
  let text = script;
  for (let change = 0; change <= turn % 3; change++) {
    const at = next(text.length + 1);
    const piece = PIECES[next(PIECES.length)]!;
    text = [
      text.slice(0, at) + piece + text.slice(at),
      text.slice(0, at) + text.slice(at + 1 + next(4)),
      text.slice(0, at),
    ][next(3)]!;
  }
  return text;
}

describe('the Groovy compiler', () => {
  it('compiles or refuses any text, and never fails in another way', () => {
    const rows = groovyRows(readFileSync(new URL('../../../vectors/groovy.jsonl', import.meta.url), 'utf8'));
    const random = numbers(7);
    const next = (below: number): number => random.next().value % below;
    let refused = 0;
    for (const { script } of rows) {
      for (let turn = 0; turn < 6; turn++) {
        const text = mutated(script, turn, next);
        try {
          compileScript(text, { classes: groovyClasses() });
        } catch (error) {
          expect(error, text).toBeInstanceOf(ScriptError);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(500);
  }, 120_000);

  it.each([
    ['properties', 'a', '.b'],
    ['safe properties', 'a', '?.b'],
    ['calls', 'a', '()'],
    ['indexes', 'a', '[0]'],
    ['coercions', '1', ' as int'],
    ['names', 'a', ' a'],
    ['ranges', '1', '..1'],
    ['parentheses', '', '('],
    ['negations', '', '!'],
    ['closures', '', '{->'],
    ['texts', '', '"${'],
  ])('rejects a long chain of %s', (_title, first, more) => {
    const source = first + more.repeat(Math.floor(120_000 / more.length));
    expect(() => compileScript(source, { classes: groovyClasses() })).toThrow(ScriptError);
  });

  it.each([
    ['sums', '1', '+1'],
    ['conditions', 'a', '&&a'],
    ['comparisons', 'List', '<List'],
    ['matches', 'a', '=~a'],
  ])('compiles a long chain of %s', (_title, first, more) => {
    const source = first + more.repeat(Math.floor(120_000 / more.length));
    expect(() => compileScript(source, { classes: groovyClasses() })).not.toThrow();
  });
});

describe('the Groovy evaluator', () => {
  it('gives a value, an exception of Java or the end of the budget for any script', async () => {
    const rows = groovyRows(readFileSync(new URL('../../../vectors/groovy.jsonl', import.meta.url), 'utf8'));
    const random = numbers(11);
    const next = (below: number): number => random.next().value % below;
    let ran = 0;
    for (const [turn, { script }] of rows.entries()) {
      const text = mutated(script, turn, next);
      let compiled: CompiledScript;
      try {
        compiled = compileScript(text, { classes: groovyClasses() });
      } catch {
        continue;
      }
      const limits = { milliseconds: 200, bytes: 4 * 1024 * 1024, depth: 100 };
      const error = await runScript(compiled, { limits }).result.then(
        () => null,
        (each: unknown) => each,
      );
      expect(error === null || error instanceof Thrown || error instanceof BudgetExceeded, `${text}: ${error}`).toBe(
        true,
      );
      ran++;
    }
    expect(ran).toBeGreaterThan(50);
  }, 120_000);
});
