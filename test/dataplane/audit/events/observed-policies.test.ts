import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auditDifferences } from '../../../support/audit/audit-differences.ts';
import { type FilterRow, replayedFilterRow } from '../../../support/audit/replayed-filter-row.ts';

const rows = readFileSync(new URL('../../../vectors/audit-events.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FilterRow)
  .filter(({ kind }) => kind === 'filter');

describe('filter policies, compared with OpenIG', () => {
  it('has all observed rows', () => {
    expect(rows).toHaveLength(36);
  });

  for (const row of rows) {
    const { id, published } = row;
    const reason = auditDifferences[id];
    it(`${id}, ${row.case}: ${reason === undefined ? 'gives the same event' : `differs: ${reason}`}`, () => {
      const outcome = replayedFilterRow(row);
      const observed = row.refused === undefined ? published : 'refused';
      if (reason === undefined) expect(outcome).toEqual(observed);
      else expect(outcome).not.toEqual(observed);
    });
  }
});
