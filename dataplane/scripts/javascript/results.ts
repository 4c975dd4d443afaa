import type { JsonValue } from '../../../contract/document/json-value.ts';
import { readDuration } from '../../../contract/duration.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import type { AccessToken } from '../../heap/objects/access-tokens.ts';
import type { Rate } from '../../heap/objects/throttling.ts';
import { ScriptFault, type ScriptKind, type ScriptResults } from '../script-language.ts';

type Other = Exclude<ScriptKind, 'filter' | 'handler'>;

/** Reads a result that is not a message. @throws ScriptFault for one that an object of this kind cannot use */
export function resultOf(kind: ScriptKind, value: unknown): ScriptResults[Other] {
  if (kind === 'filter' || kind === 'handler') throw new ScriptFault('the result of the script is not a response');
  return readers[kind](value);
}

const readers: { readonly [K in Other]: (value: unknown) => ScriptResults[K] } = {
  throttlingPolicy: rate,
  resourceAccess: scopes,
  resourceUri: text,
  accessTokenResolver: token,
  jwtValidator: violations,
  transformation: (value) => ({ json: value as JsonValue }),
};

function rate(value: unknown): Rate {
  const { requests, duration } = fieldsOf(value, 'a rate: { requests, duration }');
  if (typeof requests !== 'number' || !Number.isSafeInteger(requests) || requests < 0)
    throw new ScriptFault('requests of the rate must be a whole number that is not negative');
  if (typeof duration !== 'string') throw new ScriptFault("duration of the rate must be a text such as '1 minute'");
  const read = durationOf(duration);
  if (read === null) throw new ScriptFault('the duration of the rate is unlimited');
  return { numberOfRequests: requests, nanoseconds: read };
}

function durationOf(text: string): bigint | null {
  try {
    return readDuration(text).nanoseconds;
  } catch (error) {
    if (error instanceof ValueProblem) throw new ScriptFault(error.message);
    throw error;
  }
}

function scopes(value: unknown): ReadonlySet<string> {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw new ScriptFault('the result of the script is not a set or an array of texts');
  return new Set(value as string[]);
}

function violations(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
    throw new ScriptFault('the result of the script is not an array of texts');
  return value as string[];
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new ScriptFault('the result of the script is not a text');
  return value;
}

function token(value: unknown): AccessToken {
  const { token: name, info, scopes: granted, expiresAt } = fieldsOf(value, 'a token: { token, info, scopes }');
  if (typeof name !== 'string') throw new ScriptFault('token of the access token must be a text');
  if (expiresAt !== undefined && expiresAt !== null && typeof expiresAt !== 'number')
    throw new ScriptFault('expiresAt of the access token must be a number of milliseconds since 1970');
  return {
    kind: 'token',
    token: name,
    info: fieldsOf(info, 'an access token whose info is an object'),
    scopes: scopes(granted ?? []),
    expiresAt: expiresAt ?? Number.POSITIVE_INFINITY,
  };
}

function fieldsOf(value: unknown, wanted: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ScriptFault(`the result of the script is not ${wanted}`);
}
