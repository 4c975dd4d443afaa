import { describe, expect, it } from 'vitest';
import { PageText } from '../../../../contract/crest/pages/page-text.ts';

const REST = { resultCount: 3, pagedResultsCookie: null, nested: { a: [1] } };

describe('the text of a page', () => {
  it.each([
    ['no results', []],
    ['one result', [{ _id: 'a' }]],
    ['line feeds and nested values', [{ a: 'x\ny' }, { b: [{ c: '\n  {' }, []] }, {}]],
  ])('is the JSON of the whole with %s', (_, results) => {
    for (const isPretty of [false, true]) {
      const text = new PageText(results, { bodyOf: (at) => results[at]!, rest: REST, isPretty });
      expect(String(text)).toBe(JSON.stringify({ results, ...REST }, null, isPretty ? 2 : 0));
    }
  });

  it('comes in pieces, each with the results that were written for it', () => {
    const results = Array.from({ length: 1000 }, (_, at) => ({ _id: String(at), text: 'x'.repeat(1000) }));
    let written = 0;
    const bodyOf = (at: number) => {
      written++;
      return results[at]!;
    };
    const pieces: string[] = [];
    const counts: number[] = [];
    for (const piece of new PageText(results, { bodyOf, rest: REST, isPretty: false })) {
      pieces.push(piece);
      counts.push(written);
    }
    expect(pieces.length).toBeGreaterThan(10);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
    expect(counts[0]).toBeLessThan(100);
    expect(JSON.parse(pieces.join(''))).toEqual({ results, ...REST });
  });
});
