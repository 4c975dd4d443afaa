import type { z } from 'zod';
import { isPlainObject, type Value } from '../../../contract/expression/value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { jsonText } from '../../language/json-text.ts';

/** What every assertion says by itself. */
const OWN_CLAIMS = ['iss', 'sub', 'jti', 'iat', 'exp'];

/** Claims beside those that every assertion has: a map whose texts may be expressions, or an expression for all of it. */
export function assertionClaims(): z.ZodType<Readonly<Record<string, unknown>>, unknown> {
  const json = { anyOf: [{ type: 'object' }, { type: 'string', pattern: '[$#]\\{' }] };
  return leaf('map of configuration expression or configuration expression<map>', json, (value) => {
    const claims = typeof value === 'string' ? readConfigured(value, plain) : evaluated(value);
    if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw wrongType('a map', claims);
    const own = OWN_CLAIMS.find((name) => Object.hasOwn(claims, name));
    if (own !== undefined) throw new ValueProblem('value', `must not hold '${own}', which the filter sets itself`);
    const map: Readonly<Record<string, unknown>> = { ...claims };
    if (Object.hasOwn(map, 'aud') && !isAudience(map['aud'])) {
      throw new ValueProblem('value', "must hold as 'aud' a text or an array of texts");
    }
    return map;
  });
}

function evaluated(value: unknown): unknown {
  if (typeof value === 'string') return readConfigured(value, plain);
  if (Array.isArray(value)) return value.map(evaluated);
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, evaluated(item)]));
}

/** What an expression gave, as JSON can say it. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(jsonText(value as Value));
  } catch {
    throw new ValueProblem('value', 'gives a value that JSON cannot represent');
  }
}

function isAudience(value: unknown): boolean {
  const audiences: readonly unknown[] = Array.isArray(value) ? value : [value];
  return audiences.length > 0 && audiences.every((one) => typeof one === 'string' && one !== '');
}
