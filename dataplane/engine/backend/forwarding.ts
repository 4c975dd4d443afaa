import type { Headers } from '../head/headers.ts';

/** Forwarding headers for a backend. */
export interface ForwardingOptions {
  /** `X-Forwarded-For`, `-Host`, `-Proto` and `-Port`. */
  readonly xForwarded: boolean;
  /** `Forwarded` (RFC 7239). */
  readonly forwarded: boolean;
  /** The name in `Via`, or null for none. */
  readonly via: string | null;
}

export const DEFAULT_FORWARDING: ForwardingOptions = { xForwarded: true, forwarded: false, via: 'gatewarden' };

/** How many gateways a request has come through. Each adds its name to Via, so one that comes round again has it many times. */
export function gatewaysIn(headers: Headers): number {
  if (!headers.has('via')) return 0;
  const name = ` ${DEFAULT_FORWARDING.via}`;
  return (headers.get('via') ?? '').split(',').filter((hop) => hop.trimEnd().endsWith(name)).length;
}

/** Adds what is missing of this many gateways. */
export function restoreGateways(headers: Headers, count: number): void {
  for (let missing = count - gatewaysIn(headers); missing > 0; missing--) {
    headers.append('Via', `1.1 ${DEFAULT_FORWARDING.via}`);
  }
}

/** Forwarding facts of one client: the same for all its requests to one host. */
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

/** Values of a trusted peer's forwarding headers, by name; several lines of one name are joined. */
export type ForwardedLines = Readonly<Record<string, string>>;

/** Takes the forwarding headers of a trusted peer out of `headers`. */
export function takeForwarding(headers: Headers): ForwardedLines {
  const said: Record<string, string> = {};
  for (const [name, value] of headers.entries()) {
    if (!isForwardingHeader(name)) continue;
    said[name] = said[name] === undefined ? value : `${said[name]}, ${value}`;
    headers.delete(name);
  }
  return said;
}

/** The same when the peer is a trusted proxy that told us about the client already: its word is kept and ours added. */
export function extendForwarding(said: ForwardedLines, client: ForwardedClient, options: ForwardingOptions): string {
  const kept: Record<string, string> = { ...said };
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
