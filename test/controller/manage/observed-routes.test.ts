import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { replayRoutes, routesRows } from '../../support/crest/replay-routes.ts';

const rows = routesRows(readFileSync(new URL('../../vectors/routes-rest-observed.jsonl', import.meta.url), 'utf8'));

it.each(rows.map((row) => [row.id, row.case, row] as const))(
  '%s (%s) is answered alike, or differently by intent',
  async (_, __, row) => {
    expect(await replayRoutes(row)).not.toMatchObject({ verdict: 'different' });
  },
);

it('has 13 cases, of which 5 are answered alike', async () => {
  const verdicts: string[] = [];
  for (const row of rows) verdicts.push((await replayRoutes(row)).verdict);
  expect(verdicts).toHaveLength(13);
  expect(verdicts.filter((verdict) => verdict === 'same')).toHaveLength(5);
});
