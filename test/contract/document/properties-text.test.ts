import { expect, it } from 'vitest';
import { readPropertiesText } from '../../../contract/document/properties-text.ts';
import type { Problem } from '../../../contract/problem.ts';

it.each([
  ['a=1\nb = 2\r\nc:3\rd : 4\ne 5\nf\t6', { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }],
  ['# comment\n! comment\n\n   \n  a=1 # no comment', { a: '1 # no comment' }],
  ['a = b = c : d ', { a: 'b = c : d ' }],
  ['a==1\nb = = 2\nc\nd=', { a: '=1', b: '= 2', c: '', d: '' }],
  ['a=one, \\\n   two, \\\n\t# three', { a: 'one, two, # three' }],
  ['a=b\\\\\nc=d', { a: 'b\\', c: 'd' }],
  ['a=b\\', { a: 'b' }],
  ['\\ key\\:\\=with\\ blanks = value', { ' key:=with blanks': 'value' }],
  ['a=\\t\\n\\r\\f\\z\\\\\\"', { a: '\t\n\r\fz\\"' }],
  ['\\u00e9=\\u20AC\\ud83d\\ude00', { é: '€😀' }],
  ['a=\\\\u00', { a: '\\u00' }],
  ['\uFEFFa=1', { a: '1' }],
  ['', {}],
])('%j is read as Java reads it', (text, values) => {
  const problems: Problem[] = [];
  expect(Object.fromEntries(readPropertiesText(text, (problem) => problems.push(problem)))).toEqual(values);
  expect(problems).toEqual([]);
});

it('reads bytes as UTF-8, and as ISO 8859-1 where they are not', () => {
  expect(readPropertiesText(Buffer.from('a=é')).get('a')).toBe('é');
  expect(readPropertiesText(Buffer.from('a=é', 'latin1')).get('a')).toBe('é');
});

it('reports malformed and duplicate entries', () => {
  const problems: Problem[] = [];
  const values = readPropertiesText('a=1\nb=\\u12\\\\34\n\na=2', (problem) => problems.push(problem));
  expect(Object.fromEntries(values)).toEqual({ a: '2' });
  expect(problems).toEqual([
    {
      code: 'text',
      severity: 'error',
      path: [],
      message: 'has \\u without four hexadecimal digits',
      place: { line: 2, column: 1 },
    },
    {
      code: 'duplicate-key',
      severity: 'error',
      path: ['a'],
      message: 'is written twice: it is already in line 1',
      place: { line: 4, column: 1 },
      otherPlaces: [{ line: 1, column: 1 }],
    },
  ]);
});
