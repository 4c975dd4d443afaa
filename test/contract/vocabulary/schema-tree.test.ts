import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { text } from '../../../contract/vocabulary/configured.ts';
import { deprecated } from '../../../contract/vocabulary/field-notes.ts';
import { type SchemaNode, schemaTree } from '../../../contract/vocabulary/schema-tree.ts';
import { survey } from '../../../contract/vocabulary/survey.ts';

describe('the schema tree', () => {
  it.each<[string, z.ZodType, Partial<Omit<SchemaNode, 'schema'>> & Record<string, unknown>]>([
    ['a text with limits', z.string().min(1).max(9).regex(/^a/), { kind: 'text', least: 1, most: 9, patterns: ['^a'] }],
    ['a whole number', z.int().min(2), { kind: 'number', isWhole: true, least: 2 }],
    ['a fraction', z.number().max(3), { kind: 'number', isWhole: false, most: 3 }],
    ['words', z.enum(['a', 'b']), { kind: 'words', words: ['a', 'b'] }],
    ['literals', z.literal(['a', 1]), { kind: 'literal', values: ['a', 1] }],
    ['a boolean', z.boolean(), { kind: 'other', type: 'boolean' }],
    ['a leaf of the vocabulary', text(), { kind: 'other', type: 'transform' }],
    ['an optional value', text().optional(), { kind: 'other', isRequired: false, defaults: [] }],
    ['a default', z.int().default(5), { kind: 'number', isRequired: false, defaults: [5] }],
    ['a default that is read', text().prefault('x'), { kind: 'other', isRequired: false, defaults: ['x'] }],
    ['a value or null', z.boolean().nullable(), { kind: 'other', isRequired: true, isNullable: true }],
    ['an open object', z.looseObject({}), { kind: 'object', isLoose: true }],
    ['a closed object', z.strictObject({}), { kind: 'object', isLoose: false }],
  ])('describes %s', (_, schema, node) => {
    expect(schemaTree(schema)).toMatchObject(node);
  });

  it('descends into objects, maps, arrays and unions', () => {
    const schema = z.strictObject({ list: z.array(z.union([z.record(z.string(), z.int()), z.boolean()])).min(2) });
    const root = schemaTree(schema);
    const list = root.kind === 'object' ? root.fields.get('list') : undefined;
    expect(list).toMatchObject({
      kind: 'list',
      least: 2,
      item: {
        kind: 'union',
        options: [
          { kind: 'map', key: { kind: 'text' }, value: { kind: 'number' } },
          { kind: 'other', type: 'boolean' },
        ],
      },
    });
  });

  it('gives a wrapper the notes of its inner schema, unless it has its own', () => {
    expect(schemaTree(text().describe('Inner.').optional()).notes).toMatchObject({ description: 'Inner.' });
    expect(schemaTree(deprecated(text().describe('Inner.'), "'x'").describe('Outer.')).notes).toMatchObject({
      label: 'configuration expression<string>',
      description: 'Outer.',
      instead: "'x'",
    });
  });

  it('shows the input side of a transformed schema', () => {
    const schema = z.strictObject({ a: z.int() }).transform(({ a }) => a);
    expect(schemaTree(schema)).toMatchObject({ kind: 'object', isRequired: true });
    expect(survey(schema, { a: 1, _note: 'why' }, []).value).toEqual({ a: 1 });
  });

  it('is built once for each schema', () => {
    const schema = z.strictObject({ a: z.int() });
    expect(schemaTree(schema)).toBe(schemaTree(schema));
  });
});
