import { describe, expect, it } from 'vitest';
import { diffLines, nearChanges } from '../../../console/draft/line-diff.ts';

const shown = (one: string, other: string): string[] =>
  diffLines(one, other).map(({ kind, text, before, after }) => `${before ?? ''}|${after ?? ''}|${kind}|${text}`);

describe('the differences of two texts', () => {
  it('are the lines that are gone and come, with their numbers', () => {
    expect(shown('a\nb\nc\n', 'a\nx\nc\nd\n')).toEqual([
      '1|1|same|a',
      '2||gone|b',
      '|2|come|x',
      '3|3|same|c',
      '|4|come|d',
    ]);
    expect(shown('', 'a\n')).toEqual(['|1|come|a']);
    expect(shown('a', '')).toEqual(['1||gone|a']);
    expect(shown('a\n', 'a')).toEqual(['1|1|same|a']);
  });

  it('turn one text into the other, whatever they are', () => {
    const words = ['a', 'b', 'c', '', '{'];
    let seed = 7;
    const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 200; round++) {
      const make = (): string => Array.from({ length: draw(12) + 1 }, () => `${words[draw(5)]}.`).join('\n');
      const [one, other] = [make(), make()];
      const lines = diffLines(one, other);
      const side = (kind: 'gone' | 'come'): string =>
        lines.flatMap((line) => (line.kind === 'same' || line.kind === kind ? [line.text] : [])).join('\n');
      expect([side('gone'), side('come')]).toEqual([one, other]);
    }
  });

  it('show a large changed part as a whole instead of comparing all of its lines', () => {
    const long = (letter: string): string => Array.from({ length: 1500 }, (_, at) => `${letter}${at}`).join('\n');
    const lines = diffLines(`same\n${long('a')}`, `same\n${long('b')}`);
    expect(lines.map(({ kind }) => kind).filter((kind) => kind === 'same')).toHaveLength(1);
    expect(lines).toHaveLength(3001);
  });

  it('leave out lines that are far from every change', () => {
    const one = Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const parts = nearChanges(diffLines(one.join('\n'), one.with(10, 'other').join('\n')));
    expect(parts.map((part) => ('leftOut' in part ? part.leftOut : part.lines.length))).toEqual([7, 8, 6]);
    expect(nearChanges(diffLines('a\nb', 'a\nb'))).toEqual([{ leftOut: 2 }]);
  });
});
