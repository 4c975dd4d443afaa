import { Headers } from '../head/headers.ts';
import { listenerLimits } from '../head/limits.ts';
import { type BackendCall, type ClientContext, Exchange, type Next } from '../message/exchange.ts';
import { type ExchangeOwner, runExchange } from '../message/exchange-owner.ts';
import { Request } from '../message/request.ts';
import type { Response } from '../message/response.ts';
import { Uri } from '../message/uri.ts';
import { webSocketTerms } from '../message/websocket-terms.ts';
import { clock, readClock } from '../wire/clock.ts';
import { DEFAULT_FORWARDING, gatewaysIn } from './forwarding.ts';
import { Tunnel } from './tunnel.ts';

/** A request that the gateway makes for itself, such as one to a token endpoint. */
export interface OwnRequest {
  readonly method: string;
  /** Absolute. */
  readonly uri: string | Uri;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: string | Uint8Array;
  /** Protocol that the connection is to be upgraded to, in lower case. */
  readonly upgrade?: string;
}

/** Complete response of a call. */
export interface OwnAnswer {
  readonly status: number;
  /** The value of a header, several lines joined; null when there is none. */
  header(name: string): string | null;
  /** Every header line, names in lower case. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly content: Buffer;
  /** The connection, where an upgrade was asked for and granted: whoever gets it closes it. */
  readonly tunnel?: Tunnel;
}

export interface OwnCallOptions {
  /** For whom it is made: its contexts and its transaction are those of the call. Null for nobody. */
  readonly parent: Exchange | null;
  /** Whether it is not sent any more once the client of the parent has gone; by default it is: others may wait for it. */
  readonly endsWithParent?: boolean;
  /** Most bytes of content to take. */
  readonly limit?: number;
  /** Most milliseconds for all of it. */
  readonly timeout?: number;
}

const CONTENT_LIMIT = 1 << 20;
const TIMEOUT = 30_000;
/** Enough for every gateway to see that it is a circle. */
const MOST_HOPS = 10;
const WEB_SOCKETS = webSocketTerms({}, listenerLimits.parse({}));
const NOBODY: ClientContext = Object.freeze({
  remoteAddress: '',
  remotePort: 0,
  localAddress: '',
  localPort: 0,
  isSecure: false,
  isExternal: false,
  userAgent: null,
  remoteUser: null,
  certificates: Object.freeze([]),
});

/** The client that a call was made for has disconnected. */
export class ParentGone extends Error {
  constructor() {
    super('the client disconnected');
    this.name = 'ParentGone';
  }
}

/** A call took longer than it may. */
export class OwnCallTimeout extends Error {
  constructor(milliseconds: number) {
    super(`no complete response within ${milliseconds} ms`);
    this.name = 'OwnCallTimeout';
  }
}

/**
 * Sends a request of the gateway's own through a handler, with whatever filters stand in front of it, and takes the
 * whole answer. Rejects with what the handler throws, as a ClientHandler does that gets no answer (a ReverseProxyHandler
 * answers 502), and when the content is longer than allowed, breaks off, or does not end in time; with
 * `ParentGone` where it ends with its parent.
 */
export function callHandler(handler: Next, request: OwnRequest, options: OwnCallOptions): Promise<OwnAnswer> {
  if (options.endsWithParent === true && options.parent?.over === true) return Promise.reject(new ParentGone());
  return new Promise((resolve, reject) => {
    new OwnCall(handler, options, resolve, reject).send(request);
  });
}

class OwnCall implements ExchangeOwner {
  readonly handler: Next;
  readonly webSockets = WEB_SOCKETS;
  readonly facts: ExchangeOwner['facts'];
  readonly answerLimit: number;
  private readonly options: OwnCallOptions;
  private readonly resolve: (answer: OwnAnswer) => void;
  private readonly reject: (error: unknown) => void;
  private fault: unknown = null;
  private exchange: Exchange | null = null;
  private response: Response | null = null;
  private timer: NodeJS.Timeout | null = null;
  /** What the parent ends when its client goes. */
  private tie: BackendCall | null = null;

