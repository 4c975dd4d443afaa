import { expect, it } from 'vitest';
import { readJsonText } from '../../../contract/document/json-text.ts';
import { writtenOffset } from '../../../contract/document/written-offset.ts';
import { problemText } from '../../../contract/problem-text.ts';

it.each([
  ['in JSON', '"a": "${b c}"', 5, 4, 10],
  ['after escapes', String.raw`"\"\u0041c"`, 0, 2, 9],
  ['in quotes of YAML', "a: '''b'", 3, 1, 6],
  ['in plain YAML', 'a: ${b c}', 3, 4, 7],
  ['after what a token stands for', '"&{a}${b c}"', 0, 8, null],
  ['beyond the line', '"a', 0, 5, null],
  ['in a block of YAML', 'a: |', 3, 2, null],
  ['in what is no text', '{ "$base64:decode": "x" }', 0, 1, null],
])('finds a character of a value %s', (_, line, valueAt, offset, at) => {
  expect(writtenOffset(line, valueAt, offset)).toBe(at);
});

it('puts the caret at the character of an expression that is wrong', () => {
  const text = '{\n  "condition": "${request.method = \'GET\'}"\n}';
  const { placeOf } = readJsonText(text);
  const problem = {
    code: 'expression',
    severity: 'error',
    path: ['condition'],
    message: 'is wrong',
    offset: 17,
  } as const;
  expect(problemText(problem, { text, placeOf }).split('\n').slice(1)).toEqual([
    '  at line 2, column 34',
    '  2 |   "condition": "${request.method = \'GET\'}"',
    '    |                                  ^',
  ]);
});
