import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { choice, duration, integer, text } from '../../../contract/vocabulary/configured.ts';
import { deprecated, noEffect } from '../../../contract/vocabulary/field-notes.ts';
import { exclusive } from '../../../contract/vocabulary/groups.ts';
import { jsonSchemaOf } from '../../../contract/vocabulary/json-schema.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';

const expression = { type: 'string', pattern: '[$#]\\{' };
const expressionOr = (texts: string): object => ({ ...expression, pattern: `${expression.pattern}|${texts}` });
const number = '^\\s*-?\\d+(?:\\.\\d+)?\\s*$';
const remarks = { '^(?:comment$|//$|_)': {} };

describe('the JSON Schema', () => {
  it.each<[string, z.ZodType, object]>([
    [
      'a number with bounds',
      integer({ min: 1, max: 9 }),
      { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, expressionOr(number)] },
    ],
    ['a word', choice(['A', 'B']), { anyOf: [{ type: 'string', enum: ['A', 'B'] }, expressionOr('^(?:[Aa]|[Bb])$')] }],
    ['a default', integer().default(5), { anyOf: [{ type: 'integer' }, expressionOr(number)], default: 5 }],
    [
      'a default as it is written',
      duration().prefault('10 s').describe('How long.'),
      { anyOf: [{ type: 'string' }, expression], default: '10 s', description: 'How long.' },
    ],
    [
      'an array',
      z.array(choice(['A'])),
      { type: 'array', items: { anyOf: [{ type: 'string', enum: ['A'] }, expressionOr('^(?:[Aa])$')] } },
    ],
    [
      'a map',
      z.record(z.string().min(1), text({ allowEmpty: true })),
      {
        type: 'object',
        propertyNames: { type: 'string', minLength: 1 },
        additionalProperties: { anyOf: [{ type: 'string' }, expression] },
      },
    ],
  ])('of %s', (_, schema, json) => {
    expect(jsonSchemaOf(schema)).toEqual({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...json });
  });

  it('of an object lists required fields, and allows comments', () => {
    const schema = z
      .strictObject({
        name: text(),
        handler: ref('handler'),
        maybe: text().optional(),
        old: deprecated(text(), "'name'"),
        idle: noEffect(text(), 'nothing to do'),
      })
      .check(exclusive('name', 'old'));
    const json = jsonSchemaOf(schema);
    expect(json).toMatchObject({
      type: 'object',
      required: ['name', 'handler'],
      additionalProperties: false,
      patternProperties: remarks,
      description: "Use at most one of 'name' and 'old'.",
      properties: {
        old: { deprecated: true, description: "Deprecated: use 'name'." },
        idle: { description: 'Has no effect: nothing to do.' },
      },
    });
    expect(JSON.stringify(json)).not.toMatch(/"(?:label|json|instead|noEffect|reference|aside)":/);
  });
});
