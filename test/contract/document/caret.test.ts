import { describe, expect, it } from 'vitest';
import { caretLines } from '../../../contract/document/caret.ts';

describe('the line and a caret', () => {
  it.each([
    ['{\n  "a": x\n}', 2, 8, ['2 |   "a": x', '  |        ^']],
    ['a\r\nb\rc\nd', 3, 1, ['3 | c', '  | ^']],
    ['\uFEFF{}', 1, 1, ['1 | {}', '  | ^']],
    ['\t"a":\tx', 1, 7, ['1 |     "a":    x', '  |             ^']],
    ['"😀", x', 1, 6, ['1 | "😀", x', '  |      ^']],
    ['[1', 1, 3, ['1 | [1', '  |   ^']],
    ['a\n', 2, 1, ['2 |', '  | ^']],
    ['\x1b[31m"\u202e', 1, 2, ['1 | \uFFFD[31m"\uFFFD', '  |  ^']],
    ['a', 2, 1, []],
  ])('%j at %i:%i', (text, line, column, lines) => {
    expect(caretLines(text, { line, column })).toEqual(lines);
  });

  it('lines up under two digits', () => {
    expect(caretLines(`${'\n'.repeat(9)}x`, { line: 10, column: 1 })).toEqual(['10 | x', '   | ^']);
  });

  it.each([1, 30, 500, 960, 1000])('shows a part of a long line around column %i', (column) => {
    const text = Array.from({ length: 1000 }, (_, index) => (index === column - 1 ? '!' : '.')).join('');
    const [line, caret] = caretLines(text, { line: 1, column });
    expect(line!.length).toBeLessThanOrEqual(104);
    expect(caret!.indexOf('^')).toBe(line!.indexOf('!'));
    expect([line!.includes('…'), line!.startsWith('1 | …')]).toEqual([true, column > 50]);
  });
});
