import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type GatewayRow, gatewayRows, replayGatewayRow } from '../../../support/groovy/gateway-replay.ts';

describe('scripts of a gateway', () => {
  it.each(rowsOf('gateway-scripts'))('does what the classes of OpenIG do: $id', async (row) => {
    expect(await replayGatewayRow(row)).toMatchObject({ verdict: 'same' });
  });

  it('does what the classes of OpenIG do for many more', async () => {
    const found: string[] = [];
    for (const row of rowsOf('gateway-neighbours')) {
      const outcome = await replayGatewayRow(row);
      if (outcome.verdict !== 'same') found.push(`${row.id} ${outcome.reason}`);
    }
    expect(found).toEqual([]);
  });
});

function rowsOf(name: string): GatewayRow[] {
  return gatewayRows(readFileSync(new URL(`../../../vectors/${name}.jsonl`, import.meta.url), 'utf8'));
}
