import { describe, expect, it } from 'vitest';
import { compileScript } from '../../../../dataplane/scripts/groovy/compile/compile-script.ts';
import { groovyClasses } from '../../../../dataplane/scripts/groovy/runtime/groovy-classes.ts';
import { runScript } from '../../../../dataplane/scripts/groovy/runtime/script-run.ts';
import { BudgetExceeded } from '../../../../dataplane/scripts/script-budget.ts';
import { evaluate } from '../../../support/groovy/evaluate.ts';

const parsed = 'def n = new groovy.json.JsonSlurper().parseText(\'{"exp":1e999999999,"nbf":1e-999999999}\');';

describe('numbers with huge exponents', () => {
  it.each([
    [`${parsed} n.exp > 5`, true],
    [`${parsed} n.exp == 1`, false],
    [`${parsed} 5 < n.nbf`, false],
    [`${parsed} -n.exp < 5`, true],
    [`${parsed} -n.exp < -n.nbf`, true],
    [`${parsed} n.exp <=> n.exp * n.exp`, -1],
    [`${parsed} n.exp == 10e999999998`, true],
    [`${parsed} n.exp.intValue()`, 0],
    [`${parsed} n.exp as int`, 0],
    [`${parsed} n.exp.longValue() == 0`, true],
    [`${parsed} n.nbf.intValue()`, 0],
    [`${parsed} n.nbf.toBigInteger() == 0`, true],
    [`${parsed} String.format('%.2f', n.nbf)`, '0.00'],
    [`${parsed} [n.exp, 1].max() == n.exp`, true],
    [`${parsed} n.exp.doubleValue().isInfinite()`, true],
    ['1e2000000000 > 1', true],
    ['12e-3 > 1.1e-2', true],
    ['-12e-3 > -1.1e-2', false],
    ['100.0 == 1e2', true],
    ['(1e70 + 1).intValue()', 1],
    ['0.005.setScale(2, java.math.RoundingMode.HALF_UP).toString()', '0.01'],
    ['1e-9.setScale(2, java.math.RoundingMode.UP).toString()', '0.01'],
    ['(-1e-9).setScale(2, java.math.RoundingMode.FLOOR).toString()', '-0.01'],
    ['(1e40 + 0.0).stripTrailingZeros().toString()', '1E+40'],
    ["new java.text.DecimalFormat('#,##0.00').format(1234567.891)", '1,234,567.89'],
    ["String.format('%,d', -1234567)", '-1,234,567'],
  ])('%s', async (script, expected) => {
    expect(JSON.stringify((await evaluate(script)).value)).toBe(JSON.stringify(expected));
  });

  it.each([
    `${parsed} n.exp.toBigInteger()`,
    `${parsed} n.exp + 1`,
    `${parsed} String.format('%.2f', n.exp)`,
    `${parsed} new java.text.DecimalFormat('0.00').format(n.exp)`,
    `${parsed} n.exp.setScale(2)`,
    `${parsed} n.exp % 7`,
    '1 / (2 ** 1000000)',
  ])('ends with the budget of the script: %s', async (script) => {
    await expect(evaluate(script, { milliseconds: 300, bytes: 16 * 1024 * 1024, depth: 600 })).rejects.toBeInstanceOf(
      BudgetExceeded,
    );
  });

  it('refuses a literal whose exponent Java does not have', () => {
    expect(() => compileScript('1e99999999999', { classes: groovyClasses() })).toThrow('too large for its type');
  });
});

