import { describe, expect, it } from 'vitest';
import { compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { ScriptError } from '../../../../dataplane/scripts/groovy/syntax/place.ts';

function refusal(source: string): string {
  try {
    compileScript(source, { classes: groovyClasses() });
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return `${error.place.line}:${error.place.column} ${error.message}`;
  }
  return 'compiled';
}

describe('a Groovy script that is refused', () => {
  it.each([
    ['import java.io.File\nnew File("/")', '1:1 class java.io.File is not available'],
    ['def x = 1\nnew File("/etc/passwd").text', '2:5 class File is not available'],
    ['java.nio.file.Files.readString(null)', '1:1 class java.nio.file.Files is not available'],
    ['def f() {\n  Runtime.getRuntime().exec("id")\n}', '2:3 class Runtime is not available'],
    ['@groovy.transform.CompileStatic\nclass A { }', '1:1 `@CompileStatic` is not supported'],
    ['use (String) { }', '1:1 categories (`use`) are not supported'],
    ['foo(', "1:5 '(' is not closed"],
    ['def x = 1\ndef x = 2', "2:5 the variable 'x' is already declared"],
    ['if (true) {\n  break\n}', "2:3 'break' stands only in a loop or a switch"],
    ['5 = x', '1:1 the left side of an assignment must be a variable, a property or an element'],
    ['"${1', "1:5 a value in a string has no closing '}'"],
    ['EnumSet.noneOf(Thread.State)', '1:1 class EnumSet is not available'],
    ['@ToString class A { }', '1:1 the annotation `@ToString` is not available'],
    [
      'import groovy.transform.ToString\n@ToString(includeSuper = true) class A { }',
      '2:1 `@ToString` with `includeSuper` is not supported',
    ],
    [
      'import groovy.transform.MapConstructor\n@MapConstructor class A { final x }',
      '2:1 `@MapConstructor` of a class with final properties is not supported',
    ],
    ['class A { def x }\nclass B extends A { def x }', "2:21 the field 'x', which A has too, is not supported"],
    ['1.5L', '1:1 1.5L is not a number'],
    ['class A { }\nA.mixin(String)', '2:3 `mixin` is not supported'],
    ['String.mixin(Object)', '1:8 `mixin` is not supported'],
    ['def x = Thread.State', '1:9 class Thread.State is not available'],
    ['java.lang.Thread.State.NEW', '1:1 class java.lang.Thread.State is not available'],
    ['Locale.Category.DISPLAY', '1:1 class Locale.Category is not available'],
    [
      'class A { def toString() { 1 } }',
      "1:11 the method 'toString' must return java.lang.String, as in java.lang.Object",
    ],
    [
      'class A implements Runnable { def run() { } }',
      "1:31 the method 'run' must return void, as in java.lang.Runnable",
    ],
    ['class B { int f() { 1 } }\nclass A extends B { def f() { 2 } }', "2:21 the method 'f' must return int, as in B"],
    ['class A { final x\n  def f() { x = 1 } }', "2:13 the field 'x' is final"],
  ])('%j says where and why', (source, message) => {
    expect(refusal(source)).toBe(message);
  });

  it.each([
    ['"abc".describeConstable()', '1:7 the method describeConstable of java.lang.String is not available'],
    ['def u = new URL("http://h/")\nu.text', '2:1 the method getText of java.net.URL is not available'],
    [
      'def u = new URL("http://h/")\nu.openConnection()',
      '2:3 the method openConnection of java.net.URL is not available',
    ],
    ['def f(x) {\n  x.openConnection()\n}', '2:5 the method openConnection is not available'],
    ['Thread.dumpStack()', '1:8 the method dumpStack of java.lang.Thread is not available'],
    ['[1].collect { it.openStream() }', '1:18 the method openStream is not available'],
    ['def c = String.&describeConstable', 'compiled'],
    ['def c = "a".&describeConstable', '1:14 the method describeConstable of java.lang.String is not available'],
    ['Comparator.naturalOrder().thenComparing { it }', '1:27 the method thenComparing(Closure) is not available'],
  ])('%j names the method that is not available', (source, message) => {
    expect(refusal(source)).toBe(message);
  });

  it.each([
    ['class A { }\nA.metaClass = null', '2:1 assigning `metaClass` is not supported'],
    ['class A { }\nnew A().setMetaClass(null)', '2:9 the method setMetaClass is not available'],
    ['def f() {\n  this()\n}', '2:7 `this(…)` outside of a constructor is not supported'],
    ['class A {\n  def f() { super() }\n}', '2:18 `super(…)` outside of a constructor is not supported'],
    ['class A {\n  final x\n  def f() { this.x++ }\n}', "3:13 the field 'x' is final"],
  ])('%j names the code that is not supported', (source, message) => {
    expect(refusal(source)).toBe(message);
  });

  it.each([
    'def m = [openConnection: { 1 }]\nm.openConnection()',
    'def m = [:]\nm.openConnection = { 1 }\nm.openConnection()',
    'class A { def openConnection() { 1 } }\ndef f(a) { a.openConnection() }',
    'class A { def methodMissing(String name, args) { name } }\ndef f(a) { a.openConnection() }',
    'String.metaClass.openConnection = { -> 1 }\n"a".openConnection()',
    'class A { def openConnection }\ndef f(a) { a.openConnection() }',
    'class A { String content }\ndef f(a) { a.getContent() }',
    'class A { static mixin(x) { x } }\nA.mixin(1)',
    'class A { def thenComparing(Closure c) { c(1) } }\nnew A().thenComparing { it }',
    'class B { def f() { 1 } }\nclass A extends B { String f() { 2 } }',
    'class A { boolean equals(A other) { true }\n  String toString() { "a" } }',
    'class A { final x\n  A() { x = 1 } }',
    'def json = new groovy.json.JsonBuilder()\njson.openConnection(1)',
    'def f() { globals.helper.openConnection(1) }',
    'def u = new URL("http://h/")\nu = [text: 1]\nu.text',
    'def f(x) { x.text }',
    '"abc".noSuchMethod()',
  ])('%j may have a method of that name itself, and compiles', (source) => {
    expect(refusal(source)).toBe('compiled');
  });

  it('does not end the process with a script that is nested too deeply', () => {
    expect(refusal(`${'('.repeat(5000)}1${')'.repeat(5000)}`)).toContain('nested too deeply');
    expect(refusal(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toContain('nested too deeply');
    expect(refusal(`def x = ${'-'.repeat(5000)}1`)).not.toBe('');
    expect(refusal(`m${'.a'.repeat(5000)}`)).toContain('the path is too long');
    expect(refusal(`f${'()'.repeat(5000)}`)).toContain('the path is too long');
    expect(refusal(`m${'[0]'.repeat(5000)}`)).toContain('the path is too long');
    expect(refusal(`1${' as int'.repeat(5000)}`)).toContain('nested too deeply');
  });

  it.each([
    ['+', '1'],
    ['*', '1'],
    ['&&', 'true'],
    ['||', 'false'],
    ['<<', '1'],
    ['==', 'true'],
  ])('is not one with a chain of 5000 operators %s', (operator, operand) => {
    expect(refusal(Array(5000).fill(operand).join(` ${operator} `))).toBe('compiled');
  });
});
