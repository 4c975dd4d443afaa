import { describe, expect, it } from 'vitest';
import { BudgetExceeded } from '../../../../../dataplane/scripts/script-budget.ts';
import { evaluate } from '../../../../support/groovy/evaluate.ts';

const limits = { milliseconds: 300, stretch: 50, bytes: 16 * 1024 * 1024, depth: 600 };
const nested = 'def l = []; 40.times { l = [l, l] };';

describe('operations of the library', () => {
  it.each([
    `${nested} l.toString()`,
    `${nested} l.hashCode()`,
    `${nested} [(l): 1]`,
    `${nested} l.flatten()`,
    `${nested} groovy.json.JsonOutput.toJson(l)`,
    "def s = 'x'; 40.times { s = s + s }; s",
    'def l = [1]; while (true) l.addAll(l)',
    '(1..100000000).toList()',
    "'x'.padLeft(2000000000)",
    "'a'.multiply(1000000000)",
    "'ab'.replace('', 'x' * 100000000)",
    "String.format('%999999999s', 'x')",
    "String.format('%.999999999f', 1.5d)",
    "new BigDecimal('1').setScale(500000000)",
    "new BigInteger('9' * 100000).pow(1000)",
    '(10 ** 100000) ** 100000',
    '(1..30).inject([[]]) { a, b -> a + a.collect { it + b } }',
    'def m = new TreeMap(); while (true) m[m.size()] = 1',
    'def b = new StringBuilder(); while (true) b << "0123456789"',
    'def s = new HashSet(); while (true) s << [s.size()]',
    '[(1..1000), (1..1000), (1..1000)].combinations()',
    "def s = 'x' * 1000000; while (true) s.hashCode()",
    "def s = 'x' * 1000000; def t = 'x' * 999999 + 'y'; while (true) s <=> t",
    "def s = 'x' * 1000000; def t = 'x' * 999999 + 'y'; while (true) s == t",
    "def s = 'x' * 1000000; def t = 'x' * 999999 + 'y'; while (true) s.equals(t)",
    "def b = ('x' * 1000000).bytes; while (true) Arrays.hashCode(b)",
    "def b = ('x' * 1000000).bytes; while (true) java.security.MessageDigest.isEqual(b, b)",
    "def s = ' ' * 1000000; while (true) s.isBlank()",
    "('x' * 7000000).collect { it }",
    "('x' * 7000000).bytes.toList()",
    "('x,' * 3000000).tokenize(',')",
    'def l = []; 60.times { l = [l, l] }; def m = []; 60.times { m = [m, m] }; [l, m].unique()',
    'def l = []; 60.times { l = [l, l] }; def m = []; 60.times { m = [m, m] }; l == m',
    "def x = new BigInteger('7' * 3000); while (true) x = x * x",
    'def l = (1..100000).toList(); while (true) l.add(0, 1)',
    'def l = new LinkedList((1..100000).toList()); while (true) { l.addFirst(l.removeLast()) }',
    'def s = \'x\' * 1000000; def g = "${s}${s}"; while (true) g.hashCode()',
    'def s = \'x\' * 1000000; def m = [:]; def i = 0; while (true) m["${s}${i++}".toString()] = 1',
    "def b = new StringBuilder('x' * 1000000); while (true) b.setCharAt(5, 'y' as char)",
    "('7' * 1000000).isNumber()",
    "URLEncoder.encode('é' * 1000000, 'UTF-8')",
    "try { ('a' * 1000000) ==~ /(?=(a+)+)(a*)*\\1b/ } catch (Throwable e) { 'caught' }",
  ])('end with the budget of the script: %s', async (script) => {
    await expect(evaluate(script, limits)).rejects.toThrow(BudgetExceeded);
  });

  it('keeps a sorted map of many keys without a walk over all of them', async () => {
    const script = 'def m = new TreeMap(); for (i in 1..20010) m[(i * 7919) % 20011] = i; m.firstKey() + m.lastKey()';
    expect(await evaluate(script)).toMatchObject({ value: 20_011 });
    expect(await evaluate('new TreeSet((20000..1).toList()).first()')).toMatchObject({ value: 1 });
  });

  it.each([
    [
      "def m = new TreeMap(); m.b = 1; m.a = 2; m.c = 3; m.remove('b'); m.a = 5; m.toString() + m.size()",
      '[a:5, c:3]2',
    ],
    [
      'def m = new TreeMap({ a, b -> b <=> a } as Comparator); m[1] = 1; m[3] = 3; m[2] = 2; m.keySet().toString()',
      '[3, 2, 1]',
    ],
    ["try { new TreeMap()[null] = 1 } catch (NullPointerException e) { 'none' }", 'none'],
    [
      'def m = new TreeMap([b: 1, a: 2]); [m == [a: 2, b: 1], m.hashCode() == [a: 2, b: 1].hashCode()].toString()',
      '[true, true]',
    ],
  ])('keeps a sorted map in order: %s', async (script, expected) => {
    expect((await evaluate(script)).value).toBe(expected);
  });

  it('trims a long run of spaces in time that grows with its length', async () => {
    expect(await evaluate("(' ' * 500000 + 'x' + ' ' * 500000 + 'y').trim().size()")).toMatchObject({ value: 500_002 });
  });
});
