import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { ScriptTexts } from '../../../../dataplane/scripts/groovy/runtime/shell/script-texts.ts';
import { evaluate } from '../../../support/groovy/evaluate.ts';
import { groovyRows, replayRow } from '../../../support/groovy/replay.ts';

const rows = groovyRows(readFileSync(new URL('../../../vectors/groovy-shell.jsonl', import.meta.url), 'utf8'));
const limits = { milliseconds: 2000, bytes: 8 * 1024 * 1024, depth: 300 };

describe('texts that a script evaluates', () => {
  it.each(rows)('answers as Groovy: $script', async (row) => {
    expect(await replayRow(row)).toMatchObject({ verdict: 'same' });
  });

  it.each([
    ["evaluate('\\n1 +* 2')", 'line 2, column 4'],
    ["new GroovyShell().evaluate('def a = 1\\n  a = ;')", 'line 2, column 7'],
    ["Eval.me('x.')", 'line 1, column 2'],
    ["new GroovyShell().parse('if (')", 'line 1, column 5'],
  ])('names the place of a mistake: %s', async (script, place) => {
    const { thrown } = await evaluate(script);
    expect(thrown).toContain('MultipleCompilationErrorsException: startup failed:\nScript1.groovy: ');
    expect(thrown).toContain(place);
  });

  it.each([
    ['e.message', "'(' is not closed @ line 1, column 5"],
    ['e.localizedMessage', "'(' is not closed @ line 1, column 5"],
    ['e.toString()', "'(' is not closed @ line 1, column 5"],
    ['"${e}"', "'(' is not closed @ line 1, column 5"],
    ['[e].toString()', "'(' is not closed @ line 1, column 5"],
    ['new RuntimeException(e)', "'(' is not closed @ line 1, column 5"],
  ])('refuses to make up a message of the Groovy parser: %s', async (read, mistake) => {
    const { thrown } = await evaluate(`try { evaluate('foo(') } catch (e) { ${read} }`);
    const refusal = `Script1.groovy: ${mistake}: the message that Groovy has for it is not available`;
    expect(thrown).toBe(`java.lang.UnsupportedOperationException: ${refusal}`);
  });

  it('lets a script catch a mistake whose message it cannot read', async () => {
    const script =
      "try { evaluate('foo(') } catch (org.codehaus.groovy.control.CompilationFailedException e) { [e.class.simpleName, e.cause] }";
    expect(await evaluate(script)).toMatchObject({ value: ['MultipleCompilationErrorsException', null] });
  });

  it.each([
    ["evaluate('break; break')", 'two mistakes'],
    ["evaluate('new Foo(); new Bar()')", 'two classes'],
    ["evaluate('request.uri.')", 'a name that does not end'],
  ])('has no message where Groovy may report something else: %s (%s)', async (script) => {
    const { thrown } = await evaluate(`try { ${script} } catch (e) { e.message }`);
    expect(thrown).toMatch(/^java\.lang\.UnsupportedOperationException: .* is not available$/);
  });

  it.each([
    ['evaluate(\'new File("/etc/passwd")\')', 'class File is not available @ line 1, column 5'],
    ['Eval.me(\'new URL("http://a").openConnection()\')', 'the method openConnection of java.net.URL is not available'],
    ["evaluate('import groovy.xml.*; new XmlSlurper()')", 'class XmlSlurper is not available'],
    ["evaluate('use(String) { 1 }')", 'categories (`use`) are not supported @ line 1, column 1'],
    ["new GroovyShell().evaluate('1', '../x.groovy')", 'a script with the name ../x.groovy is not available'],
  ])('rejects by name what is not available: %s', async (script, reason) => {
    const { thrown } = await evaluate(script);
    expect(thrown).toContain('java.lang.UnsupportedOperationException: ');
    expect(thrown).toContain(reason);
  });

  it('gives each evaluation classes and static fields of its own', async () => {
    const source = "(1..3).collect { evaluate('class A { static n = 0 }; ++A.n') }";
    expect(await evaluate(source)).toMatchObject({ value: [1, 1, 1] });
  });

  it('takes variables from the run, not from the one that compiled the text', async () => {
    const script = compileScript("evaluate('x + 1')", { classes: groovyClasses() });
    const outer = compileScript("def sh = new GroovyShell(new Binding(x: n)); sh.evaluate('x + 1')", {
      classes: groovyClasses(),
    });
    const texts = new ScriptTexts();
    const run = (code: typeof script, name: string, value: number) =>
      runScript(code, { texts, prepare: (machine) => void machine.variables.set(name, value) }).result;
    expect(await run(script, 'x', 1)).toBe(2);
    expect(await run(script, 'x', 5)).toBe(6);
    expect(await run(outer, 'n', 7)).toBe(8);
  });
});

