import { createServer, type Server, type Socket } from 'node:net';
import { type ListenerLimits, listenerLimits } from '../head/limits.ts';
import type { AskedFor } from '../head/request-line.ts';
import { ClientSession } from '../http2/client-session.ts';
import { limitContent } from '../message/content-limits.ts';
import type { AccessEntry, AccessFacts, Exchange, Next } from '../message/exchange.ts';
import type { Refusal } from '../message/refusal.ts';
import type { UpgradedPeer } from '../message/response.ts';
import { type WebSocketOptions, type WebSocketTerms, webSocketTerms } from '../message/websocket-terms.ts';
import { readClock, timeNow } from '../wire/clock.ts';
import type { Protocol } from '../wire/connect.ts';
import { COUNTER, countExchange, counters, countHandshakeFault, countRefusal } from '../wire/counters.ts';
import { elapsed } from '../wire/elapsed.ts';
import { useInputLoop } from '../wire/input-loop.ts';
import { type NativeHandle, serverHandle } from '../wire/native-handle.ts';
import { NO_OWNER } from '../wire/no-owner.ts';
import { RawWire } from '../wire/raw-wire.ts';
import type { Accepted, SecureClient, SecureTransport, TicketKeys } from '../wire/secure-transport.ts';
import { SocketWire } from '../wire/socket-wire.ts';
import type { Endpoint, Wire, WireOwner } from '../wire/wire.ts';
import { ClientConnection } from './client-connection.ts';
import { ClientFacts } from './client-facts.ts';
import type { AnsweringSide, ConnectionOwner, ListenedConnection } from './connection-owner.ts';
import type { Finished } from './finished.ts';
import { PendingClient, type PendingOwner } from './pending-client.ts';
import type { ProxyHeader } from './proxy-protocol.ts';
import { identifyRequests } from './request-ids.ts';
import { type TrustedProxies, trustedProxies } from './trusted-proxies.ts';

export interface ListenerOptions {
  /** Undefined for every interface. */
  readonly host?: string;
  readonly port: number;
  /** Share the port with other units. */
  readonly reusePort: boolean;
  /** Most connections that may wait to be accepted. */
  readonly backlog?: number;
  readonly limits?: Partial<ListenerLimits>;
  readonly webSockets?: WebSocketOptions;
  /** Networks whose forwarding headers and PROXY protocol are believed. */
  readonly trustedProxies?: readonly string[];
  /** TLS with the clients; without it they speak in clear. */
  readonly tls?: SecureTransport;
  /** What tickets of TLS sessions are sealed with, where other listeners are to know them. */
  readonly ticketKeys?: TicketKeys;
  readonly handler: Next;
  readonly onFinished?: (finished: Finished) => void;
  /** Hears of requests that were refused before there was an exchange, for audit events. */
  readonly onRefusedHead?: (refused: RefusedHead) => void;
  readonly onFault?: (error: unknown) => void;
}

/** A request whose head was refused. What its client sent may be anything. */
export interface RefusedHead extends AskedFor {
  readonly status: number;
  /** Bytes of the body of the answer. */
  readonly sent: number;
  readonly refusal: Refusal;
  readonly facts: AccessFacts;
}

/** How long who is to go may take to hear of it: a request may already be on its way. */
const NOTICE = 1000;
/** The same while others are still accepted, and nobody waits for the end. */
const LONG_NOTICE = 10_000;
const BACKLOG = 4096;
/** Turns without a new connection after which nobody waits to be accepted: each takes one at least. */
const STILL_TURNS = 3;
/** How long a handshake may take when there is no room for others, in milliseconds. */
const PROMPT_HANDSHAKE = 1000;
/** How long connections that are cut off may take to say so, where their protocol has a word for it. */
const LAST_WORDS = 250;

/** One traffic port of one unit. */
export class Listener implements ConnectionOwner {
  readonly limits: ListenerLimits;
  readonly webSockets: WebSocketTerms;
  readonly handler: Next;
  readonly scheme: 'http' | 'https';
  /** Whether clients are asked to go: an answer of HTTP/1 is the last one of its connection. */
  draining = false;
  private readonly options: ListenerOptions;
  private readonly proxies: TrustedProxies | null;
  private readonly server: Server;
  private readonly connections = new Set<ListenedConnection>();
  private readonly pendingOwner: PendingOwner | null;
  /** Handshakes under way, those that began first before the others. */
  private readonly handshakes = new Set<PendingClient>();
  private emptied: (() => void) | null = null;
  private stopping = false;
  /** Connections that were accepted, whatever became of them. */
  private accepted = 0;

  constructor(options: ListenerOptions) {
    this.options = options;
    this.limits = listenerLimits.parse(options.limits ?? {});
    this.webSockets = webSocketTerms(options.webSockets ?? {}, this.limits);
    limitContent(this.limits);
    identifyRequests(this.limits.requestIds);
    this.handler = options.handler;
    this.scheme = options.tls === undefined ? 'http' : 'https';
    this.pendingOwner = options.tls === undefined ? null : this.awaitsHandshakes(options.tls);
    const networks = options.trustedProxies ?? [];
    this.proxies = networks.length === 0 ? null : trustedProxies(networks);
    this.server = createServer({ noDelay: true, allowHalfOpen: true, pauseOnConnect: true });
  }

