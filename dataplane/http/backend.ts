import type { BackendConnection } from './backend-connection.ts';
import { BackendPool } from './backend-pool.ts';
import { type Connect, connectWire } from './connect.ts';
import type { Answer, BackendCall, Exchange, Next } from './exchange.ts';
import { DEFAULT_FORWARDING, type ForwardingOptions } from './forwarding.ts';
import type { Refusal } from './refusal.ts';
import { Reply } from './reply.ts';
import { type Response, refusalResponse } from './response.ts';

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
  /** Judges each resolved address before it is connected to; null allows all. */
  readonly mayReach: ((address: string, port: number) => boolean) | null;
  /** Opens a wire to a numeric address or a Unix-domain socket. */
  readonly connect: Connect;
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
  mayReach: null,
  connect: connectWire,
};

/** The end of a chain: sends requests to one destination over a pool of its own. */
export class Backend {
  readonly options: BackendOptions;
  private readonly pool: BackendPool;

  constructor(options: Partial<BackendOptions> & Pick<BackendOptions, 'destination'>) {
    this.options = { ...DEFAULT_BACKEND, ...options };
    this.pool = new BackendPool(this.options);
  }

  /** Sends the request on, edits applied. The answer is not there yet; failures are answers too. */
  readonly handle: Next = (exchange): Answer => {
    if (exchange.over) return refusalResponse('incomplete'); // the client left while a filter waited; nobody hears it
    if (exchange.request.touchedEntity?.incoming?.claimed === true) {
      throw new Error('the body has been read as a stream and not replaced: there is nothing to send on');
    }
    const call = new Call(exchange);
    exchange.call?.cancel();
    exchange.call = call;
    this.pool.take(call);
    return call.reply;
  };

  /** Whether no connection is open or wanted. */
  get vacant(): boolean {
    return this.pool.vacant;
  }

  /** Closes what is idle and, after its answer, what is not. */
  close(): void {
    this.pool.close();
  }
}

/** One request on its way to a backend and its answer on the way back. */
export class Call implements BackendCall {
  readonly exchange: Exchange;
  readonly reply: Reply;
  response: Response | null = null;
  sent = false;
  /** When it began to wait for a connection. */
  waitingSince = 0;
  /** What was sent on a connection that turned out dead; sent once more on a new one. */
  replay: Buffer | null = null;
  retried = false;
  /** Where it waits for a connection. */
  pool: BackendPool | null = null;
  connection: BackendConnection | null = null;
  cancelled = false;

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.reply = new Reply(exchange);
  }

  answer(response: Response): void {
    this.response = response;
    this.reply.settle(response);
  }

  /** There is no answer; the reason is for the log. */
  refuse(refusal: Refusal, reason?: string): void {
    if (!this.cancelled) this.answer(refusalResponse(refusal, reason));
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.pool?.forget(this);
    const { connection } = this;
    this.connection = null;
    connection?.drop();
    this.response?.upgraded?.abandon();
    if (!this.reply.settled) this.answer(refusalResponse('cancelled')); // who waits for it has something to release
  }
}
