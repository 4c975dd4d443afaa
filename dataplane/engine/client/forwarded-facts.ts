import { isIP } from 'node:net';
import type { Headers } from '../head/headers.ts';

/** Facts about the client from a trusted proxy; null for those that it does not send. */
export interface ForwardedFacts {
  readonly address: string | null;
  readonly scheme: string | null;
  readonly host: string | null;
}

/** The address of a client that a trusted proxy does not name, or not in a way that can be believed. */
export const UNKNOWN_ADDRESS = 'unknown';

/**
 * Reads the forwarding headers of a trusted peer. Of the addresses the last one that is not itself a trusted proxy is
 * the client: what stands before it, anybody may have written. Where `Forwarded` and `X-Forwarded-For` disagree, the
 * proxy passed one of them on as it came, and neither is believed.
 */
export function forwardedFacts(headers: Headers, trusts: (address: string) => boolean): ForwardedFacts {
  const x = xForwardedFacts(headers, trusts);
  const forwarded = headers.get('forwarded');
  if (forwarded === null) return x;
  const facts = standardFacts(forwarded, trusts);
  return {
    address: x.address === null || x.address === facts.address ? facts.address : UNKNOWN_ADDRESS,
    scheme: agreed(facts.scheme, x.scheme),
    host: agreed(facts.host, x.host),
  };
}

function agreed(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : a === b ? a : null;
}

function xForwardedFacts(headers: Headers, trusts: (address: string) => boolean): ForwardedFacts {
  const addresses = listed(headers.get('x-forwarded-for')).map(bareAddress);
  const hops = hopsBehindClient(addresses, trusts);
  return {
    address: addresses.at(-1 - hops) ?? null,
    scheme: knownScheme(saidAt(headers.get('x-forwarded-proto'), hops)),
    host: saidAt(headers.get('x-forwarded-host'), hops),
  };
}

/** `Forwarded` (RFC 7239). */
function standardFacts(value: string, trusts: (address: string) => boolean): ForwardedFacts {
  const elements = forwardedElements(value);
  if (elements === null) return { address: UNKNOWN_ADDRESS, scheme: null, host: null };
  const addresses = elements.map((element) => bareAddress(element.get('for') ?? ''));
  const element = elements.at(-1 - hopsBehindClient(addresses, trusts));
  if (element === undefined) return { address: null, scheme: null, host: null };
  return {
    address: bareAddress(element.get('for') ?? ''),
    scheme: knownScheme(element.get('proto') ?? null),
    host: element.get('host') ?? null,
  };
}

/** How many entries stand behind the one that names the client. */
function hopsBehindClient(addresses: readonly string[], trusts: (address: string) => boolean): number {
  let hops = 0;
  while (hops + 1 < addresses.length && trusts(addresses.at(-1 - hops)!)) hops++;
  return hops;
}

/** The entry of the hop that saw the client; a proxy that does not add to a list has set it for all hops. */
function saidAt(list: string | null, hops: number): string | null {
  const said = listed(list);
  return said.at(-1 - Math.min(hops, said.length - 1)) ?? null;
}

function listed(list: string | null): string[] {
  if (list === null) return [];
  const entries = list.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

function knownScheme(scheme: string | null): string | null {
  const name = scheme?.toLowerCase();
  return name === 'http' || name === 'https' ? name : null;
}

/** @returns the elements of a Forwarded header, or null when it is malformed and could be read in two ways. */
function forwardedElements(text: string): ReadonlyMap<string, string>[] | null {
  const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^ \t;,"]*)))?[ \t]*([;,]|$)/y;
  const elements: Map<string, string>[] = [];
  let element = new Map<string, string>();
  for (;;) {
    const match = pair.exec(text);
    if (match === null) return null;
    const [, name, quoted, plain, separator] = match;
    if (name !== undefined) {
      if (element.has(name.toLowerCase())) return null;
      element.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
    }
    if (separator === ';') continue;
    if (element.size > 0) elements.push(element);
    if (separator === '') return elements;
    element = new Map();
  }
}

/** An address without brackets and port; `unknown` for what is none, such as a name that a proxy made up. */
function bareAddress(node: string): string {
  const bare = /^\[([^\]]*)\](?::\w+)?$/.exec(node)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\w+$/.exec(node)?.[1] ?? node;
  return isIP(bare) === 0 ? UNKNOWN_ADDRESS : plainAddress(bare);
}

/** An IPv4 address as such, also where a socket for both families shows it as IPv6. */
export function plainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice('::ffff:'.length) : address;
}
