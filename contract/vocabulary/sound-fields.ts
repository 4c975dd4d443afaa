import type { z } from 'zod';
import { wrapped } from './leaf.ts';
import { type Reading, withReading } from './reading.ts';
import { survey } from './survey.ts';

/** The fields of a configuration that can be read by themselves, also if others cannot. */
export function soundFields(
  schema: z.core.$ZodType,
  raw: unknown,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const { value } = survey(schema as z.ZodType, raw, []);
  let inner = schema;
  for (let next = wrapped(inner); next !== null; next = wrapped(inner)) inner = next;
  const { def } = (inner as unknown as z.core.$ZodTypes)._zod;
  if (def.type !== 'object' || typeof value !== 'object' || value === null) return {};
  const { shape } = def;
  return withReading(reading, () => {
    const fields: [string, unknown][] = Object.entries(value).flatMap(([key, item]) => {
      const field = Object.hasOwn(shape, key) ? (shape[key] as z.ZodType) : undefined;
      const parsed = field?.safeParse(item);
      return parsed?.success === true ? [[key, parsed.data]] : [];
    });
    return Object.fromEntries(fields);
  });
}
