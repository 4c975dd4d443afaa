import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pathText } from '../../../contract/problem.ts';
import { integer } from '../../../contract/vocabulary/configured.ts';
import { givenReferences } from '../../../contract/vocabulary/given-references.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const reading = documentReading(operatorReach(), [], () => {});
const schema = z.strictObject({
  size: integer(),
  handler: ref('handler').describe('Where it goes.'),
  filters: z.array(ref('filter')).default([]),
  byName: z.record(z.string(), ref('handler')).optional(),
  either: z.union([integer(), z.strictObject({ inner: ref('handler') })]).optional(),
});

function found(raw: unknown): string[] {
  return givenReferences(schema, raw, reading, ['config']).map(
    ({ value, path }) => `${pathText(path)} ${value.kind} ${value.name ?? JSON.stringify(value.declaration)}`,
  );
}

describe('the references of an invalid configuration', () => {
  it('are found wherever the schema expects them', () => {
    expect(
      found({
        size: 'wrong',
        handler: { type: 'A' },
        filters: ['x', 5, { type: 'B' }, null],
        byName: { one: 'y' },
        either: { inner: 'z', misspelt: 1 },
        unknown: 'not a reference',
      }),
    ).toEqual([
      'config.handler handler {"type":"A"}',
      'config.filters[0] filter x',
      'config.filters[2] filter {"type":"B"}',
      'config.byName.one handler y',
      'config.either.inner handler z',
    ]);
  });

  it.each([undefined, null, 'text', 5, []])('are none in %j', (raw) => {
    expect(found(raw)).toEqual([]);
  });
});
