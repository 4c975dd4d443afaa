import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Protocol } from './connect.ts';
import type { NativeHandle } from './native-handle.ts';
import type { Wire, WireOwner } from './wire.ts';

/** Why a handshake with a client came to nothing. The words are stable: the metrics count by them. */
export const handshakeFaults = [
  'timeout',
  'closed',
  'plain-http',
  'protocol',
  'cipher',
  'alpn',
  'alert',
  'certificate-missing',
  'certificate',
  'unavailable',
  'proxy-header',
  'too-many',
  'malformed',
] as const;

export type HandshakeFault = (typeof handshakeFaults)[number];

/** A connection as the kernel gave it: a handle or, where handles cannot be had, a socket that is paused. */
export type Accepted = NativeHandle | Socket;

/** A client after its handshake. */
export interface SecureClient {
  readonly wire: Wire;
  readonly protocol: Protocol;
  /** What the client proved to be, its own certificate first; empty when it showed none. */
  readonly certificates: readonly X509Certificate[];
  /** The host that it asked for in the handshake, or null when it named none. */
  readonly serverName: string | null;
  readonly choice: CertificateChoice;
}

/** Certificates that a listener shows, by server name. */
export interface CertificateChoice {
  /** Whether a client that connected to a server was shown the certificate of a host; also where the host has none. */
  isShownFor(host: string, server: string): boolean;
}

/** Listener for the end of a handshake, which also gets the data right after it. Exactly one of the two is called. */
export interface HandshakeOwner extends WireOwner {
  secured(client: SecureClient): void;
  /** The connection is closed; the detail is for the log. */
  unsecured(fault: HandshakeFault, detail: string): void;
}

/** One key that session tickets are sealed with. */
export interface TicketKey {
  /** 16 bytes, which stand at the begin of a ticket. */
  readonly name: Buffer;
  /** 16 bytes. */
  readonly aes: Buffer;
  readonly hmac: Buffer;
}

/** The keys of session tickets, which all units of a plane have in common. */
export interface TicketKeys {
  /** What new tickets are sealed with. */
  current(): TicketKey;
  /** What this name was given to, or null when that was too long ago. */
  named(name: Buffer): TicketKey | null;
}

/** How a listener secures what it accepts. */
export interface SecureTransport {
  /** Resolves when handshakes can begin; without keys, tickets are for this listener alone. @throws what is wrong with the keys or the trust. */
  prepare(tickets: TicketKeys | null): Promise<void>;
  /**
   * Shakes hands, with `early` as the bytes that were read before. `protocols` are those that the listener speaks, the
   * preferred one first. @returns what ends it at once, after which the owner hears nothing.
   */
  begin(accepted: Accepted, early: Buffer | null, protocols: readonly Protocol[], owner: HandshakeOwner): () => void;
  /** Hears of every handshake that came to nothing, for the log. */
  noteFailure(fault: HandshakeFault, detail: string, remote: string): void;
}
