import { z } from 'zod';
import { choice, secretId } from '../../contract/vocabulary/configured.ts';
import { type Reference, ref } from '../../contract/vocabulary/reference.ts';
import type { Parts } from '../heap/definition.ts';
import type { PropertyFormat } from '../heap/secrets.ts';
import { base64Format, plainFormat } from './plain-formats.ts';

type Format = 'BASE64' | 'PLAIN' | Reference<'propertyFormat'>;

/** Two words, and objects for everything else. A word is no reference, so the whole is read where references are. */
function format(): z.ZodType<Format, unknown> {
  return z.union([choice(['BASE64', 'PLAIN']), ref('propertyFormat')]).meta({ isReference: true });
}

const mappings = z.array(
  z.strictObject({
    secretId: secretId().describe('Id of the secret.'),
    format: format().describe('Format of its value.'),
  }),
);

/** The fields of stores that keep values under ids. */
export const formatFields = {
  format: format().default('BASE64').describe('Format of the values that no mapping is about.'),
  mappings: mappings
    .refine((list) => new Set(list.map((mapping) => mapping.secretId)).size === list.length, {
      error: 'there are two mappings of one secret id',
    })
    .default([])
    .describe('Formats of single secrets.'),
};

export interface FormatConfig {
  readonly format: Format;
  readonly mappings: z.output<typeof mappings>;
}

/** Which format the value of each secret has. */
export function formatsOf(config: FormatConfig, { resolve, log }: Parts): (id: string) => PropertyFormat {
  const words = { BASE64: base64Format, PLAIN: plainFormat(log) };
  const built = (one: Format): PropertyFormat => (typeof one === 'string' ? words[one] : resolve(one));
  const mapped = new Map(config.mappings.map((mapping) => [mapping.secretId, built(mapping.format)]));
  const general = built(config.format);
  return (id) => mapped.get(id) ?? general;
}
