import { BlockList, isIP } from 'node:net';
import type { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';

type Family = 'ipv4' | 'ipv6';

/** Addresses that belong together. */
export type Network =
  | { readonly family: Family; readonly address: string; readonly prefix: number }
  | { readonly family: Family; readonly first: string; readonly last: string };

/** An address, a network such as `10.0.0.0/8`, or a range such as `192.0.2.1-192.0.2.9`, of IPv4 or IPv6. */
export function network(): z.ZodType<Network, unknown> {
  return leaf('configuration expression<string>', { type: 'string', minLength: 1 }, (value) =>
    readConfigured(value, read),
  );
}

function read(text: unknown): Network {
  if (typeof text !== 'string') throw wrongType('an IP address, a network or a range', text);
  const found = readNetwork(text.trim());
  if (found !== null) return found;
  throw new ValueProblem(
    'value',
    `is not an IP address, a network or a range: ${shown(text)}`,
    "write '192.0.2.7', '10.0.0.0/8' or '192.0.2.1-192.0.2.9'",
  );
}

/** Whether an address is in one of the networks. What is no address is in none. */
export function networkTest(networks: readonly Network[]): (address: string) => boolean {
  // one list for both would find every IPv4 address in ::/0
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const one of networks) {
    if ('prefix' in one) lists[one.family].addSubnet(one.address, one.prefix, one.family);
    else lists[one.family].addRange(one.first, one.last, one.family);
  }
  let last = '';
  let verdict = false;
  return (address) => {
    if (address === last) return verdict; // requests on one connection come from one address
    const family = familyOf(address);
    last = address;
    verdict = family !== null && lists[family].check(address, family);
    return verdict;
  };
}

function readNetwork(text: string): Network | null {
  const range = /^\[?([^\s[\]-]+)\s*-\s*([^\s[\]-]+)\]?$/.exec(text);
  if (range !== null) return readRange(range[1]!, range[2]!);
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = familyOf(address);
  if (family === null) return null;
  const widest = family === 'ipv6' ? 128 : 32;
  const bits = prefix === undefined ? widest : Number(prefix);
  return bits > widest ? null : { family, address, prefix: bits };
}

function readRange(first: string, last: string): Network | null {
  const family = familyOf(first);
  if (family === null || family !== familyOf(last)) return null;
  try {
    new BlockList().addRange(first, last, family);
  } catch {
    return null; // the first is behind the last
  }
  return { family, first, last };
}

function familyOf(address: string): Family | null {
  const version = isIP(address);
  return version === 0 ? null : version === 6 ? 'ipv6' : 'ipv4';
}
