import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gatewayRows, replayGatewayRow } from '../../../support/groovy/gateway-replay.ts';

/** Rows whose scripts need something that is refused when they are compiled. */
const refused = new Set(['gw-handler-groovyshell']);

describe('scripts of a gateway', () => {
  const rows = gatewayRows(readFileSync(new URL('../../../vectors/gateway-scripts.jsonl', import.meta.url), 'utf8'));

  it.each(rows)('does what the classes of OpenIG do: $id', async (row) => {
    const outcome = await replayGatewayRow(row);
    expect(outcome).toMatchObject({ verdict: refused.has(row.id) ? 'refused' : 'same' });
  });
});
