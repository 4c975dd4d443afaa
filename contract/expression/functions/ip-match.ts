import type { FunctionRows } from '../language.ts';
import { EvaluationError, type Value } from '../value.ts';

const V4_BITS = 32;
const V6_BITS = 128;

/** Whether an address lies in a network; a text that is no address lies in none, but a network must be one. */
export const ipFunctions: FunctionRows = [['ipMatch', { takes: 'two', first: 'text', second: 'text', call: ipMatch }]];

interface Address {
  readonly bits: number;
  readonly value: bigint;
}

function ipMatch(address: Value, network: Value): Value {
  const [base, prefix] = networkOf(network);
  const candidate = typeof address === 'string' ? addressOf(address) : null;
  if (candidate === null || candidate.bits !== base.bits) return false;
  const rest = BigInt(base.bits - prefix);
  return candidate.value >> rest === base.value >> rest;
}

function networkOf(text: Value): readonly [Address, number] {
  const [address, length, more] = typeof text === 'string' ? text.split('/') : [];
  const base = address === undefined ? null : addressOf(address);
  const prefix = length === undefined ? base?.bits : /^\d{1,3}$/.test(length) ? Number(length) : undefined;
  if (base === null || prefix === undefined || prefix > base.bits || more !== undefined) {
    throw new EvaluationError(`'${text}' is not a network such as 10.0.0.0/8`);
  }
  return [base, prefix];
}

/** IPv4 in IPv6 (`::ffff:10.0.0.1`) is the IPv4 address. */
function addressOf(text: string): Address | null {
  const v4 = v4Of(text);
  if (v4 !== null) return { bits: V4_BITS, value: v4 };
  const v6 = v6Of(text);
  if (v6 === null) return null;
  return v6 >> 32n === 0xffffn ? { bits: V4_BITS, value: v6 & 0xffffffffn } : { bits: V6_BITS, value: v6 };
}

function v4Of(text: string): bigint | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return null;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function v6Of(text: string): bigint | null {
  const lastColon = text.lastIndexOf(':');
  const tail = text.includes('.') ? v4Of(text.slice(lastColon + 1)) : null;
  if (text.includes('.') && tail === null) return null;
  const plain =
    tail === null
      ? text
      : `${text.slice(0, lastColon + 1)}${(tail >> 16n).toString(16)}:${(tail & 0xffffn).toString(16)}`;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const [head, end] = [groupsOf(halves[0]!), halves.length === 2 ? groupsOf(halves[1]!) : []];
  if (head === null || end === null) return null;
  const missing = 8 - head.length - end.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...end];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

function groupsOf(text: string): bigint[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group)) ? groups.map((group) => BigInt(`0x${group}`)) : null;
}
