import type { Shapes } from '../../../../contract/expression/language.ts';
import { doubleOf, Double as ExpressionDouble, isPlainObject } from '../../../../contract/expression/value.ts';
import { Uri } from '../../../engine/message/uri.ts';
import { VouchedToken } from '../../../oauth2/cache/vouched-token.ts';
import { shapedValue } from '../../shaped-value.ts';
import { UriValue } from '../library/encoding/uri-classes.ts';
import { NEVER, TokenInfo } from '../library/gateway/gateway-objects.ts';
import { JsonNode } from '../library/gateway/json-node.ts';
import { ArrayValue, GMap, GSet, List } from '../values/collections.ts';
import { isNumber, toDouble } from '../values/conversions.ts';
import { GString } from '../values/g-string.ts';
import type { Runtime, Value } from '../values/java-class.ts';
import { BigInteger, Char, Double } from '../values/numbers.ts';

/** A value of a script may hold itself. */
const MOST_NESTING = 64;

const MOST_INTEGER = 2 ** 31;

/** A value of the gateway as scripts see it. Objects of the gateway are maps of the properties that expressions see. */
export function scriptValue(rt: Runtime, value: unknown, shapes: Shapes, depth = 0): Value {
  rt.budget.allocate(16);
  if (value === null || value === undefined || depth > MOST_NESTING) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value === 'number') return scriptNumber(value);
  if (value instanceof ExpressionDouble) return new Double(value.value);
  if (value instanceof VouchedToken) return tokenValue(rt, value, shapes);
  if (value instanceof Uri) return new UriValue(rt, String(value));
  const inner = (item: unknown): Value => scriptValue(rt, item, shapes, depth + 1);
  if (Array.isArray(value)) return new List(value.map(inner));
  if (value instanceof Set) return new GSet([...value].map(inner));
  if (value instanceof Map) return mapOf([...value], inner);
  if (typeof value !== 'object') return null;
  if (isPlainObject(value)) return mapOf(Object.entries(value), inner);
  const shape = shapes.get(Object.getPrototypeOf(value) as object | null);
  if (shape === undefined) return null;
  const shaped = shapedValue(value, shape);
  return typeof shaped === 'object' && shaped !== null ? mapOf(shaped, inner) : shaped;
}

function mapOf(entries: readonly (readonly [unknown, unknown])[], inner: (item: unknown) => Value): GMap {
  const map = new GMap();
  for (const [name, item] of entries) map.put(String(name), inner(item));
  return map;
}

function scriptNumber(value: number): Value {
  if (!Number.isInteger(value)) return new Double(value);
  if (value >= -MOST_INTEGER && value < MOST_INTEGER) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : new Double(value);
}

function tokenValue(rt: Runtime, { token, info, scopes, expiresAt }: VouchedToken, shapes: Shapes): TokenInfo {
  const until = Number.isFinite(expiresAt) ? BigInt(Math.floor(expiresAt)) : NEVER;
  return new TokenInfo(rt, new JsonNode(rt, scriptValue(rt, info, shapes)), token, new GSet(scopes), until);
}

/** Stands for a value that only scripts know. */
export const OPAQUE: unique symbol = Symbol('opaque');

/** A value of a script as expressions and sessions see it; OPAQUE where it has no such form. */
export function gatewayValue(rt: Runtime, value: Value, depth = 0): unknown {
  rt.budget.allocate(16);
  if (depth > MOST_NESTING) return OPAQUE;
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof GString || value instanceof Char) return rt.text(value);
  if (value instanceof JsonNode) return gatewayValue(rt, value.object, depth);
  if (value instanceof BigInteger) return value.value;
  if (isNumber(value)) return doubleOf(toDouble(value));
  if (value instanceof GMap) {
    const map = new Map<string, unknown>();
    for (const { entryKey, value: item } of value.entries()) {
      const made = gatewayValue(rt, item, depth + 1);
      if (made === OPAQUE) return OPAQUE;
      map.set(rt.text(entryKey), made);
    }
    return map;
  }
  if (!(value instanceof List || value instanceof ArrayValue || value instanceof GSet)) return OPAQUE;
  const items = (value instanceof GSet ? value.items() : value.items).map((item) => gatewayValue(rt, item, depth + 1));
  return items.includes(OPAQUE) ? OPAQUE : items;
}
