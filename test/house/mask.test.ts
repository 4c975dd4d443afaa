import { expect, it } from 'vitest';
import { maskCode } from './mask.ts';

it('blanks comments and keeps line breaks', () => {
  expect(maskCode('a // b\n/* c\n */d')).toBe('a     \n    \n   d');
});

it('blanks the content of strings and keeps their quotes', () => {
  expect(maskCode(`x = 'it\\'s' + "//";`)).toBe(`x = '     ' + "  ";`);
});

it('keeps the code inside templates at any depth', () => {
  expect(maskCode('`a${b + `c${{ d }}e`}f` + g')).toBe('` ${b + ` ${{ d }} `} ` + g');
});

it('distinguishes a regular expression from a division', () => {
  expect(maskCode('x = /[/\']"/.test(y) / 2')).toBe('x = /     /.test(y) / 2');
  expect(maskCode("return /'/g; a / b / 'c'")).toBe("return / /g; a / b / ' '");
});
