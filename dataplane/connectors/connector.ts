import type { ListenerLimits } from '../engine/head/limits.ts';
import type { WebSocketOptions } from '../engine/message/websocket-terms.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import type { CertificateFiles } from './certificate-files.ts';

/** One place where clients are accepted, as data that can be handed to another thread. */
export interface Connector {
  readonly scheme: 'http' | 'https';
  /** Undefined for every interface. */
  readonly host: string | undefined;
  /** 0 for any that is free. */
  readonly port: number;
  readonly limits: Partial<ListenerLimits>;
  readonly webSockets?: WebSocketOptions;
  /** Most connections that may wait to be accepted; undefined for as many as the engine takes. */
  readonly backlog?: number | undefined;
  /** What clients are shown where no object of `admin.json` says: this one was asked for on the command line. */
  readonly files?: CertificateFiles;
}

/** Where clients are accepted in the end: what a connector asked for, with the port that was free. */
export interface ServedAddress {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** The addresses of connectors. @param endpoints where they accept clients, in the same order; null while they do not */
export function servedAddresses(
  connectors: readonly Connector[],
  endpoints: readonly Endpoint[] | null,
): readonly ServedAddress[] {
  if (endpoints === null) return [];
  return connectors.map(({ scheme }, at) => {
    const { address, port } = endpoints[at]!;
    return { scheme, host: address, port };
  });
}

/** An address as people write it. */
export function addressText({ scheme, host, port }: ServedAddress): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
