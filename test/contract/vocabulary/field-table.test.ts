import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { choice, duration, flag, text } from '../../../contract/vocabulary/configured.ts';
import { deprecated, noEffect, unavailable } from '../../../contract/vocabulary/field-notes.ts';
import { fieldPaths, fieldRemarks } from '../../../contract/vocabulary/field-path.ts';
import { fieldRules, fieldTable } from '../../../contract/vocabulary/field-table.ts';
import { exclusive, oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';

const schema = z
  .strictObject({
    name: text().describe('Its name.'),
    handler: ref('handler').optional().describe('Who answers.'),
    on: flag().default(false).describe('Whether.'),
    wait: duration().prefault('10 seconds').describe('How long.'),
    kinds: z
      .array(choice(['A', 'B']))
      .default(['A'])
      .describe('Which.'),
    entity: z
      .union([text(), z.array(text())])
      .optional()
      .describe('What.'),
    inner: z
      .strictObject({ path: text().describe('Where.'), other: text().optional().describe('Or where.') })
      .check(exclusive('path', 'other'))
      .prefault({ path: '/' })
      .describe('More.'),
    rows: z
      .array(z.strictObject({ cell: text().describe('One.') }))
      .default([])
      .describe('Rows.'),
    table: z
      .record(z.string(), z.strictObject({ cell: text().describe('One.') }))
      .default({})
      .transform((map) => Object.keys(map))
      .describe('By name.'),
    old: deprecated(text(), "'name'"),
    idle: noEffect(text(), 'nothing to do'),
    later: unavailable('string'),
  })
  .check(oneRequired('name', 'old'));

describe('the fields of a schema', () => {
  it('have the types, defaults and remarks that a page shows', () => {
    const rows = fieldPaths(fieldTable(schema)).map(({ path, field }) => [
      path,
      field.label,
      field.required ? 'required' : field.default,
      fieldRemarks(field).join(' '),
    ]);
    expect(rows).toEqual([
      ['name', 'configuration expression<string>', 'required', 'Its name.'],
      ['handler', 'Handler reference', null, 'Who answers.'],
      ['on', 'configuration expression<boolean>', 'false', 'Whether.'],
      ['wait', 'configuration expression<duration>', '"10 seconds"', 'How long.'],
      ['kinds', 'array of configuration expression<enumeration>', '["A"]', 'Which. One of `A`, `B`.'],
      ['entity', 'configuration expression<string> or array of configuration expression<string>', null, 'What.'],
      ['inner', 'object', '{"path":"/"}', 'More.'],
      ['inner.path', 'configuration expression<string>', 'required', 'Where.'],
      ['inner.other', 'configuration expression<string>', null, 'Or where.'],
      ['rows', 'array of object', '[]', 'Rows.'],
      ['rows[].cell', 'configuration expression<string>', 'required', 'One.'],
      ['table', 'map of object', null, 'By name.'],
      ['table.*.cell', 'configuration expression<string>', 'required', 'One.'],
      ['old', 'configuration expression<string>', null, "Deprecated: use 'name'."],
      ['idle', 'configuration expression<string>', null, 'Has no effect: nothing to do.'],
      ['later', 'string (not available in this version)', null, ''],
    ]);
  });

  it('have rules between them', () => {
    expect(fieldRules(schema)).toEqual(["One of 'name' and 'old' is required."]);
    expect(fieldTable(schema)[6]!.rules).toEqual(["Use at most one of 'path' and 'other'."]);
  });
});
