import type { ListenerLimits } from '../head/limits.ts';
import type { AskedFor } from '../head/request-line.ts';
import type { AccessEntry, AccessFacts, Exchange, Next } from '../message/exchange.ts';
import type { Refusal } from '../message/refusal.ts';
import type { UpgradedPeer } from '../message/response.ts';
import type { WebSocketTerms } from '../message/websocket-terms.ts';
import type { Wire, WireOwner } from '../wire/wire.ts';
import type { ClientFacts } from './client-facts.ts';

/** A connection of a client, whatever it speaks. */
export interface ListenedConnection {
  /** From now on it ends as soon as it can. */
  drain(): void;
  /** Ends at once. `reset` tells the client that something is incomplete. */
  abort(reset: boolean): void;
}

/** Source of a response: a connection of HTTP/1, or a stream of HTTP/2. */
export interface AnsweringSide {
  /** The status of the answer, 0 when there was none. */
  readonly status: number;
  /** Bytes of content that were sent. */
  readonly sent: number;
  readonly facts: AccessFacts;
}

/** The listener that accepted a connection, as its connections know it. */
export interface ConnectionOwner {
  readonly limits: ListenerLimits;
  readonly webSockets: WebSocketTerms;
  readonly handler: Next;
  readonly scheme: 'http' | 'https';
  /** Whether clients are asked to go: an answer of HTTP/1 is the last one of its connection. */
  readonly draining: boolean;
  /** How long a connection may wait for its first request. */
  readonly firstPatience: number;
  /** How long a connection may wait for its next request. */
  readonly patience: number;
  /** How long a request may be on its way from a client that was asked to go. */
  readonly notice: number;
  /** Whether forwarding headers from this address are believed. */
  readonly trusts: (address: string) => boolean;
  readonly report: (error: unknown) => void;
  /** What was taken for HTTP/1 speaks HTTP/2. @returns what reads it from now on. */
  handOver(connection: ListenedConnection, wire: Wire, facts: ClientFacts): WireOwner;
  /** The connection is closed. */
  forget(connection: ListenedConnection): void;
  /** An exchange is over. */
  finished(side: AnsweringSide, exchange: Exchange, why: Refusal | null): void;
  /** The tunnel that an exchange became is over, and with it the connection of HTTP/1; `access` was its audit record. */
  tunnelOver(side: AnsweringSide, exchange: Exchange, access: AccessEntry | null, peer: UpgradedPeer): void;
  /** A request was refused before there was an exchange. */
  refusedHead(side: AnsweringSide, asked: AskedFor, refusal: Refusal): void;
}
