import { isIP, SocketAddress } from 'node:net';
import type { Endpoint } from '../wire/wire.ts';
import { plainAddress } from './forwarded-facts.ts';

/** The header is not complete yet. */
export const NEEDS_MORE = 'needs-more';
/** There is no such header, or it is malformed. */
export const NO_HEADER = 'no-header';
export const BAD_HEADER = 'bad-header';

/** Content of a PROXY protocol header; `source` is null when the proxy speaks for itself. */
export interface ProxyHeader {
  readonly end: number;
  readonly source: Endpoint | null;
  readonly destination: Endpoint | null;
}

const V1 = Buffer.from('PROXY ');
const V2 = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
const V1_LONGEST = 107;
const V2_LONGEST = 16 + 536;

/** Reads a PROXY protocol header, version 1 or 2, at the start of a connection. */
export function readProxyHeader(
  bytes: Buffer,
  start: number,
  end: number,
): ProxyHeader | typeof NEEDS_MORE | typeof NO_HEADER | typeof BAD_HEADER {
  if (matches(bytes, start, end, V1)) return end - start < V1.length ? NEEDS_MORE : readV1(bytes, start, end);
  if (matches(bytes, start, end, V2)) return end - start < 16 ? NEEDS_MORE : readV2(bytes, start, end);
  return NO_HEADER;
}

function matches(bytes: Buffer, start: number, end: number, signature: Buffer): boolean {
  const length = Math.min(end - start, signature.length);
  return bytes.compare(signature, 0, length, start, start + length) === 0;
}

function readV1(bytes: Buffer, start: number, end: number): ReturnType<typeof readProxyHeader> {
  const newline = bytes.indexOf(10, start);
  if (newline < 0 || newline >= end) return end - start >= V1_LONGEST ? BAD_HEADER : NEEDS_MORE;
  const line = bytes.latin1Slice(start, newline + 1);
  if (line.length > V1_LONGEST || !line.endsWith('\r\n')) return BAD_HEADER;
  const [, family, from, to, fromPort, toPort, ...rest] = line.slice(0, -2).split(' ');
  if (family === 'UNKNOWN') return { end: newline + 1, source: null, destination: null };
  const kind = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : 0;
  if (kind === 0 || rest.length > 0 || isIP(from ?? '') !== kind || isIP(to ?? '') !== kind) return BAD_HEADER;
  if (!isPort(fromPort) || !isPort(toPort)) return BAD_HEADER;
  return {
    end: newline + 1,
    source: { address: oneSpelling(from!), port: Number(fromPort) },
    destination: { address: oneSpelling(to!), port: Number(toPort) },
  };
}

function isPort(text: string | undefined): boolean {
  return text !== undefined && /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) < 65_536;
}

function readV2(bytes: Buffer, start: number, end: number): ReturnType<typeof readProxyHeader> {
  const version = bytes[start + 12]!;
  const length = bytes.readUInt16BE(start + 14);
  if (version >> 4 !== 2 || (version & 15) > 1 || length + 16 > V2_LONGEST) return BAD_HEADER;
  if (end - start < 16 + length) return NEEDS_MORE;
  const after = start + 16 + length;
  const family = bytes[start + 13]! >> 4;
  if ((version & 15) === 0 || family === 0 || family === 3) return { end: after, source: null, destination: null };
  const size = family === 1 ? 4 : family === 2 ? 16 : 0;
  if (size === 0 || length < 2 * size + 4) return BAD_HEADER;
  const at = start + 16;
  return {
    end: after,
    source: { address: addressAt(bytes, at, size), port: bytes.readUInt16BE(at + 2 * size) },
    destination: { address: addressAt(bytes, at + size, size), port: bytes.readUInt16BE(at + 2 * size + 2) },
  };
}

function addressAt(bytes: Buffer, at: number, size: number): string {
  if (size === 4) return Array.from(bytes.subarray(at, at + 4)).join('.');
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(bytes.readUInt16BE(at + i).toString(16));
  return oneSpelling(groups.join(':'));
}

/** The usual text of an IPv6 address: others compare addresses as strings. */
function oneSpelling(address: string): string {
  if (!address.includes(':')) return address;
  return plainAddress(new SocketAddress({ address, family: 'ipv6' }).address);
}
