import { describe, expect, it } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import { Double, EvaluationError, type Value } from '../../../contract/expression/value.ts';
import { evaluated, testLanguage } from '../../support/programs/evaluation.ts';

const constants = {
  list: ['a', 'b', 'a', null],
  map: new Map<string, Value>([
    ['k', 'v'],
    ['n', null],
  ]),
  plain: { k: 'v' },
  n: 7,
};

it.each<[string, Value]>([
  ["'abc'.length()", 3],
  ["''.isEmpty()", true],
  ["' \\t'.isBlank()".replace('\\t', '\t'), true],
  ["' a '.trim()", 'a'],
  ["' a '.strip()", 'a'],
  ["'aB'.toLowerCase()", 'ab'],
  ["'aB'.toUpperCase()", 'AB'],
  ["'abc'.hashCode()", 96354],
  ["'a'.concat('b')", 'ab'],
  ["'a'.concat(1)", 'a1'],
  ["'abc'.contains('b')", true],
  ["'abc'.endsWith('c')", true],
  ["'abc'.startsWith('a')", true],
  ["'abc'.startsWith('b', 1)", true],
  ["'a'.equals('a')", true],
  ["'1'.equals(1)", false],
  ["'A'.equalsIgnoreCase('a')", true],
  ["'abc'.compareTo('abd')", -1],
  ["'abc'.charAt(1)", 'b'],
  ["'abcb'.indexOf('b')", 1],
  ["'abcb'.indexOf('b', 2)", 3],
  ["'abcb'.lastIndexOf('b')", 3],
  ["'abcb'.lastIndexOf('b', 2)", 1],
  ["'abc'.substring(1)", 'bc'],
  ["'abc'.substring(1, 2)", 'b'],
  ["'a.b.'.replace('.', '$&')", 'a$&b$&'],
  ["'abc'.matches('[a-c]+')", true],
  ["'abc'.matches('b')", false],
  ["'a1b2'.replaceAll('[0-9]', '<$0>')", 'a<1>b<2>'],
  ["'a1b2'.replaceFirst('[0-9]', '-')", 'a-b2'],
  ["'a,b,,'.split(',')", ['a', 'b']],
  ['list.size()', 4],
  ['list.isEmpty()', false],
  ['list.get(1)', 'b'],
  ["list.contains('b')", true],
  ["list.containsAll(array('a', 'b'))", true],
  ["list.indexOf('a')", 0],
  ["list.lastIndexOf('a')", 2],
  ['map.size()', 2],
  ["map.get('k')", 'v'],
  ["map.containsKey('n')", true],
  ["map.getOrDefault('x', 5)", 5n],
  ["map.getOrDefault('n', 5)", null],
  ["map.containsValue('v')", true],
  ['map.keySet()', ['k', 'n']],
  ['plain.values()', ['v']],
  ['plain.isEmpty()', false],
  ['n.toString()', '7'],
  ['n.longValue()', 7n],
  ['n.doubleValue()', new Double(7)],
  ['(2.7).intValue()', 2],
  ['true.toString()', 'true'],
  ["'abc'['length']()", 3],
  ['nosuch.anything()', null],
])('%s evaluates to %o', (source, value) => {
  expect(evaluated(`\${${source}}`, { constants })).toEqual(value);
});

it.each([
  "'abc'.nothing()",
  "'abc'.length(1)",
  "'abc'.substring(4)",
  "'abc'.substring(2, 1)",
  "'abc'.charAt(3)",
  "'abc'.concat(null)",
  "'abc'.getClass()",
  "'abc'['constructor']('return 1')",
  "'abc'.__proto__()",
  "'abc'[null]()",
  'list.get(9)',
  "list.map('x')",
  'list.containsAll(1)',
  'map.entrySet()',
  "map.put('a', 'b')",
  'plain.hasOwnProperty(1)',
  'n.toFixed(1)',
  'request.getNothing()',
  'request.constructor()',
  'request.headers.remove("x")',
  "digestSha256('x').length()",
  "'abc'.matches('['.concat(request.method))",
])('%s fails', (source) => {
  expect(() => evaluated(`\${${source}}`, { constants })).toThrow(EvaluationError);
});

describe('a pattern in a method', () => {
  it('is refused at compilation when it is a literal and wrong', () => {
    expect(() => compileExpression("${request.method.matches('(')}", testLanguage(), 'linear')).toThrow(
      expect.objectContaining({ code: 'pattern' }),
    );
  });

  it('may be computed', () => {
    expect(evaluated("${'ab'.matches(request.headers['X-Str'][0].substring(0, 2))}")).toBe(true);
  });
});

describe('texts', () => {
  it.each([
    ['replace', (inner: string) => `${inner}.replace('a', 'aa')`],
    ['replaceAll', (inner: string) => `${inner}.replaceAll('a', 'aa')`],
  ])('do not grow without end by %s', (_, grow) => {
    let source = "'a'";
    for (let i = 0; i < 200; i++) source = grow(source);
    expect(() => evaluated(`\${${source}}`)).toThrow(EvaluationError);
  });

  it('do not grow without end by calls within calls', () => {
    for (const name of ['encodeBase64', 'escapeJson']) {
      const source = `\${${`${name}(`.repeat(200)}request.headers['X-Str'][0].concat('\\\\')${')'.repeat(200)}}`;
      expect(() => evaluated(source)).toThrow(EvaluationError);
    }
  });
});
