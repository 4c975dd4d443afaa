import type { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';

/** The URL that identifies an issuer, exactly as written: `iss` is compared with it character by character. */
export function issuerUrl(): z.ZodType<string, unknown> {
  return leaf('configuration expression<url>', { type: 'string' }, (value) => readConfigured(value, readIssuerUrl));
}

/** Returns the URL of an issuer. @throws ValueProblem for a text that cannot identify one (RFC 8414, section 2). */
export function readIssuerUrl(value: unknown): string {
  if (typeof value !== 'string') throw wrongType('the URL of an issuer', value);
  const fault = issuerFault(value);
  if (fault !== null) throw new ValueProblem('value', fault);
  return value;
}

/** Returns why a text is not the URL of an issuer whose metadata can be found, or null. */
export function issuerFault(text: string): string | null {
  const parsed = URL.parse(text);
  if (parsed === null) return `is not an absolute URL: ${shown(text)}`;
  const { protocol, username, password } = parsed;
  if (protocol !== 'http:' && protocol !== 'https:') {
    return `must have the scheme http or https, not ${protocol.slice(0, -1)}`;
  }
  if (username !== '' || password !== '') return 'must not contain credentials';
  if (/[?#\s]/.test(text)) return 'must not contain a query, a fragment or spaces';
  return null;
}