describe('errors of the host', () => {
  it.each([
    'new URI(x)',
    'new URL(x)',
    '[a: 1] + x',
    'new HashMap(x)',
    'UUID.fromString(x)',
    'Collections.sort(x)',
    'java.nio.charset.Charset.forName(x)',
    'java.time.Duration.ZERO.plus(x)',
    "'a'.with(x)",
  ])('%s of null is an exception that a script can catch', async (call) => {
    const caught = await evaluate(`String x = null; try { ${call} } catch (Exception e) { 'caught' }`);
    expect(caught).toMatchObject({ value: 'caught' });
    expect((await evaluate(`def x = null; ${call}`)).thrown).toContain('Exception');
  });

  it('are exceptions that a promise can catch', async () => {
    const P = 'org.forgerock.util.promise.Promises';
    for (const call of ["'a'.with(null)", '[1].collect(null)', '[3, 1].sort { a, b -> null.x }'])
      expect(
        await evaluate(`${P}.newResultPromise(1).then { ${call} }.thenCatchRuntimeException { 'caught' }.get()`),
      ).toMatchObject({ value: 'caught' });
  });

  it.each([
    'def l = []; l << l; l.hashCode()',
    'class A { String toString() { "${this}" } }; new A().toString()',
    'def l = []; 20000.times { l = [l] }; [(l): 1]',
  ])('a stack that is too deep ends the script with an error of Java: %s', async (script) => {
    expect(await evaluate(script)).toMatchObject({ thrown: 'java.lang.StackOverflowError' });
  });
});

describe('objects that outlive a run', () => {
  const limits = { milliseconds: 20_000, bytes: 100_000, depth: 300 };

  it('charge the run that uses them', async () => {
    const script = compileScript('enum E { A; String toString() { \'x\' * 1000 } }; "${E.A}".length()', {
      classes: groovyClasses(),
    });
    for (let run = 0; run < 300; run++) expect(await runScript(script, { limits }).result).toBe(1000);
  });

  it('print where the run that uses them prints', async () => {
    const script = compileScript(
      "class P { String toString() { println 'p'; 'x' } }; class S { static p = new P() }; \"${S.p}\".length()",
      {
        classes: groovyClasses(),
      },
    );
    const printed: string[] = ['', ''];
    for (const run of [0, 1])
      await runScript(script, {
        print: (text) => {
          printed[run] += text;
        },
      }).result;
    expect(printed).toEqual(['p\n', 'p\n']);
  });

  it('are made again after a static initialiser failed', async () => {
    const source =
      "enum E { A, B }; class S { static l = [1]; static m = fail(); static fail() { throw new IllegalStateException('first ' + E.values().size()) } }; S.l.size()";
    const script = compileScript(source, { classes: groovyClasses() });
    for (const _ of [0, 1]) {
      const { machine, result } = runScript(script);
      const error = await result.catch((each) => each);
      expect(machine.text(error.throwable.cause)).toBe('java.lang.IllegalStateException: first 2');
    }
  });
});

describe('compiling', () => {
  it('makes the code of arguments with casts once', async () => {
    // Classes without a name are counted as their code is made.
    const counted = (depth: number) => {
      const nested = `${'f((Object) '.repeat(depth)}new Object() { }${')'.repeat(depth)}`;
      return evaluate(`def f(x) { x }\n${nested}\nnew Object() { }.getClass().name`);
    };
    expect(await counted(12)).toEqual(await counted(1));
  });

  it.each(['class valueOf { }; class B { valueOf v }; new B().v', 'class __proto__ { }; __proto__ x; x'])(
    'gives a variable of any class no value: %s',
    async (source) => {
      expect(await evaluate(source)).toMatchObject({ value: null });
    },
  );
});

describe('names of JavaScript as names of classes', () => {
  it.each([
    ['class constructor { }; class B { def a = v; constructor v }; new B().a', null],
    ['class valueOf { }; class B { def a = v; valueOf v }; new B().a', null],
    ['class constructor { }; new constructor[1].getClass().name', '[Lconstructor;'],
    ['class __proto__ { }; new __proto__[1].getClass().name', '[L__proto__;'],
    ['def await = 1; def arguments = 2; def eval = 3; def let = 4; await + arguments + eval + let', 10],
    [
      'enum E { __proto__, constructor, toString }; E.values().collect { it.name() }.join()',
      '__proto__constructortoString',
    ],
    ['class A { static __proto__ = 1; static constructor = 2 }; A.__proto__ + A.constructor', 3],
  ])('%s', async (script, expected) => {
    expect((await evaluate(script)).value).toBe(expected);
  });
});
