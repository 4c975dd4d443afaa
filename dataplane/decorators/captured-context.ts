import type { Exchange } from '../http/exchange.ts';
import type { CredentialMask } from './credential-mask.ts';

/** Deeper than any context is meant to be. */
const DEEPEST = 8;

/** The contexts of an exchange as JSON, with credentials masked. */
export function contextText(exchange: Exchange, mask: CredentialMask): string {
  const contexts = exchange.contextNames.map((name): [string, unknown] => [name, exchange.context(name)]);
  return JSON.stringify(shown(new Map(contexts), mask, DEEPEST), null, 2);
}

function shown(value: unknown, mask: CredentialMask, depth: number): unknown {
  if (typeof value === 'string') return mask.text(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deeper]';
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (Array.isArray(value)) return value.map((item) => shown(item, mask, depth - 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return shown(value.toJSON(), mask, depth - 1);
  if (!(value instanceof Map) && value.toString !== Object.prototype.toString) return mask.text(String(value));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, mask.hides(String(key)) ? mask.mask : shown(item, mask, depth - 1)]),
  );
}
