import { expect, it } from 'vitest';
import { compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../../dataplane/scripts/groovy/runtime/script-run.ts';

async function failedLine(source: string): Promise<number | null> {
  const script = compileScript(source, { classes: groovyClasses() });
  const error = await runScript(script).result.catch((each) => each);
  return script.lineOf(error.throwable.origin);
}

it.each([
  ['a call on null', '1\nnull.foo()\n3', 2],
  ['an exception of the script', "def a = 1\n\nthrow new Exception('x')", 3],
  ['a method of the script', 'def f(x) {\n  x.nope()\n}\n\nf(1)', 2],
  ['a closure that the library calls', '[1, 2].each {\n  println it\n  it.nope\n}', 3],
  ['a comparison of a sort', "[1, 2].sort { a, b ->\n  throw new Exception('z')\n}", 2],
  ['a call of a chain', "def s = 'a'\n  .trim()\n  .nope()", 3],
  ['a catch clause', "try {\n  1 / 0\n} catch (e) {\n  throw new RuntimeException('y', e)\n}", 4],
  ['a method of a class', 'class A {\n  String x\n  def m() {\n    x.y()\n  }\n}\nnew A().m()', 4],
  ['an argument of a literal', 'def m = [a: 1,\n  b: nope()]', 2],
  ['a method of the library that meets null', '\nnew URI(null)', 2],
  ['code after a wait', 'Thread.sleep(1)\nnull.x()', 2],
  ['a failed assertion', '\n\nassert 1 == 2', 3],
])('names the line of %s', async (_title, source, line) => {
  expect(await failedLine(source)).toBe(line);
});

it('names the line of the code, not one that a message pretends', async () => {
  expect(await failedLine("\nthrow new Exception((1..50).collect { 'groovy-script-' + it + ':9:9' }.join())")).toBe(2);
});

it('keeps texts with line breaks and control characters in one piece', async () => {
  const script = compileScript("def s = '''a\n\u0001b\u2028'''\ns.size()", { classes: groovyClasses() });
  expect(await runScript(script).result).toBe(5);
});
