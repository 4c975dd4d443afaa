import { expect, it } from 'vitest';
import { readSeparatedValues } from '../../../../dataplane/filters/credentials/separated-values.ts';

it.each([
  [
    'COMMA',
    'a,b\r\nc,d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'COMMA',
    '"a,1","b ""c""",\n\n"x\ny",""',
    [
      ['a,1', 'b "c"', ''],
      ['x\ny', ''],
    ],
  ],
  ['COMMA', 'a b,5" pipe\n', [['a b', '5" pipe']]],
  ['COLON', 'a\\:b:c\\\\\n', [['a:b', 'c\\']]],
  ['TAB', 'a\tb,"c"\n', [['a', 'b,"c"']]],
  ['COMMA', '', []],
] as const)('reads values separated by %s in %j', (separator, text, lines) => {
  expect(readSeparatedValues(text, separator)).toEqual(lines);
});

it('names the line of a mistake and shows nothing of it', () => {
  expect(() => readSeparatedValues('a\n"secret"x', 'COMMA')).toThrow(/^line 2 has text after a closing quote$/);
  expect(() => readSeparatedValues('a\n"secret', 'COMMA')).toThrow(/^a quote is not closed before the end, at line 2$/);
});

it('refuses more lines than a unit can hold', () => {
  expect(() => readSeparatedValues('a\n'.repeat(200_001), 'COMMA')).toThrow('more than 200000 lines');
});
