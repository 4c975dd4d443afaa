import type { JsonValue } from '../../../../contract/document/json-value.ts';
import { Double } from '../../../../contract/expression/value.ts';
import type { AccessToken } from '../../../heap/objects/access-tokens.ts';
import type { Rate } from '../../../heap/objects/throttling.ts';
import { ScriptFault, type ScriptKind, type ScriptResults, type TransformedValue } from '../../script-language.ts';
import { NEVER, RateValue, TokenInfo } from '../library/gateway/gateway-objects.ts';
import { MessageValue } from '../library/gateway/messages.ts';
import type { Machine } from '../runtime/machine.ts';
import { GSet } from '../values/collections.ts';
import { GString } from '../values/g-string.ts';
import type { Value } from '../values/java-class.ts';
import { responseOf } from './exchange-messages.ts';
import { gatewayValue, OPAQUE } from './script-values.ts';

/** Reads the result of a script. @throws ScriptFault for one that an object of this kind cannot use */
export function resultOf(rt: Machine, kind: ScriptKind, value: Value): ScriptResults[ScriptKind] {
  return readers[kind](rt, value);
}

const readers: { readonly [K in ScriptKind]: (rt: Machine, value: Value) => ScriptResults[K] } = {
  filter: response,
  handler: response,
  throttlingPolicy: rate,
  resourceAccess: scopes,
  resourceUri: text,
  accessTokenResolver: token,
  jwtValidator: () => [],
  transformation: transformed,
};

function response(_rt: Machine, value: Value): ScriptResults['filter'] {
  if (!(value instanceof MessageValue)) throw new ScriptFault('the result of the script is not a response');
  return responseOf(value);
}

function rate(_rt: Machine, value: Value): Rate {
  if (!(value instanceof RateValue)) throw new ScriptFault('the result of the script is not a ThrottlingRate');
  const { requests, duration } = value;
  if (duration.nanoseconds === null) throw new ScriptFault('the duration of the rate is unlimited');
  return { numberOfRequests: requests, nanoseconds: duration.nanoseconds };
}

function scopes(rt: Machine, value: Value): ReadonlySet<string> {
  if (!(value instanceof GSet)) throw new ScriptFault('the result of the script is not a Set');
  const items = value.items();
  const wrong = items.find((item) => !(typeof item === 'string' || item instanceof GString));
  if (wrong !== undefined) throw new ScriptFault('the set of the script has an item that is not a String');
  return new Set(items.map((item) => rt.text(item)));
}

function text(_rt: Machine, value: Value): string {
  if (typeof value !== 'string') throw new ScriptFault('the result of the script is not a String');
  return value;
}

function token(rt: Machine, value: Value): AccessToken {
  if (!(value instanceof TokenInfo)) throw new ScriptFault('the result of the script is not an AccessTokenInfo');
  const info = gatewayValue(rt, value.info.object);
  if (info === OPAQUE || !(info instanceof Map))
    throw new ScriptFault('the info of the access token is not a JSON object');
  return {
    kind: 'token',
    token: rt.text(value.token),
    info: plain(info) as Record<string, unknown>,
    scopes: scopes(rt, value.scopes),
    expiresAt: value.expiresAt === NEVER ? Number.POSITIVE_INFINITY : Number(value.expiresAt),
  };
}

function transformed(rt: Machine, value: Value): TransformedValue {
  const made = gatewayValue(rt, value);
  if (made === OPAQUE) throw new ScriptFault(`the result of the script, a ${rt.classOf(value).name}, has no JSON form`);
  const json = plain(made) as JsonValue;
  if (!isWritable(json)) throw new ScriptFault('the result of the script has a number that JSON does not have');
  return { json };
}

function isWritable(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isWritable);
}

/** JSON with objects in the place of maps. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Double) return value.value;
  if (!(value instanceof Map)) return typeof value === 'bigint' ? Number(value) : value;
  return Object.fromEntries([...value].map(([name, item]) => [name, plain(item)]));
}
