import { errorText } from '../../../platform/error-text.ts';
import type { Via } from '../head/via.ts';
import type { Answer, BackendCall, Exchange, Next } from '../message/exchange.ts';
import { type Refusal, refusals } from '../message/refusal.ts';
import { Reply } from '../message/reply.ts';
import { Response, refusalResponse } from '../message/response.ts';
import { type Connect, connectWire, type Protocol } from '../wire/connect.ts';
import { BackendPool } from './backend-pool.ts';
import type { CallCarrier } from './call-carrier.ts';
import { DEFAULT_FORWARDING, type ForwardingOptions } from './forwarding.ts';
import { type Lookup, systemLookup } from './resolver.ts';
import { readForNobody } from './unwanted-answer.ts';
import type { Upload } from './upload.ts';

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

/** What is wrong with the way to a proxy, which the client and the figures know under one name. */
const OF_THE_WAY: ReadonlySet<Refusal> = new Set(['backend-address', 'backend-connect', 'backend-connect-timeout']);

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

/** The end of a chain: sends requests to one destination over a pool of its own. */
export class Backend {
  readonly options: BackendOptions;
  private readonly pool: BackendPool;
  private readonly name: string;

  constructor(options: Partial<BackendOptions> & Pick<BackendOptions, 'destination'>) {
    this.options = { ...DEFAULT_BACKEND, ...options };
    this.pool = new BackendPool(this.options);
    this.name = nameOf(this.options);
  }

  /** Sends the request on, edits applied. The answer is not there yet; failures are answers too. */
  readonly handle: Next = (exchange): Answer => {
    if (exchange.over) return refusalResponse('incomplete'); // the client left while a filter waited; nobody hears it
    if (exchange.request.touchedEntity?.incoming?.claimed === true) {
      throw new Error('the body has been read as a stream and not replaced: there is nothing to send on');
    }
    if (exchange.request.headers.imitated) return refusalResponse('header-look-alike');
    const call = new Call(exchange, this.options);
    exchange.call?.cancel();
    exchange.call = call;
    exchange.backend = this.name;
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

/** What a backend is called in logs: the place that requests are for, also behind a proxy. */
function nameOf({ destination, via }: BackendOptions): string {
  if (via !== null) return via.authority;
  if ('path' in destination) return `unix:${destination.path}`;
  const { host, port } = destination;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** One request on its way to a backend and its answer on the way back. */
export class Call implements BackendCall {
  readonly exchange: Exchange;
  readonly reply: Reply;
  private readonly options: BackendOptions;
  response: Response | null = null;
  sent = false;
  /** When it began to wait for a connection. */
  waitingSince = 0;
  /** What was sent on a connection that turned out dead; sent once more on a new one. */
  replay: Buffer | null = null;
  /** How often it was sent once more, for whatever reason. */
  retries = 0;
  /** How often of these nobody knows whether it arrived the time before. */
  repeats = 0;
  private readonly mostRepeats: number;
  /** The body on its way, where it may have to be sent again. */
  upload: Upload | null = null;
  /** Where it waits for a connection. */
  pool: BackendPool | null = null;
  carrier: CallCarrier | null = null;
  cancelled = false;

  constructor(exchange: Exchange, options: BackendOptions) {
    this.exchange = exchange;
    this.options = options;
    this.reply = new Reply(exchange);
    this.mostRepeats = exchange.repeats;
  }

  /** Whether it may be sent once more although it may have arrived. */
  get mayRepeat(): boolean {
    return !this.cancelled && this.repeats < this.mostRepeats;
  }

  answer(response: Response): void {
    const { received, responseTimeout } = this.options;
    this.response = response;
    if (this.cancelled) readForNobody(response, responseTimeout);
    else if (received === null) this.reply.settle(response);
    else this.settle(received(response, this.exchange));
  }

  private settle(answer: Answer): void {
    if (!(answer instanceof Response)) void answer.then((response) => this.settle(response));
    else if (this.cancelled) answer.abandon();
    else {
      this.response = answer;
      this.reply.settle(answer);
    }
  }

  /** There is no answer; the reason is for the log. */
  refuse(refusal: Refusal, reason: string = refusals[refusal].reason): void {
    if (this.cancelled) return;
    this.upload?.abandon();
    const { via, failed } = this.options;
    const isOfProxy = via !== null && OF_THE_WAY.has(refusal);
    const known = isOfProxy ? 'backend-proxy' : refusal;
    const why = isOfProxy ? `proxy ${via.proxy}: ${reason}` : reason;
    failed(known, why, false);
    this.settle(refusalResponse(known, why));
  }

  /** The content of the request cannot be had. */
  refuseUnreadable(error: unknown): void {
    this.refuse('internal', `the body cannot be read: ${errorText(error)}`);
  }

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.pool?.forget(this);
    const { carrier } = this;
    if (carrier !== null && !(this.options.finishes && this.response === null && carrier.sentWhole)) {
      this.carrier = null;
      carrier.drop();
    }
    if (this.carrier === null) this.upload?.abandon();
    this.response?.upgraded?.abandon();
    if (!this.reply.settled) this.reply.settle((this.response = refusalResponse('cancelled'))); // who waits for it has something to release
  }
}
