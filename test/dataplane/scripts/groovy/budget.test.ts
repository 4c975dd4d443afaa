import { describe, expect, it } from 'vitest';
import { compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { evaluate } from '../../../support/groovy/evaluate.ts';

const limits = { milliseconds: 100, bytes: 8 * 1024 * 1024, depth: 300 };

describe('the budget of a Groovy script', () => {
  it.each([
    ['an endless loop', 'while (true) { }'],
    [
      'an endless loop that catches everything',
      'while (true) { try { while (true) { } } catch (Throwable t) { } finally { continue } }',
    ],
    ['a finally that returns', 'try { while (true) { } } finally { return 1 }'],
    ['a closure without end', 'def c = { }; for (;;) c()'],
    ['times without end', 'Integer.MAX_VALUE.times { }'],
  ])('ends %s', async (_title, script) => {
    await expect(evaluate(script, limits)).rejects.toThrow('the script exceeded its time budget');
  });

  it.each([
    ['a string that doubles', 'def s = "x"; while (true) { s += s }'],
    ['a string that is repeated', '"x" * 2147483647'],
    ['a list that grows', 'def l = [1]; while (true) { l += l }'],
    ['a range of all integers', '(0..2147483646).toList()'],
    ['a huge power', '10G ** 100000000'],
    ['an array of all integers', 'new int[2147483647]'],
    ['padding', '"x".padLeft(2000000000)'],
  ])('ends %s', async (_title, script) => {
    await expect(evaluate(script, limits)).rejects.toThrow('the script exceeded its memory budget');
  });

  it('ends an endless loop in a closure that outlived its run', async () => {
    const source = 'class A { static c }; if (A.c) A.c() else A.c = { while (true) { } }; 1';
    const script = compileScript(source, { classes: groovyClasses() });
    await runScript(script, { limits }).result;
    await expect(runScript(script, { limits }).result).rejects.toThrow('the script exceeded its time budget');
  });

  it('turns recursion without end into an error that a script can catch', async () => {
    expect(
      await evaluate('def f(n) { f(n + 1) }\ntry { f(0) } catch (StackOverflowError e) { "deep" }', limits),
    ).toMatchObject({ value: 'deep' });
  });
});

describe('the reach of a Groovy script', () => {
  it.each([
    [
      '"".constructor',
      'groovy.lang.MissingPropertyException: No such property: constructor for class: java.lang.String',
    ],
    ['[].__proto__', { value: [] }],
    ['({ }).constructor', 'groovy.lang.MissingPropertyException: No such property: constructor for class: Script1'],
    ['this.process', 'groovy.lang.MissingPropertyException: No such property: process for class: Script1'],
    ['globalThis', 'groovy.lang.MissingPropertyException: No such property: globalThis for class: Script1'],
    ['[a: 1].toString.call()', 'java.lang.NullPointerException: Cannot invoke method call() on null object'],
    ['[:].__proto__', { value: null }],
    [
      '[:].hasOwnProperty("x")',
      'groovy.lang.MissingMethodException: No signature of method: java.util.LinkedHashMap.hasOwnProperty() is applicable for argument types: (String) values: [x]',
    ],
    [
      '"x"."constructor"("y")',
      'groovy.lang.MissingMethodException: No signature of method: java.lang.String.constructor() is applicable for argument types: (String) values: [y]',
    ],
    [
      'Class.forName("java.lang.Runtime")',
      'java.lang.UnsupportedOperationException: class java.lang.Runtime is not available',
    ],
    ['def __proto__ = 5; __proto__', { value: 5 }],
  ])('%j meets classes of Java only', async (script, expected) => {
    expect(await evaluate(script)).toMatchObject(typeof expected === 'string' ? { thrown: expected } : expected);
  });
});
