import type { Reading } from '../commands/command.ts';

/** Where to listen: a host name or IP address without brackets, undefined for every interface, and a port. */
export interface Address {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080` or `:8080`. */
export function readAddress(text: string): Reading<Address> {
  const parts = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<name>[A-Za-z0-9.-]*)):(?<port>\d+)$/.exec(text)?.groups;
  if (parts === undefined) return { problem: `must be HOST:PORT, [IPV6]:PORT or :PORT, not '${text}'` };
  const port = Number(parts['port']);
  if (port > 65_535) return { problem: `must have a port from 0 to 65535, not ${port}` };
  return { value: { host: parts['v6'] || parts['name'] || undefined, port } };
}
