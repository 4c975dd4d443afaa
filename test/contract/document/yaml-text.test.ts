import { describe, expect, it } from 'vitest';
import { MOST_NESTING, MOST_PROBLEMS } from '../../../contract/document/document-text.ts';
import { readYamlText, readYamlTexts } from '../../../contract/document/yaml-text.ts';

describe('a YAML document', () => {
  it('is converted to the equivalent JSON', () => {
    const text = `
# a route
name: orders
handler: { type: Chain, config: {} }   # the flow style
condition: "\${find(request.uri.path, '^/orders')}"
hosts:
  - a
  - 'b'
text: |
  one
  two
yes: no
date: 2001-01-01
octal: 0o17
hex: 0x1F
number: 1.5e3
nothing: ~
empty:
truth: true
__proto__: { a: 1 }
`;
    const { value, problems } = readYamlText(Buffer.from(`\uFEFF${text}`));
    expect(problems).toEqual([]);
    expect(Object.entries(value as object)).toEqual([
      ['name', 'orders'],
      ['handler', { type: 'Chain', config: {} }],
      ['condition', "${find(request.uri.path, '^/orders')}"],
      ['hosts', ['a', 'b']],
      ['text', 'one\ntwo\n'],
      ['yes', 'no'],
      ['date', '2001-01-01'],
      ['octal', 15],
      ['hex', 31],
      ['number', 1500],
      ['nothing', null],
      ['empty', null],
      ['truth', true],
      ['__proto__', { a: 1 }],
    ]);
  });

  it('may be JSON', () => {
    expect(readYamlText('{"a": [1, "b", null]}')).toMatchObject({ value: { a: [1, 'b', null] }, problems: [] });
  });

  it('may use aliases', () => {
    expect(readYamlText('a: &x {b: 1}\nc: [*x, *x]')).toMatchObject({
      value: { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] },
      problems: [],
    });
  });

  it('is nested as deep as a JSON one', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(readYamlText(nested(MOST_NESTING)).problems).toEqual([]);
    expect(readYamlText(nested(MOST_NESTING + 1)).problems).toMatchObject([{ code: 'text' }]);
    for (const text of [nested(20_000), '[{a: '.repeat(10_000), '- '.repeat(20_000)]) {
      expect(readYamlText(text).problems).toMatchObject([
        { message: `is nested more than ${MOST_NESTING} levels deep` },
      ]);
    }
  });
});

