import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../support/groovy/evaluate.ts';

describe('Groovy, where other languages differ', () => {
  it.each([
    [
      'does not hold a GString equal to a String for equals',
      'def n = 1; ["a$n" == "a1", "a$n".equals("a1")]',
      [true, false],
    ],
    [
      'tells a GString key from a String key',
      'def k = "a"; def m = [:]; m.put("$k", 1); [m["a"], m.containsKey("$k")]',
      [null, true],
    ],
    [
      'takes the text of a GString as an index',
      'def k = "a"; def m = [:]; m["$k"] = 1; [m["a"], m.containsKey("$k")]',
      [1, false],
    ],
    ['does not find a GString in a list of Strings', 'def k = "x"; ["x"].contains("$k")', false],
    ['shows a method an undeclared variable and hides a def', 'x = 1\ndef f() { x }\nf()', 1],
    [
      'returns the value of an if without return',
      'def f(a) { if (a) { "yes" } else { "no" } }\n[f(1), f(0)]',
      ['yes', 'no'],
    ],
    [
      'returns the value of a switch without return',
      'def f(a) { switch (a) { case 1: "one"; break; default: "many" } }\n[f(1), f(2)]',
      ['one', 'many'],
    ],
    [
      'returns the value of a try without return',
      'def f() { try { throw new Exception("x") } catch (e) { e.message } finally { 5 } }\nf()',
      'x',
    ],
    ['divides integers into a BigDecimal', '1 / 3', { $decimal: '0.3333333333' }],
    ['wraps an int', 'Integer.MAX_VALUE + 1', -2147483648],
    ['compares numbers of different types by value', '[1 == 1L, 1 == 1.0, "1" == 1]', [true, true, false]],
    ['takes the class of a map for a key', '[a: 1].class', null],
    ['reads null after the end of a list', '[1, 2, 3][5]', null],
    ['leaves only the closure with a return in each', 'def f() { [1, 2].each { return it }; "end" }\nf()', 'end'],
    [
      'chooses an overload by the class at run time',
      'def f(String s) { "text" }\ndef f(Object o) { "object" }\nObject x = "a"\nf(x)',
      'text',
    ],
    ['splits by a regular expression and drops blanks at the end', '"a.b..".split(/\\./).toList()', ['a', 'b']],
    ['adds text to null', 'null + "a"', 'nulla'],
    [
      'keeps one variable for all turns of a for loop',
      'def cs = []; for (int i = 0; i < 2; i++) cs << { i }; cs*.call()',
      [2, 2],
    ],
    ['assigns a character to an int by its code', 'int i = "5"; i', 53],
    ['takes the first of two named arguments as a map', 'def f(Map m, x) { m.a + x }\nf(2, a: 1)', 3],
    ['takes the arrow of a closure for the end of its parameters', 'def c = { x, y = x -> x + y }; c(2)', 4],
    ['calls methods of Closure by their name alone', 'def t = { trampoline() }; t() instanceof Closure', true],
    ['evaluates a closure in a GString at each use', 'def x = 1; def s = "${-> x}"; x = 2; s.toString()', '2'],
  ])('%s', async (_title, script, value) => {
    expect(await evaluate(script)).toEqual({ value, printed: '' });
  });

  it.each([
    [
      'goes on after a safe navigation that gave null',
      'def x = null; x?.foo.bar',
      "java.lang.NullPointerException: Cannot get property 'bar' on null object",
    ],
    [
      'hides a def variable from a method',
      'def x = 5\ndef f() { x }\nf()',
      'groovy.lang.MissingPropertyException: No such property: x for class: Script1',
    ],
    [
      'throws for a negative index before the start of a list',
      '[1, 2, 3][-5]',
      'java.lang.ArrayIndexOutOfBoundsException: Negative array index [-5] too large for array size 3',
    ],
  ])('%s', async (_title, script, thrown) => {
    expect(await evaluate(script)).toEqual({ thrown, printed: '' });
  });
});
