import { isIPv4 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { isHost } from './host-syntax.ts';

/** Ports that need not be named. */
export const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443, ws: 80, wss: 443 };

/** Bytes of a name in its one spelling that need no thought; dots and digits are looked at by their place. */
const PLAIN = new Uint8Array(128);
for (const character of "abcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=") PLAIN[character.charCodeAt(0)] = 1;

const DOT = 46;

/**
 * The one spelling of a host with its port, if it has one: lower case, no trailing dot, A-labels, IPv6 as RFC 5952
 * writes it, no port where it is that of the scheme. @returns null for what is no host, or could be read as two.
 */
export function canonicalAuthority(text: string, scheme: string): string | null {
  if (isPlainName(text)) return text;
  if (!isHost(text)) return null;
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':');
  const host = end < 0 ? canonicalName(text) : canonicalBracketed(text.slice(0, end));
  if (host === null || end < 0 || text.length <= end + 1) return host;
  const port = Number(text.slice(end + 1));
  return port === DEFAULT_PORTS[scheme] ? host : `${host}:${port}`;
}

/** The same for a host without a port; IPv6 addresses in brackets. */
export function canonicalHost(text: string): string | null {
  if (isPlainName(text)) return text;
  return isHost(text) && (text.startsWith('[') ? text.endsWith(']') : !text.includes(':'))
    ? canonicalBracketed(text)
    : null;
}

/** Whether two authorities name the same place for a scheme. */
export function sameAuthority(a: string, b: string, scheme: string): boolean {
  const place = canonicalAuthority(a, scheme);
  return place !== null && place === canonicalAuthority(b, scheme);
}

/** Whether a text is a name in its one spelling, seen at a glance; of others a closer look may still say so. */
function isPlainName(text: string): boolean {
  let label = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (i === label) return false;
      label = i + 1;
    } else if (code > 127 || PLAIN[code] === 0) return false;
  }
  const first = text.charCodeAt(label);
  // what ends in a number may be an address
  return label < text.length && (first < 48 || first > 57) && !text.includes('xn--');
}

function canonicalBracketed(host: string): string | null {
  return host.startsWith('[') ? canonicalIpv6(host) : canonicalName(host);
}

function canonicalIpv6(host: string): string {
  const { hostname } = new URL(`http://${host}/`);
  const mapped = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname);
  if (mapped === null) return hostname;
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function canonicalName(host: string): string | null {
  const decoded = host.includes('%') ? decodedName(host) : host.toLowerCase();
  if (decoded === null) return null;
  const bare = decoded.endsWith('.') ? decoded.slice(0, -1) : decoded;
  const isAscii = /^[\x00-\x7f]*$/.test(bare);
  const name = isAscii && !bare.includes('xn--') ? bare : asciiName(bare);
  if (name === null || name === '' || name.split('.').includes('')) return null;
  // 127.1, 0x7f000001 and 010.0.0.1 are addresses to some and names, or other addresses, to others
  return isNumeric(name) && !(isAscii && isIPv4(name)) ? null : name;
}

/** Percent-encoding is undone once; what a host cannot hold by itself, it cannot hold encoded. */
function decodedName(host: string): string | null {
  try {
    const decoded = decodeURIComponent(host).toLowerCase();
    return /^[-._~!$&'()*+,;=a-z0-9\x80-\u{10ffff}]*$/u.test(decoded) ? decoded : null;
  } catch {
    return null; // not UTF-8
  }
}

/** A name with labels of other scripts, or A-labels, as DNS has it; an A-label that stands for none is no name. */
function asciiName(name: string): string | null {
  const unicode = domainToUnicode(domainToASCII(name));
  const ascii = domainToASCII(unicode);
  const bare = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  const isSound = /^[-._~!$&'()*+,;=a-z0-9]+$/.test(bare) && !/(?:^|\.)xn--/.test(unicode);
  return isSound ? bare : null;
}

function isNumeric(name: string): boolean {
  return /^(?:\d+|0x[0-9a-f]*)(?:\.(?:\d+|0x[0-9a-f]*))*$/.test(name);
}
