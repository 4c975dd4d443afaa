import type { Via } from '../head/via.ts';
import type { Answer, Exchange } from '../message/exchange.ts';
import type { Refusal } from '../message/refusal.ts';
import type { Response } from '../message/response.ts';
import { type Connect, connectWire, type Protocol } from '../wire/connect.ts';
import { DEFAULT_FORWARDING, type ForwardingOptions } from './forwarding.ts';
import { type Lookup, systemLookup } from './resolver.ts';

/** Where a backend is. */
export type Destination = { readonly host: string; readonly port: number } | { readonly path: string };

/** How requests get to a backend. Times are milliseconds; 0 turns a time-out off. */
export interface BackendOptions {
  readonly destination: Destination;
  /** Most connections at a time, of this unit. */
  readonly connections: number;
  /** Most requests that may wait for a connection. */
  readonly waiting: number;
  readonly waitTimeout: number;
  readonly connectTimeout: number;
  /** Time without a byte of the answer. */
  readonly responseTimeout: number;
  /** Time an unused connection is kept. */
  readonly idleTimeout: number;
  /** Age at which a connection is not used again. */
  readonly timeToLive: number;
  readonly reuse: boolean;
  readonly forwarding: ForwardingOptions;
  /** Protocols, in lower case, that a client may upgrade to through this backend. */
  readonly upgrades: readonly string[];
  readonly headBytes: number;
  /** Asks for the addresses of the destination. */
  readonly lookup: Lookup;
  /** Judges each resolved address before it is connected to; null allows all. */
  readonly mayReach: ((address: string, port: number) => boolean) | null;
  /** Judges what the proxy at the destination would connect to, before it is asked to; null allows all. */
  readonly mayAsk: (() => Promise<boolean>) | null;
  /** Opens a wire to a numeric address or a Unix-domain socket. */
  readonly connect: Connect;
  /** The same for a backend that speaks HTTP/2 and wants HTTP/1.1; null where `connect` is as good, or nothing is. */
  readonly connectHttp1: Connect | null;
  /** How requests are addressed: what a stream of HTTP/2 says, and the port that need not be named. */
  readonly scheme: 'http' | 'https';
  /** How HTTP/2 comes about: never, as the wire says when it is open, or by asking for it with the first request. */
  readonly http2: 'never' | 'negotiated' | 'upgrade';
  /** Hears which protocol a new connection speaks. */
  readonly spoken: ((protocol: Protocol) => void) | null;
  /** The proxy at the destination, or null where the backend itself is there. */
  readonly via: Via | null;
  /** What an answer becomes before anybody sees it; null leaves it as it is. It never rejects. */
  readonly received: ((response: Response, exchange: Exchange) => Answer) | null;
  /** Hears of every call without an answer or, where it has `begun`, with half of one; the reason is for the log. */
  readonly failed: (refusal: Refusal, reason: string, begun: boolean) => void;
  /** Whether a request that was sent whole is answered to its end although nobody waits for the answer. */
  readonly finishes: boolean;
}

export const DEFAULT_BACKEND: Omit<BackendOptions, 'destination'> = {
  connections: 64,
  waiting: 10_000,
  waitTimeout: 10_000,
  connectTimeout: 10_000,
  responseTimeout: 10_000,
  idleTimeout: 60_000,
  timeToLive: 0,
  reuse: true,
  forwarding: DEFAULT_FORWARDING,
  upgrades: [],
  headBytes: 65_536,
  lookup: systemLookup,
  mayReach: null,
  mayAsk: null,
  connect: connectWire,
  connectHttp1: null,
  scheme: 'http',
  http2: 'never',
  spoken: null,
  via: null,
  received: null,
  failed: () => {},
  finishes: false,
};