  constructor(
    handler: Next,
    options: OwnCallOptions,
    resolve: (answer: OwnAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.handler = handler;
    this.options = options;
    this.answerLimit = options.limit ?? CONTENT_LIMIT;
    this.resolve = resolve;
    this.reject = reject;
    const lines = Buffer.from(`Via: ${hops(options.parent)}1.1 ${DEFAULT_FORWARDING.via}\r\n\r\n`, 'latin1');
    this.facts = {
      serverName: null,
      clientContext: () => NOBODY,
      remoteAddress: (exchange) => exchange.client.remoteAddress,
      originalUri: (exchange) => exchange.request.uri.original,
      forwardingLines: () => lines,
    };
  }

  send({ method, uri, headers, content, upgrade }: OwnRequest): void {
    if (!clock.fresh) readClock(); // timers call from outside of a turn: deadlines would count from the last one
    const { parent, timeout = TIMEOUT } = this.options;
    const place = typeof uri === 'string' ? Uri.parse(uri) : uri;
    const request = new Request(
      method,
      place.target,
      place.scheme,
      place.authority,
      'HTTP/1.1',
      Headers.empty(),
      null,
      false,
    );
    request.uri.isDirected = true; // a document or an issuer that it names wrote the URI, no client did
    request.headers.append('Host', place.authority);
    for (const name in headers) request.headers.append(name, headers[name]!);
    if (content !== undefined) request.entity.set(content);
    if (upgrade !== undefined) request.upgrade = upgrade;
    const exchange = new Exchange(this, request, performance.now());
    if (parent !== null) exchange.inherit(parent);
    this.exchange = exchange;
    this.timer = setTimeout(() => this.overdue(timeout), timeout);
    if (parent !== null && this.options.endsWithParent === true) this.tieTo(parent);
    runExchange(this, exchange);
  }

  answer(exchange: Exchange, response: Response): void {
    this.response = response;
    const { status, upgraded } = response;
    const fields = response.headers.entries(); // the bytes they are read from last for one turn
    const header = (name: string): string | null => {
      const values = fields.filter(([known]) => known === name.toLowerCase()).map(([, value]) => value);
      return values.length === 0 ? null : values.join(', ');
    };
    if (upgraded instanceof Tunnel && exchange.request.upgrade !== null) {
      this.finish();
      this.resolve({ status, header, fields, content: Buffer.alloc(0), tunnel: upgraded });
      return;
    }
    upgraded?.abandon();
    response.entity.decoded(this.answerLimit).then(
      (content) => {
        this.finish();
        response.entity.settle();
        if (this.fault === null) this.resolve({ status, header, fields, content });
        else this.reject(this.fault);
      },
      (error: unknown) => this.fail(error),
    );
  }

  report(error: unknown): void {
    this.fault = error;
  }

  interim(): void {
    // what counts is the answer itself
  }

  /** What is on its way already is not broken off: its connection would be lost, and clients could have many opened. */
  private tieTo(parent: Exchange): void {
    if (parent.call !== null) return; // what it has got from a backend must not be lost for this
    const cancel = (): void => {
      if (this.timer !== null && this.exchange?.call?.sent !== true) this.fail(new ParentGone());
    };
    this.tie = parent.call = { response: null, sent: false, cancel };
  }

  private overdue(timeout: number): void {
    this.fail(new OwnCallTimeout(timeout));
  }

  private fail(error: unknown): void {
    this.finish();
    const { exchange } = this;
    if (exchange !== null) {
      exchange.over = true;
      exchange.call?.cancel();
    }
    this.response?.abandon();
    this.reject(error);
  }

  private finish(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { parent } = this.options;
    if (this.tie !== null && parent?.call === this.tie) parent.call = null;
  }
}

/**
 * The gateways that the request came through for which the call is made: a circle must come to an end. They are counted
 * and not copied, because what a client writes into Via is not for whom the gateway asks.
 */
function hops(parent: Exchange | null): string {
  const gateways = parent === null ? 0 : Math.max(parent.gateways, gatewaysIn(parent.request.headers));
  return `1.1 ${DEFAULT_FORWARDING.via}, `.repeat(Math.min(gateways, MOST_HOPS));
}
