import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listenerLimits } from '../../../../dataplane/engine/head/limits.ts';

/** The table of docs/limits.md, as the schema says it. */
function limitsTable(): string {
  const defaults = listenerLimits.parse({}) as Record<string, unknown>;
  const rows = Object.entries(listenerLimits.shape).map(
    ([name, field]) => `| \`${name}\` | ${defaults[name]} | ${field.description} |`,
  );
  return ['| limit | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

describe('docs/limits.md', () => {
  it('lists every limit with the default it has', () => {
    const document = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');
    const plain = document.replaceAll(/-{3,}/g, '---').replaceAll(/ +/g, ' '); // the formatter aligns columns
    expect(plain).toContain(limitsTable());
  });
});
