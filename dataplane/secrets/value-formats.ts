import { z } from 'zod';
import { choice, secretId } from '../../contract/vocabulary/configured.ts';
import { type Reference, ref } from '../../contract/vocabulary/reference.ts';
import type { Parts } from '../heap/definition.ts';
import type { PropertyFormat } from '../heap/objects/secrets.ts';
import { base64Format, plainFormat } from './plain-formats.ts';

type Format = 'BASE64' | 'PLAIN' | Reference<'propertyFormat'>;

/** Two words, and objects for everything else. A word is no reference, so the whole is read where references are. */
export function valueFormat(): z.ZodType<Format, unknown> {
  return z.union([choice(['BASE64', 'PLAIN']), ref('propertyFormat')]).meta({ reference: 'propertyFormat' });
}

const mappings = z.array(
  z.strictObject({
    secretId: secretId().describe('Id of the secret.'),
    format: valueFormat().describe('Format of its value.'),
  }),
);

/** The fields of stores that keep values under ids. */
export const formatFields = {
  format: valueFormat().default('BASE64').describe('Format of the values without a mapping.'),
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
export function formatsOf(config: FormatConfig, parts: Parts): (id: string) => PropertyFormat {
  const mapped = new Map(config.mappings.map((mapping) => [mapping.secretId, formatOf(mapping.format, parts)]));
  const general = formatOf(config.format, parts);
  return (id) => mapped.get(id) ?? general;
}

/** The format that a word or a reference stands for. */
export function formatOf(format: Format, { resolve, log }: Parts): PropertyFormat {
  if (typeof format !== 'string') return resolve(format);
  return format === 'PLAIN' ? plainFormat(log) : base64Format;
}
