import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groovyRows, replayRow } from '../../../support/groovy/replay.ts';

const rows = groovyRows(readFileSync(new URL('../../../vectors/groovy-language.jsonl', import.meta.url), 'utf8'));

describe('the language of scripts', () => {
  it.each([...Map.groupBy(rows, ({ feature }) => feature)])('is that of Groovy for %s', async (_feature, each) => {
    const found: string[] = [];
    for (const row of each) {
      const outcome = await replayRow(row);
      if (outcome.verdict !== 'same') found.push(`${row.id} ${outcome.reason}`);
    }
    expect(found).toEqual([]);
  });
});
