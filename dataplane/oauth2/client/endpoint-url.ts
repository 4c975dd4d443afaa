import type { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';

/** The URL of an endpoint, exactly as it is written: servers compare it as a text. */
export function endpointUrl(): z.ZodType<string, unknown> {
  const json = { type: 'string' };
  return leaf('configuration expression<url>', json, (value) => readConfigured(value, readEndpoint));
}

function readEndpoint(value: unknown): string {
  if (typeof value !== 'string') throw wrongType('a URL', value);
  const parsed = URL.parse(value);
  if (parsed === null) throw new ValueProblem('value', `is not an absolute URL: ${shown(value)}`);
  const { protocol, username, password, hash } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new ValueProblem('value', `must have the scheme http or https, not ${protocol.slice(0, -1)}`);
  }
  if (username !== '' || password !== '' || hash !== '' || value.trim() !== value) {
    throw new ValueProblem('value', 'must hold no credentials, no fragment and no spaces around it');
  }
  return value;
}
