import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../contract/pattern/pattern.ts';
import { ValueProblem } from '../../../contract/problem.ts';

describe('the facts of a pattern for the dispatch index', () => {
  it.each([
    // source, literalPrefix, exactPrefix, exactText, exactLine
    ['^/orders', '/orders', true, null, null],
    ['\\A/orders', '/orders', true, null, null],
    ['^/orders.*', '/orders', true, null, null],
    ['^(/orders)(/.*)?', '/orders', true, null, null],
    ['^\\Q/a.b\\E', '/a.b', true, null, null],
    ['^', '', true, null, null],
    ['^/a$', '/a', false, null, '/a'],
    ['^/a\\Z', '/a', false, null, '/a'],
    ['^/a\\z', '/a', false, '/a', '/a'],
    ['^/a(/.*)?$', '/a', false, null, null],
    ['^/a+', '/a', false, null, null],
    ['^/a\\b', '/a', false, null, null],
    ['^(?:/api/x|/api/y)', '/api/', false, null, null],
    ['^/a|^/b', '/', false, null, null],
    ['^/a|/b', null, false, null, null],
    ['/orders', null, false, null, null],
    ['(?m)^/a', null, false, null, null],
    ['(?i)^/a', '/', false, null, null],
    ['^[/]a', '/a', true, null, null],
    ['^\\x{d83d}', '', false, null, null],
  ])('are found in %s', (source, literalPrefix, exactPrefix, exactText, exactLine) => {
    const pattern = compilePattern(source, 'linear');
    expect(pattern).toMatchObject({ source, literalPrefix, exactPrefix, exactText, exactLine });
  });

  it('holds for texts around it', () => {
    const texts = [
      '',
      '/',
      '/a',
      '/a\n',
      '/a\r\n',
      '/a\n\n',
      '/a/',
      '/ab',
      'x/a',
      '/A',
      '/orders',
      '/orders/1',
      '/api/x',
    ];
    for (const source of ['^/orders', '^/a$', '^/a\\z', '^/a(/.*)?$', '/a$', '/a\\z', '(?d)/a$', '^', '/a', '$', '']) {
      const pattern = compilePattern(source, 'linear');
      // A look-ahead that is always true takes the quick ways away without changing what is found.
      const slow = compilePattern(`(?=)(?:${source})(?=)`, 'bounded');
      for (const text of texts) {
        const found = slow.test(text);
        expect(pattern.test(text), `${source} on ${JSON.stringify(text)}`).toBe(found);
        expect(pattern.matches(text), `${source} is ${JSON.stringify(text)}`).toBe(slow.matches(text));
        if (pattern.literalPrefix !== null && found) expect(text.startsWith(pattern.literalPrefix)).toBe(true);
        if (pattern.exactPrefix) expect(text.startsWith(pattern.literalPrefix!)).toBe(found);
        if (pattern.exactText !== null) expect(text === pattern.exactText).toBe(found);
        if (pattern.exactLine !== null && !/[\r\n]$/.test(text)) expect(text === pattern.exactLine).toBe(found);
      }
    }
  });
});

describe('policy', () => {
  it.each([
    ['a(?=b)', 'a look-ahead'],
    ['a(?!b)', 'a look-ahead'],
    ['(?<=a)b', 'a look-behind'],
    ['(?<!a)b', 'a look-behind'],
    ['(a)\\1', 'a back-reference'],
    ['(?<n>a)\\k<n>', 'a back-reference'],
    ['(?>a)', 'an atomic group'],
    ['a++', 'a possessive quantifier'],
    ['(?:ab){2}+', 'a possessive quantifier'],
  ])('%s is refused for a tenant: %s', (source, feature) => {
    expect(() => compilePattern(source, 'linear')).toThrow(
      `it uses ${feature}, which cannot be matched in linear time`,
    );
    expect(compilePattern(source, 'bounded').source).toBe(source);
  });
});

describe('problems', () => {
  it('report the pattern, the position and a hint', () => {
    try {
      compilePattern('ab{,2}', 'linear');
      expect.unreachable();
    } catch (problem) {
      expect(problem).toBeInstanceOf(ValueProblem);
      expect(problem).toMatchObject({
        code: 'pattern',
        message:
          "the regular expression 'ab{,2}' is not usable: a count is written {n}, {n,} or {n,m} (at character 3)",
        hint: 'write \\{ for the character itself',
      });
    }
  });

  it.each([
    ['a\\Qbc\\E(', 'at character 8'],
    ['😀(', 'at character 3'],
    ['\\p{Foo}', '\\p{Foo} is not known'],
    ['(?P<n>a)', "'(?P' is not the start of any group"],
  ])("of %s are reported as '%s'", (source, message) => {
    expect(() => compilePattern(source, 'linear')).toThrow(message);
  });

  it('do not repeat a long pattern in full', () => {
    expect(() => compilePattern(`${'a'.repeat(5_000)}(`, 'linear')).toThrow(/^.{0,200}$/s);
  });
});

describe('matches', () => {
  it('return named groups, null for groups without a match', () => {
    const match = compilePattern('(?<year>\\d{4})(?:-(?<month>\\d\\d))?', 'linear').exec('in 2026.');
    expect(match).toEqual({
      index: 3,
      end: 7,
      groups: ['2026', '2026', null],
      named: new Map([
        ['year', '2026'],
        ['month', null],
      ]),
      slots: Int32Array.of(3, 7, 3, 7, -1, -1),
    });
  });

  it('from a position still see the text before it', () => {
    expect(compilePattern('^b', 'linear').exec('ab', 1)).toBeNull();
    expect(compilePattern('\\bb', 'linear').exec('ab', 1)).toBeNull();
    expect(compilePattern('(?<=a)b', 'bounded').exec('ab', 1)?.index).toBe(1);
    expect(compilePattern('b*', 'linear').exec('ab', 2)?.index).toBe(2);
    expect(compilePattern('b*', 'linear').exec('ab', 3)).toBeNull();
  });

  it('stay unchanged when the pattern is used again', () => {
    const pattern = compilePattern('(.)x', 'linear');
    const first = pattern.exec('ax');
    pattern.exec('bx');
    expect(first?.groups).toEqual(['ax', 'a']);
  });
});

describe('edits', () => {
  it.each([
    ['a(b)?', 'ab a', '[$1]', '[b] []', '[b] a'],
    ['(?<x>a)', 'aa', '${x}${x}', 'aaaa', 'aaa'],
    ['a', 'aa', '\\$1\\\\', '$1\\$1\\', '$1\\a'],
    ['(a)', 'a', '$10', 'a0', 'a0'],
    ['', 'ab', '-', '-a-b-', '-ab'],
  ])('%s in %s by %s', (source, text, template, all, first) => {
    const pattern = compilePattern(source, 'linear');
    expect(pattern.replaceAll(text, template)).toBe(all);
    expect(pattern.replaceFirst(text, template)).toBe(first);
  });

  it.each(['$', '$x', '$2', '${y}', '${', 'a\\'])('the template %s is refused once there is a match', (template) => {
    const pattern = compilePattern('(?<x>a)', 'linear');
    expect(() => pattern.replaceAll('a', template)).toThrow(ValueProblem);
    expect(() => pattern.replaceFirst('a', template)).toThrow(/^the replacement .* is not usable: /);
    expect(pattern.replaceAll('b', template)).toBe('b');
  });
});
