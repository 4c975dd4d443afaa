import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groovyRows, replayRow } from '../../../support/groovy/replay.ts';

/** Rows with another answer than that of Groovy, or none: mended ones leave the file, and no new one may come. */
const differing = vectors('groovy-neighbours-differing.txt').split('\n').slice(0, -1);

describe('Groovy', () => {
  const byFeature = Map.groupBy(groovyRows(vectors('groovy-neighbours.jsonl')), ({ feature }) => feature);

  it.each([...byFeature])('differs for %s only where the list says so', async (_feature, rows) => {
    const ids = new Set(rows.map(({ id }) => id));
    const found: string[] = [];
    for (const row of rows) {
      const { verdict } = await replayRow(row);
      if (verdict !== 'same') found.push(`${row.id} ${verdict}`);
    }
    expect(found.sort()).toEqual(differing.filter((line) => ids.has(line.split(' ')[0]!)));
  });

  it('has a sorted list of differing rows', () => {
    expect(differing).toEqual([...new Set(differing)].sort());
  });
});

function vectors(name: string): string {
  return readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8');
}
