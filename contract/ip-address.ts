/** An address of the Internet Protocol as a number. */
export interface IpAddress {
  /** 32 or 128. */
  readonly bits: number;
  readonly value: bigint;
}

/** A network: an address, and how many of its leading bits count. */
export interface IpNetwork {
  readonly base: IpAddress;
  readonly prefix: number;
}

/** Reads an address; null for what is none. IPv4 in IPv6 (`::ffff:10.0.0.1`) is the IPv4 address. */
export function readIpAddress(text: string): IpAddress | null {
  const v4 = v4Of(text);
  if (v4 !== null) return { bits: 32, value: v4 };
  const v6 = v6Of(text);
  if (v6 === null) return null;
  return v6 >> 32n === 0xffffn ? { bits: 32, value: v6 & 0xffffffffn } : { bits: 128, value: v6 };
}

/** Reads a network such as `10.0.0.0/8`, or an address as the network of itself; null for what is neither. */
export function readIpNetwork(text: string): IpNetwork | null {
  const [address, length, more] = text.split('/');
  const base = readIpAddress(address!);
  const prefix = length === undefined ? base?.bits : /^\d{1,3}$/.test(length) ? Number(length) : undefined;
  if (base === null || prefix === undefined || prefix > base.bits || more !== undefined) return null;
  return { base, prefix };
}

export function isInNetwork(address: IpAddress, { base, prefix }: IpNetwork): boolean {
  if (address.bits !== base.bits) return false;
  const rest = BigInt(base.bits - prefix);
  return address.value >> rest === base.value >> rest;
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
