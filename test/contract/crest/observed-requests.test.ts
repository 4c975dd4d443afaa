import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crestRows, type Fixtures } from '../../support/crest/crest-rows.ts';
import { replayCrest } from '../../support/crest/replay-crest.ts';

const read = (name: string): string => readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8');
const rows = crestRows(read('crest-observed.jsonl'));
const fixtures = JSON.parse(read('crest-fixtures.json')) as Fixtures;

describe('observed requests of Common REST', () => {
  it.each(rows.map((row) => [row.id, row] as const))(
    '%s is answered alike, or differently by intent',
    async (_, row) => {
      const { verdict, lines } = await replayCrest(row, fixtures);
      expect({ verdict, lines }).not.toMatchObject({ verdict: 'different' });
    },
  );

  it('are answered alike in all but 28 rows', async () => {
    const replays = await Promise.all(rows.map((row) => replayCrest(row, fixtures)));
    expect(rows).toHaveLength(226);
    expect(replays.filter(({ verdict }) => verdict === 'same')).toHaveLength(198);
  });
});
