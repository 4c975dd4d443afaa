import type { Headers } from './headers.ts';

/** What the gateway tells a backend about the client. */
export interface ForwardingOptions {
  /** `X-Forwarded-For`, `-Host`, `-Proto` and `-Port`. */
  readonly xForwarded: boolean;
  /** `Forwarded` (RFC 7239). */
  readonly forwarded: boolean;
  /** The name in `Via`, or null for none. */
  readonly via: string | null;
}

export const DEFAULT_FORWARDING: ForwardingOptions = { xForwarded: true, forwarded: false, via: 'gatewarden' };

/** What is said about one client: the same for all its requests to one host. */
export interface ForwardedClient {
  readonly address: string;
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly version: string;
}

/** The lines to add to a request, each with its CRLF. */
export function forwardingLines(client: ForwardedClient, options: ForwardingOptions): string {
  let lines = '';
  if (options.xForwarded) {
    lines = `X-Forwarded-For: ${client.address}\r\nX-Forwarded-Proto: ${client.scheme}\r\nX-Forwarded-Port: ${client.port}\r\n`;
    if (client.host !== '') lines += `X-Forwarded-Host: ${client.host}\r\n`;
  }
  if (options.forwarded) lines += `Forwarded: ${forwardedElement(client)}\r\n`;
  if (options.via !== null) lines += `Via: ${client.version} ${options.via}\r\n`;
  return lines;
}

function forwardedElement(client: ForwardedClient): string {
  const node = client.address.includes(':') ? `"[${client.address}]"` : client.address;
  const host = client.host === '' ? '' : `;host=${JSON.stringify(client.host)}`;
  return `for=${node === '' ? 'unknown' : node}${host};proto=${client.scheme}`;
}

/** Whether only the gateway, or a proxy it trusts, may send this header. `name` in lower case. */
export function isForwardingHeader(name: string): boolean {
  return name === 'forwarded' || name.startsWith('x-forwarded-');
}

/**
 * The same when the peer is a trusted proxy that told us about the client already: its word is kept and ours added.
 * The old lines are taken out of `headers`.
 */
export function extendForwarding(headers: Headers, client: ForwardedClient, options: ForwardingOptions): string {
  const kept: Record<string, string> = {};
  for (const [name, value] of headers.entries()) {
    if (!isForwardingHeader(name)) continue;
    kept[name] = kept[name] === undefined ? value : `${kept[name]}, ${value}`;
    headers.delete(name);
  }
  let lines = '';
  if (options.xForwarded) {
    const before = kept['x-forwarded-for'];
    kept['x-forwarded-for'] = before === undefined ? client.address : `${before}, ${client.address}`;
    kept['x-forwarded-proto'] ??= client.scheme;
    kept['x-forwarded-port'] ??= String(client.port);
    if (client.host !== '') kept['x-forwarded-host'] ??= client.host;
  }
  if (options.forwarded) {
    const before = kept['forwarded'];
    kept['forwarded'] = before === undefined ? forwardedElement(client) : `${before}, ${forwardedElement(client)}`;
  }
  for (const [name, value] of Object.entries(kept)) lines += `${name}: ${value}\r\n`;
  return options.via === null ? lines : `${lines}Via: ${client.version} ${options.via}\r\n`;
}

/** What a trusted proxy says of the client; null for what it does not say. */
export interface ForwardedFacts {
  readonly address: string | null;
  readonly scheme: string | null;
  readonly host: string | null;
}

/**
 * Reads the forwarding headers of a trusted peer. Of the addresses the last one that is not itself a trusted proxy is
 * the client: what stands before it, anybody may have written.
 */
export function forwardedFacts(headers: Headers, trusts: (address: string) => boolean): ForwardedFacts {
  const elements = headers.get('forwarded')?.split(',').map(forwardedParameters) ?? [];
  const addresses =
    elements.length > 0
      ? elements.map((element) => bareAddress(element.get('for') ?? ''))
      : (headers
          .get('x-forwarded-for')
          ?.split(',')
          .map((part) => bareAddress(part.trim())) ?? []);
  let address: string | null = null;
  for (let i = addresses.length - 1; i >= 0; i--) {
    address = addresses[i]!;
    if (!trusts(address)) break;
  }
  const last = elements.at(-1);
  const scheme = (last?.get('proto') ?? lastOf(headers.get('x-forwarded-proto')))?.toLowerCase() ?? null;
  return {
    address: address === '' ? null : address,
    scheme: scheme === 'http' || scheme === 'https' ? scheme : null,
    host: last?.get('host') ?? lastOf(headers.get('x-forwarded-host')),
  };
}

function lastOf(list: string | null): string | null {
  const value = list?.split(',').at(-1)?.trim();
  return value === undefined || value === '' ? null : value;
}

function forwardedParameters(element: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const match of element.matchAll(/([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;,"\s]*))/g)) {
    parameters.set(match[1]!.toLowerCase(), match[2]?.replaceAll(/\\(.)/g, '$1') ?? match[3] ?? '');
  }
  return parameters;
}

/** An address without brackets and port. */
function bareAddress(node: string): string {
  if (node.startsWith('[')) return node.slice(1, node.indexOf(']'));
  return node.includes('.') && node.includes(':') ? node.slice(0, node.indexOf(':')) : node;
}
