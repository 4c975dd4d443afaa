import type { z } from 'zod';
import { type Reading, withReading } from './reading.ts';
import { schemaTree } from './schema-tree.ts';
import { survey } from './survey.ts';

/** The fields of a configuration that can be read by themselves, also if others cannot. */
export function soundFields(
  schema: z.core.$ZodType,
  raw: unknown,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const { value } = survey(schema as z.ZodType, raw, []);
  const node = schemaTree(schema);
  if (node.kind !== 'object' || typeof value !== 'object' || value === null) return {};
  return withReading(reading, () => {
    const fields: [string, unknown][] = Object.entries(value).flatMap(([key, item]) => {
      const parsed = node.fields.get(key)?.schema.safeParse(item);
      return parsed?.success === true ? [[key, parsed.data]] : [];
    });
    return Object.fromEntries(fields);
  });
}
