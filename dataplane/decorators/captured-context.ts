import type { Exchange } from '../engine/message/exchange.ts';
import type { CredentialMask } from './credential-mask.ts';

/** Deeper than any context is meant to be. */
const DEEPEST = 8;
/** One value may be in many places, so that what is shown can be far more than what is there. */
const MOST_ITEMS = 10_000;

/** The contexts of an exchange as JSON, with credentials masked. */
export function contextText(exchange: Exchange, mask: CredentialMask): string {
  const contexts = exchange.contextNames.map((name): [string, unknown] => [name, exchange.context(name)]);
  return JSON.stringify(shown(new Map(contexts), mask, DEEPEST, { left: MOST_ITEMS }), null, 2);
}

function shown(value: unknown, mask: CredentialMask, depth: number, items: { left: number }): unknown {
  if (--items.left < 0) return '[more]';
  if (typeof value === 'string') return mask.text(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deeper]';
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return value.slice(0, items.left + 1).map((item) => shown(item, mask, depth - 1, items));
  if ('toJSON' in value && typeof value.toJSON === 'function') return shown(value.toJSON(), mask, depth - 1, items);
  if (!(value instanceof Map) && value.toString !== Object.prototype.toString) return mask.text(String(value));
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = value instanceof Map || prototype === Object.prototype || prototype === null;
  if (!isPlain) return '[object]'; // what an object of the program is made of has no names to mask it by
  const entries = (value instanceof Map ? [...value] : Object.entries(value)).slice(0, items.left + 1);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, mask.hides(String(key)) ? mask.mask : shown(item, mask, depth - 1, items)]),
  );
}
