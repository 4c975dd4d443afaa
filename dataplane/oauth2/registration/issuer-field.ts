import type { z } from 'zod';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { kindOf } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { Reference } from '../../../contract/vocabulary/reference.ts';
import { readIssuerUrl } from '../../openid/issuer-url.ts';

/** The issuer of a registration: its URL, or a reference to an Issuer. */
export function issuerField(): z.ZodType<string | Reference<'issuer'>, unknown> {
  const json = {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'object', required: ['type'], properties: { type: { type: 'string' }, config: { type: 'object' } } },
    ],
  };
  const schema = leaf('Issuer reference or configuration expression<url>', json, (value) => {
    if (value === undefined) throw new ValueProblem('missing', 'is required');
    if (typeof value === 'string' && /:\/\/|[$#]\{/.test(value)) return readConfigured(value, readIssuerUrl);
    if (typeof value === 'string' && value !== '') return new Reference('issuer', value, null);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return new Reference('issuer', null, value as JsonValue);
    }
    const found = value === '' ? 'an empty text' : kindOf(value);
    throw new ValueProblem('value', `must be a URL, the name of an Issuer or an object with 'type', not ${found}`);
  });
  return schema.meta({ reference: 'issuer' });
}
