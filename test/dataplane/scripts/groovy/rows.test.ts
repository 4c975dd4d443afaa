import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groovyRows, replayRow } from '../../../support/groovy/replay.ts';

/** Rows that name classes which scripts do not get. */
const refused = new Set(['misc-jdk-054', 'misc-jdk-058']);

describe('Groovy', () => {
  const rows = groovyRows(readFileSync(new URL('../../../vectors/groovy.jsonl', import.meta.url), 'utf8'));

  it.each(rows)('answers as Groovy 4 does: $id', async (row) => {
    expect(await replayRow(row)).toMatchObject({ verdict: refused.has(row.id) ? 'refused' : 'same' });
  });
});