describe('the budget of texts that a script evaluates', () => {
  it.each([
    ['a loop in a text', "evaluate('while (true) { }')"],
    ['a loop that catches everything', "evaluate('while (true) { try { while (true) { } } catch (Throwable t) { } }')"],
    ['a loop around a text', "while (true) evaluate('1')"],
    ['a loop in a method of a parsed script', "new GroovyShell().parse('def f() { while (true) { } }').f()"],
    ['a loop in a closure of a text', "evaluate('{ -> while (true) { } }')()"],
    ['a loop in a static initializer', "evaluate('class A { static x = { while (true) { } }() }; A.x')"],
  ])('ends %s', async (_title, script) => {
    await expect(evaluate(script, { ...limits, milliseconds: 100 })).rejects.toThrow('exceeded its time budget');
  });

  it.each([
    ['ever new texts', 'for (i in 0..1000000) evaluate("1 + $i")'],
    ['ever new texts of one shell', 'def s = new GroovyShell(); for (i in 0..1000000) s.evaluate("1 + $i")'],
    ['ever new texts with classes', "for (i in 0..1000000) Eval.me('class A { static l = [1] * 1000 }; 1')"],
    ['ever new texts that are wrong', 'for (i in 0..1000000) try { Eval.me("1 +* $i") } catch (e) { }'],
    ['ever new texts with a long literal', 'for (i in 0..1000000) Eval.me("\'" + "x" * 8000 + "$i\'")'],
  ])('ends %s', async (_title, script) => {
    await expect(evaluate(script, limits)).rejects.toThrow(/exceeded its (?:time|memory) budget/);
  });

  it.each([
    ['operators', "def t = 'a' + '+a' * 4000"],
    ['statements', "def t = 'x=1;' * 2000"],
    ['calls with closures', "def t = 'a.b(c){d};' * 800"],
    ['classes', 'def t = (1..500).collect { "class A$it {}" }.join(\'\\n\')'],
    ['names', "def t = 'a;' * 4000"],
  ])('interrupts the compilation of many %s', async (_title, text) => {
    const short = { milliseconds: 2, bytes: 32 * 1024 * 1024, depth: 300 };
    await expect(evaluate(`${text}; Eval.me(t)`, short)).rejects.toThrow('exceeded its time budget');
  });

  it.each([
    ['a text of a megabyte', "Eval.me('1' + ' ' * 1000000)", 'at most 8192 characters'],
    ['brackets within brackets', "Eval.me('[' * 4000 + ']' * 4000)", 'nested'],
    ['braces within braces', "Eval.me('{' * 4000 + '}' * 4000)", 'nested'],
    ['a long chain', "Eval.me('a' + '.b' * 4000)", 'the path is too long'],
  ])('rejects %s', async (_title, script, reason) => {
    const { thrown } = await evaluate(script, { ...limits, bytes: 32 * 1024 * 1024 });
    expect(thrown).toContain(reason);
    expect(thrown?.length).toBeLessThan(500);
  });

  it.each([
    ['a text that evaluates itself', "t = 'evaluate(t)'; try { evaluate(t) } catch (StackOverflowError e) { 'deep' }"],
    [
      'a shell in a shell',
      "t = 'new GroovyShell(binding).evaluate(t)'; try { evaluate(t) } catch (StackOverflowError e) { 'deep' }",
    ],
    [
      'a script that runs itself',
      "n = 0; if (n++ < 1e6) try { run() } catch (StackOverflowError e) { return 'deep' }; 'deep'",
    ],
  ])('ends recursion without end: %s', async (_title, script) => {
    expect(await evaluate(script, limits)).toMatchObject({ value: 'deep' });
  });

  it('remembers few texts, and each as long as others do not need its place', () => {
    const texts = new ScriptTexts();
    const script = compileScript('1', { classes: groovyClasses() });
    const { machine } = runScript(script);
    const first = texts.compile(machine, '1', 'Script1');
    for (let at = 0; at < 31; at++) texts.compile(machine, `2 + ${at}`, 'Script1');
    expect(texts.compile(machine, '1', 'Script1')).toBe(first);
    for (let at = 0; at < 32; at++) texts.compile(machine, `3 + ${at}`, 'Script1');
    expect(texts.compile(machine, '1', 'Script1')).not.toBe(first);
    const large = texts.compile(machine, `'${'x'.repeat(8000)}'`, 'Script1');
    for (let at = 0; at < 5; at++) texts.compile(machine, `'${at}${'y'.repeat(8000)}'`, 'Script1');
    expect(texts.compile(machine, `'${'x'.repeat(8000)}'`, 'Script1')).not.toBe(large);
  });
});

describe('the reach of texts that a script evaluates', () => {
  it.each([
    ["evaluate('this.process')", 'MissingPropertyException: No such property: process for class: Script1'],
    ["evaluate('globalThis')", 'MissingPropertyException: No such property: globalThis for class: Script1'],
    [
      'new GroovyShell().constructor',
      'MissingPropertyException: No such property: constructor for class: groovy.lang.GroovyShell',
    ],
    ['new Binding().__proto__', 'MissingPropertyException: No such property: __proto__ for class: groovy.lang.Binding'],
    ['evaluate(\'System.getenv("PATH")\')', 'SecurityException'],
    ['def b = new Binding(Collections.unmodifiableMap([a: 1])); b.c = 2', 'UnsupportedOperationException'],
    [
      "def b = new Binding(Collections.unmodifiableMap([a: 1])); new GroovyShell(b).evaluate('c = 2')",
      'UnsupportedOperationException',
    ],
    ["evaluate('x', new Binding(x: 1))", 'MissingMethodException'],
  ])('%s meets the same bounds as the script', async (script, thrown) => {
    expect((await evaluate(script)).thrown).toContain(thrown);
  });

  it.each([
    ["Eval.x([:], 'x.__proto__ = 1; x.constructor = 2; x')", { __proto__: 1, constructor: 2 }],
    ['def b = new Binding(); b.__proto__ = 1; b.variables.keySet() as List', ['__proto__']],
    ["evaluate('constructor = 3; constructor')", 3],
    ["Eval.me('toString', 4, 'toString + 1')", 5],
  ])('%s holds names of JavaScript as any other', async (script, value) => {
    expect(JSON.stringify((await evaluate(script)).value)).toBe(
      JSON.stringify(value) === '{"constructor":2}' ? '{"__proto__":1,"constructor":2}' : JSON.stringify(value),
    );
  });
});