  /** Starts to accept. @returns the address, with the port the kernel chose where 0 was asked for. */
  async listen(): Promise<Endpoint> {
    const { host, port, reusePort, backlog = BACKLOG, tls, ticketKeys } = this.options;
    if (tls === undefined) useInputLoop();
    await tls?.prepare(ticketKeys ?? null);
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ port, reusePort, backlog, ...(host === undefined ? {} : { host }) }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.acceptRaw();
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the listener has no address');
    return { address: address.address, port: address.port };
  }

  /** Takes connections from the handle itself where Node lets us: no socket object is made. */
  private acceptRaw(): void {
    const handle = serverHandle(this.server);
    if (handle === null) {
      this.server.on('connection', (socket: Socket) => {
        this.accepted++;
        if (this.pendingOwner === null) this.accept((owner) => new SocketWire(socket, owner));
        else this.acceptSecure(this.pendingOwner, socket, { address: socket.remoteAddress ?? '' });
      });
      return;
    }
    const accepted = (status: number, client: NativeHandle | undefined): void => {
      if (status !== 0 || client === undefined) return;
      this.accepted++;
      client.setNoDelay?.(true);
      if (this.pendingOwner === null) this.accept((owner) => new RawWire(client, owner, true));
      else this.acceptSecure(this.pendingOwner, client, peerOf(client));
    };
    handle.onconnection = accepted;
  }

  private accept(open: (owner: WireOwner) => Wire): void {
    const block = counters.block;
    readClock();
    const wire = open(NO_OWNER);
    if (this.connections.size >= this.limits.connections) {
      block[COUNTER.connectionsRefused]!++;
      wire.destroy();
      return;
    }
    block[COUNTER.connectionsAccepted]!++;
    block[COUNTER.connectionsOpen]!++;
    const trusted = this.proxies?.trusts(wire.remote().address) ?? false;
    const connection = new ClientConnection(wire, this, trusted);
    wire.owner = connection;
    wire.resume();
    this.connections.add(connection);
  }

  /** Accepts a client that has to shake hands first. */
  private acceptSecure(owner: PendingOwner, accepted: Accepted, peer: { readonly address: string }): void {
    const block = counters.block;
    readClock();
    if (this.connections.size >= this.limits.connections) {
      block[COUNTER.connectionsRefused]!++;
      closeAccepted(accepted);
      return;
    }
    if (this.handshakes.size >= this.limits.handshakes && !this.makesRoom()) {
      countHandshakeFault('too-many');
      closeAccepted(accepted);
      return;
    }
    block[COUNTER.connectionsAccepted]!++;
    block[COUNTER.connectionsOpen]!++;
    const pending = new PendingClient(owner, peer.address);
    this.handshakes.add(pending);
    this.connections.add(pending);
    pending.start(accepted, this.trusts(peer.address));
  }

  /** Ends the handshake that has taken longest, if it has taken long: clients that stall must not keep others out. */
  private makesRoom(): boolean {
    const [oldest] = this.handshakes;
    if (oldest === undefined || oldest.age < PROMPT_HANDSHAKE) return false;
    oldest.giveWay();
    return true;
  }

  /** What becomes of handshakes. */
  private awaitsHandshakes(transport: SecureTransport): PendingOwner {
    return {
      transport,
      protocols: this.limits.http2 ? PROTOCOLS : ['http/1.1'],
      handshakeTimeout: this.limits.handshakeTimeout,
      secured: (pending, client, header) => {
        this.handshakes.delete(pending);
        this.connections.delete(pending);
        counters.block[COUNTER.tlsHandshakes]!++;
        this.connections.add(this.adopt(client, header, this.trusts(pending.peer)));
      },
      unsecured: (pending, fault, detail) => {
        this.handshakes.delete(pending);
        countHandshakeFault(fault);
        transport.noteFailure(fault, detail, pending.peer);
        this.forget(pending);
      },
    };
  }

  /** Gives a client that has shaken hands to what speaks its protocol. */
  private adopt(client: SecureClient, header: ProxyHeader | null, trusted: boolean): ListenedConnection {
    const { wire, certificates, protocol, serverName, choice } = client;
    const greeting = { certificates, header, serverName, choice };
    const connection =
      protocol === 'h2'
        ? new ClientSession(wire, this, new ClientFacts(wire, this.scheme, trusted, this.trusts, greeting))
        : new ClientConnection(wire, this, trusted, greeting);
    wire.owner = connection;
    return connection;
  }

  handOver(connection: ListenedConnection, wire: Wire, facts: ClientFacts): WireOwner {
    const session = new ClientSession(wire, this, facts);
    this.connections.delete(connection);
    this.connections.add(session);
    wire.owner = session;
    return session;
  }

  /** How long a connection may wait for its first request. */
  get firstPatience(): number {
    const { headTimeout } = this.limits;
    return this.stopping ? Math.min(headTimeout, this.notice) : headTimeout;
  }

  /** How long a connection may wait for its next request. */
  get patience(): number {
    return this.stopping ? this.notice : this.limits.idleTimeout;
  }

  /** How long a request may be on its way from a client that was asked to go. */
  get notice(): number {
    return Math.min(this.stopping ? NOTICE : LONG_NOTICE, this.limits.idleTimeout);
  }

  readonly trusts = (address: string): boolean => this.proxies?.trusts(address) ?? false;

  forget(connection: ListenedConnection): void {
    if (!this.connections.delete(connection)) return;
    counters.block[COUNTER.connectionsOpen]!--;
    if (this.connections.size === 0) this.emptied?.();
  }

  readonly report = (error: unknown): void => this.options.onFault?.(error);

  /** An exchange is over. */
  finished(side: AnsweringSide, exchange: Exchange, why: Refusal | null): void {
    const milliseconds = elapsed(exchange);
    const { request, route, backend, decision, identity, startedAt, answeredAt } = exchange;
    const refusal = why ?? decision?.refusal ?? null;
    const waited = answeredAt - startedAt;
    const status = side.status === 0 ? 499 : side.status;
    countExchange(status, milliseconds, side.sent);
    if (refusal !== null) countRefusal(refusal);
    exchange.access?.finished(exchange, {
      status,
      milliseconds,
      sent: side.sent,
      refusal,
      facts: side.facts,
      tunnel: null,
    });
    this.options.onFinished?.({
      method: request.method,
      path: request.receivedPath,
      host: request.host,
      status,
      milliseconds,
      firstByte: waited > 0 && waited < milliseconds ? waited : milliseconds, // the clock stands still within a turn
      sent: side.sent,
      remote: side.facts.remote.address,
      refusal,
      decision,
      ids: exchange.ids,
      route,
      backend,
      user: identity === null ? side.facts.user : identity.user,
    });
  }

  tunnelOver(side: AnsweringSide, exchange: Exchange, access: AccessEntry | null, peer: UpgradedPeer): void {
    const { status, facts, sent } = side;
    const milliseconds = timeNow() - exchange.startedAt;
    access?.finished(exchange, { status, milliseconds, sent, refusal: null, facts, tunnel: peer.traffic });
    if (side instanceof ClientConnection) this.forget(side);
  }

  /** A request was refused before there was an exchange. */
  refusedHead(side: AnsweringSide, { method, path }: AskedFor, refusal: Refusal): void {
    const { status, sent } = side;
    countRefusal(refusal);
    countExchange(status, 0, sent);
    const { remote, user } = side.facts;
    this.options.onRefusedHead?.({ method, path, status, sent, refusal, facts: side.facts });
    this.options.onFinished?.({
      method,
      path,
      host: '',
      status,
      milliseconds: 0,
      firstByte: 0,
      sent,
      remote: remote.address,
      refusal,
      decision: null,
      ids: null,
      route: null,
      backend: null,
      user,
    });
  }

  /** Asks everybody to go, each when that costs no request. Others may come still, and are asked the same. */
  dismiss(): void {
    this.draining = true;
    readClock();
    for (const connection of this.connections) connection.drain();
  }

  /**
   * Stops to accept, lets what runs finish, tells everybody else to go, and is done when the last connection is closed
   * or the time is over. @returns how many had to be cut off.
   */
  async drain(timeout: number): Promise<number> {
    this.stopping = true;
    this.dismiss();
    const until = performance.now() + timeout;
    await this.emptyQueue(until);
    this.server.close();
    await this.untilEmpty(Math.max(0, until - performance.now()));
    const cut = this.connections.size;
    for (const connection of this.connections) connection.abort(true);
    await this.untilEmpty(LAST_WORDS);
    return cut;
  }

  /** Takes the connections that the kernel has accepted already: closing the port would reset them. */
  private async emptyQueue(until: number): Promise<void> {
    if (!this.server.listening) return;
    serverHandle(this.server)?.listen?.(0); // from now on the kernel queues one at a time
    const most = this.accepted + (this.options.backlog ?? BACKLOG); // clients who keep coming must not keep the port open
    for (let still = 0; still < STILL_TURNS && this.accepted < most && performance.now() < until; ) {
      const { accepted } = this;
      await new Promise((resolve) => setImmediate(resolve));
      still = this.accepted === accepted ? still + 1 : 0;
    }
  }

  /** Waits until the last connection is closed, or the time is over. */
  private async untilEmpty(timeout: number): Promise<void> {
    if (this.connections.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout);
      const emptied = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.emptied = emptied;
    });
  }
}

/** What clients may agree on in their handshake, the preferred one first. */
const PROTOCOLS: readonly Protocol[] = ['h2', 'http/1.1'];

function peerOf(handle: NativeHandle): { readonly address: string } {
  const into: { address?: string } = {};
  handle.getpeername?.(into);
  return { address: into.address ?? '' };
}

function closeAccepted(accepted: Accepted): void {
  if ('useUserBuffer' in accepted) accepted.close();
  else accepted.destroy();
}
