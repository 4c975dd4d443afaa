import { z } from 'zod';
import { isRequired } from './field-table.ts';
import { groupRules } from './groups.ts';
import { fieldNotes, type JsonSchema } from './leaf.ts';

/** Keys that are the writer's remarks, which every object may have. */
const REMARKS: JsonSchema = { '^(?:comment$|//$|_)': {} };
/** What our notes hold beside a JSON Schema's own words. */
const NOTES = ['label', 'json', 'instead', 'noEffect'];

/**
 * The JSON Schema of what may be written, for editors and other checkers, once tokens are resolved. What it refuses is
 * wrong; what it allows may still be refused, because it cannot say everything.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override });
}

function override({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodType;
  jsonSchema: Record<string, unknown>;
}): void {
  const { description, json, instead, noEffect } = fieldNotes(zodSchema);
  const { def } = (zodSchema as z.core.$ZodTypes)._zod;
  for (const note of NOTES) delete jsonSchema[note];
  if (def.type === 'transform' && json !== undefined) Object.assign(jsonSchema, json);
  if (def.type === 'default' || def.type === 'prefault') jsonSchema['default'] = def.defaultValue;
  if (def.type === 'object') {
    jsonSchema['patternProperties'] = REMARKS;
    const required = Object.keys(def.shape).filter((name) => isRequired(def.shape[name]!));
    if (required.length > 0) jsonSchema['required'] = required;
    else delete jsonSchema['required'];
    const rules = groupRules(zodSchema);
    if (rules.length > 0) jsonSchema['description'] = [description, ...rules].filter(Boolean).join(' ');
  }
  if (instead !== undefined) {
    jsonSchema['deprecated'] = true;
    jsonSchema['description'] = `${description ?? ''} Deprecated: use ${instead}.`.trim();
  }
  if (noEffect !== undefined) jsonSchema['description'] = `${description ?? ''} Has no effect: ${noEffect}.`.trim();
}