describe('is refused', () => {
  it.each([
    ['a: !custom 1', 'text', [], 1, 4, 'is not YAML that can be read: Unresolved tag: !custom'],
    ['a: !!binary aGk=', 'text', [], 1, 4, 'is not YAML that can be read: Unresolved tag: tag:yaml.org,2002:binary'],
    ['a: "b', 'text', [], 1, 6, 'is not YAML that can be read: Missing closing "quote'],
    ['%YAML 1.1\n---\na: yes', 'text', [], 1, 1, 'is YAML 1.1, and only YAML 1.2 is read'],
    ['a:\n  8080: x', 'text', ['a'], 2, 3, 'has a key that is not a text'],
    ['? [a]\n: 1', 'text', [], 1, 3, 'has a key that is not a text'],
    ['a: &x {b: 1}\nc:\n  <<: *x', 'text', ['c'], 3, 3, 'has a merge key, which YAML 1.2 does not have'],
    ['a: 1\nb: {c: 1, c: 2}', 'duplicate-key', ['b', 'c'], 2, 11, "is written twice: 'c'"],
    ['a: 9007199254740993', 'value', ['a'], 1, 4, 'is a number that cannot be kept as it is'],
    ['a: [.inf]', 'value', ['a', 0], 1, 5, 'is a number that cannot be kept as it is'],
    ['a: .nan', 'value', ['a'], 1, 4, 'is a number that cannot be kept as it is'],
    ['a: *x', 'text', ['a'], 1, 4, 'has the alias *x before or within the anchor it names'],
    ['a: &x [*x]', 'text', ['a', 0], 1, 8, 'has the alias *x before or within the anchor it names'],
    ['', 'text', [], 1, 1, 'holds no document'],
    ['# nothing\n---\n', 'text', [], 1, 1, 'holds no document'],
    ['a: 1\n---\nb: 2', 'text', [], 3, 1, "holds more than one document, and only one is expected here: see '---'"],
  ])('%j', (text, code, path, line, column, message) => {
    expect(readYamlText(text).problems).toMatchObject([
      { code, severity: 'error', path, message, place: { line, column } },
    ]);
  });

  it('bytes that are not text', () => {
    expect(readYamlText(Buffer.from([0x61, 0xff])).problems).toMatchObject([{ message: 'is not UTF-8' }]);
  });

  it('a text that aliases make huge or deep, without making it', () => {
    const levels = Array.from({ length: 30 }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}, *l${level}]`);
    const { value, problems } = readYamlText(`l0: &l0 [1, 2]\n${levels.join('\n')}`);
    expect(problems.every(({ message }) => message.includes('aliases that make it larger'))).toBe(true);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(value).length).toBeLessThan(200_000);
    const deep = Array.from({ length: MOST_NESTING }, (_, level) => `l${level + 1}: &l${level + 1} [*l${level}]`);
    expect(readYamlText(`l0: &l0 []\n${deep.join('\n')}`).problems).not.toEqual([]);
  });

  it('with a bounded number of problems', () => {
    expect(readYamlText('a: 1\n'.repeat(200)).problems).toHaveLength(MOST_PROBLEMS);
  });
});

describe('a bracket that is not closed', () => {
  it.each([
    ['foo: [bar\n\n\n', 1, 9, "a bracket is not closed: ']' is missing"],
    ['name: a\nfoo: [bar\nhandler: x\n', 2, 9, "a bracket is not closed: ']' is missing"],
    ['foo: {a: 1\nb: 2\n', 1, 10, "a bracket is not closed: '}' is missing"],
    ['a:\n  foo: [\n    bar\n]\n', 4, 1, 'the keys of one object begin in the same column'],
  ])('in %j is reported with its position', (text, line, column, hint) => {
    expect(readYamlText(text).problems).toMatchObject([{ place: { line, column }, hint }]);
  });
});

describe('several documents', () => {
  it('are read separately, without empty ones', () => {
    const read = readYamlTexts('---\na: 1\n---\n# nothing\n---\nb: !x 1\n---\nc: 3\n...\n');
    expect(read.map(({ value, problems }) => [value, problems.length > 0])).toEqual([
      [{ a: 1 }, false],
      [null, true],
      [{ c: 3 }, false],
    ]);
    expect(read[2]!.placeOf(['c'])).toEqual({ line: 8, column: 4 });
  });
});

describe('places', () => {
  const { placeOf } = readYamlText('name: x\nlist:\n  - 1\n  - deep: &a\n      b: 2\nempty:\nagain: *a\n');

  it.each([
    [[], 1, 1, 1, 1],
    [['name'], 1, 1, 1, 7],
    [['list', 0], 3, 5, 3, 5],
    [['list', 1, 'deep'], 4, 5, 5, 7],
    [['list', 1, 'deep', 'b'], 5, 7, 5, 10],
    [['list', 1, 'absent', 'b'], 4, 5, 4, 5],
    [['again', 'b'], 7, 8, 7, 8],
  ])('have the line and column of %j', (path, keyLine, keyColumn, line, column) => {
    expect(placeOf(path, 'key')).toEqual({ line: keyLine, column: keyColumn });
    expect(placeOf(path)).toEqual({ line, column });
  });
});

describe('a slip', () => {
  it.each([
    ['a: b\n c: d', "the keys of one object begin in the same column, and a text with ': ' in it needs quotes"],
    ['a: b: c', "the keys of one object begin in the same column, and a text with ': ' in it needs quotes"],
    ['a:\n\tb: c', 'indent with spaces'],
    ['a: @b', 'put the text in quotes'],
  ])('%j is reported once, with a hint', (text, hint) => {
    const { problems } = readYamlText(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'text', hint });
  });
});
