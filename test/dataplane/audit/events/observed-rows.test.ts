import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { auditDifferences, differenceOf, isWanted } from '../../../support/audit/rows/audit-differences.ts';
import { differenceLines } from '../../../support/audit/rows/difference-lines.ts';
import { auditRows, replay } from '../../../support/audit/rows/replay.ts';

const rows = ['audit-events', 'jms-handler'].flatMap((name) =>
  auditRows(readFileSync(new URL(`../../../vectors/${name}.jsonl`, import.meta.url), 'utf8')),
);

describe('audit, compared with OpenIG row by row', () => {
  it('has all observed rows that can be replayed', async () => {
    const kinds = Object.groupBy(rows, ({ kind }) => kind);
    const counts = Object.fromEntries(Object.entries(kinds).map(([kind, all]) => [kind, all!.length]));
    expect(counts).toEqual({ filter: 36, 'gateway-access': 31, jms: 53, service: 7, file: 6, syslog: 10 });
  });

  it('names only rows that exist as differences', () => {
    const ids = new Set(rows.map(({ id }) => id));
    const named = auditDifferences.flatMap((one) => Object.keys(one.rows));
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });

  it.each(rows.map((row) => [row.id, row.kind, row.case, row] as const))('%s, %s, %s', async (id, _, __, row) => {
    const outcome = await replay(row);
    if ('left' in outcome) throw new Error(outcome.left);
    const lines = differenceLines(outcome.observed, outcome.ours);
    const wanted = differenceOf(id);
    if (wanted === null || !isWanted(lines, wanted.lines)) expect(lines).toEqual(wanted?.lines ?? []);
  });
});
