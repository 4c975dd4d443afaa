import type { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { canonicalAuthority } from '../../engine/head/canonical-host.ts';

/** The origin of a web page as browsers write it: scheme, host and, unless it is the usual one, port. */
export function webOrigin(): z.ZodType<string, unknown> {
  return leaf('configuration expression<url>', { type: 'string' }, (value) => readConfigured(value, read));
}

function read(text: unknown): string {
  if (typeof text !== 'string') throw wrongType("an origin such as 'https://app.example.com'", text);
  const origin = canonicalOrigin(text.endsWith('/') ? text.slice(0, -1) : text);
  if (origin !== null) return origin;
  const hint =
    text === '*'
      ? 'for all origins write "*" without brackets'
      : "write scheme, host and perhaps a port, such as 'https://app.example.com:8443'";
  throw new ValueProblem('value', `is not an origin: ${shown(text)}`, hint);
}

/** One spelling for every way to write an origin, or null for what is none, such as `null`. */
export function canonicalOrigin(text: string): string | null {
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@]+)$/.exec(text.toLowerCase()) ?? [];
  if (scheme === undefined || authority === undefined) return null;
  const place = canonicalAuthority(authority, scheme);
  return place === null ? null : `${scheme}://${place}`;
}

/** Whether an origin is the place with this authority, whichever scheme it is reached by. */
export function originIsAt(origin: string, authority: string): boolean {
  const [scheme, host] = origin.split('://');
  return host !== undefined && canonicalOrigin(`${scheme}://${authority}`) === origin;
}
