import { describe, expect, it } from 'vitest';
import { textSearch } from '../../contract/text-search.ts';
import { randomNumbers } from '../support/clients/random.ts';

describe('searching a text', () => {
  it('finds the same as indexOf in repetitive texts', () => {
    const random = randomNumbers(20_261_115);
    const text = (length: number): string => Array.from({ length }, () => (random(12) === 0 ? 'b' : 'a')).join('');
    let found = 0;
    for (let round = 0; round < 300; round++) {
      const searched = text(8_000 + random(2_000));
      const start = random(8_000);
      const copied = searched.slice(start, start + 33 + random(100));
      const part = random(3) === 0 ? `${copied.slice(0, -1)}b` : copied;
      const from = random(searched.length);
      const search = textSearch(part);
      expect(search.first(searched, from)).toBe(searched.indexOf(part, from));
      expect(search.last(searched, from)).toBe(searched.lastIndexOf(part, from));
      if (search.first(searched, 0) >= 0) found++;
    }
    expect(found).toBeGreaterThan(100);
  });

  it.each([
    ['', 3, 3, 3],
    ['b', 0, 3, 3],
    ['x'.repeat(40), 0, -1, -1],
  ])('%j from %i', (part, from, first, last) => {
    const search = textSearch(part);
    expect(search.first('aaab', from)).toBe(first);
    expect(search.last('aaab', 3)).toBe(last);
  });

  it.each(['first', 'last'] as const)('%s needs no more time for a part that nearly matches everywhere', (which) => {
    const part = `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`;
    expect(textSearch(part)[which]('a'.repeat(1_000_000), which === 'first' ? 0 : 1_000_000)).toBe(-1);
  });
});
