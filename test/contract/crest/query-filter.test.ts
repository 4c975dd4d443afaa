import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import { type FilterRow, selectedValues } from '../../support/crest/replay-library.ts';

const rows = readFileSync(new URL('../../vectors/queryfilter.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FilterRow);

/** What our specification says of the rows in which the observed framework does something else. */
const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  '!(/n pr)': ['0', '1', '2', '3', '4', '5'],
  '(/n pr) or /tags pr': ['0', '1', '2', '3', '4'],
  '/n pr and /age ge "20" and age eq true': [],
  '!true': [],
};

describe('query filters', () => {
  const sound = rows.filter(({ ids, specConflict }) => ids !== undefined && specConflict === undefined);
  it.each(sound.map(({ filter, ids }) => [filter!, ids!] as const))('%s selects %j', (filter, ids) => {
    expect(selectedValues(filter)).toEqual(ids);
  });

  const bad = rows.flatMap(({ filter, error, specConflict }) =>
    error === undefined || filter === undefined || specConflict ? [] : [filter],
  );
  it.each([...bad, '', '   ', '(', 'a eq null', 'a eq', '"a" eq 1', 'a eq "b', ')', '!', 'true false', 'a eq 1x'])(
    'refuses %j',
    (filter) => {
      expect(() => readQueryFilter(filter)).toThrow('the query filter');
    },
  );

  it.each(Object.entries(SPECIFIED))('%s selects %j, as specified', (filter, ids) => {
    expect(rows.some((row) => row.filter === filter && row.specConflict === true)).toBe(true);
    expect(selectedValues(filter)).toEqual(ids);
  });

  it('covers every row of the vectors', () => {
    expect(rows).toHaveLength(150);
    expect(sound.length + bad.length + Object.keys(SPECIFIED).length + 1).toBe(150);
  });

  it('refuses 2000 nested parentheses', () => {
    expect(() => readQueryFilter(`${'('.repeat(2000)}true${')'.repeat(2000)}`)).toThrow('nested more than 256 times');
  });

  it('reads the escapes of JSON', () => {
    expect(readQueryFilter('a eq "\\u0041\\n\\"\\\\"')).toMatchObject({ value: 'A\n"\\' });
  });

  it('selects nothing by an operator that it does not know, negated or not', () => {
    expect(selectedValues('name near "alice"')).toEqual([]);
    expect(selectedValues('!(name near "alice")')).toEqual([]);
  });
});
