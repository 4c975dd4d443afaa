import { errorText } from '../../../platform/error-text.ts';
import { BackendSession, MOST_STREAMS, type SessionPool } from '../http2/backend-session.ts';
import type { Exchange } from '../message/exchange.ts';
import { clock, readClock, timeNow } from '../wire/clock.ts';
import type { ConnectFailure, Protocol } from '../wire/connect.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { NEVER, type Swept, unwatch, watch } from '../wire/sweep.ts';
import type { Wire } from '../wire/wire.ts';
import { BackendConnection, type ConnectionPool } from './backend-connection.ts';
import { BackendDial } from './backend-dial.ts';
import type { BackendOptions } from './backend-options.ts';
import type { Call, CallQueue } from './call.ts';
import { egressChanges } from './egress-changes.ts';
import { Resolver } from './resolver.ts';
import { WaitingCalls } from './waiting-calls.ts';

/** More calls than a pool ever holds. */
const MANY = 1e9;
/** How long a backend that went on in HTTP/1.1, or asked for it, is not asked for HTTP/2 again. */
const UPGRADE_PAUSE = 300_000;

const NOT_ALLOWED: ConnectFailure = {
  refusal: 'backend-egress',
  reason: 'none of its addresses is allowed (egress rule)',
};

/** The connections of one handler to one destination, and the calls that wait for one. */
export class BackendPool implements ConnectionPool, SessionPool, CallQueue, Swept {
  readonly options: BackendOptions;
  deadline = NEVER;
  slot = -1;
  private readonly resolver: Resolver | null;
  /** Unused connections; the one used last is used next, so that spares grow old and go. */
  private readonly idle: BackendConnection[] = [];
  /** Connections that carry many calls at a time. */
  private readonly sessions: BackendSession[] = [];
  private readonly open = new Set<BackendConnection | BackendSession>();
  /** Calls that the next connection is expected to carry; until somebody knows, one connection is opened to see. */
  private share: number;
  private upgrading = false;
  private nextUpgrade = 0;
  /** Until when only HTTP/1.1 is spoken, because the backend wants it. */
  private http1Until = 0;
  private readonly waiting = new WaitingCalls();
  private connecting = 0;
  private closed = false;
  private turn = 0;
  /** The numeric address at the other end of each connection. */
  private readonly reached = new WeakMap<Wire, string>();
  /** Up to which change connections were judged. */
  private judged = egressChanges.count;

  constructor(options: BackendOptions) {
    this.options = options;
    this.share = options.http2 === 'negotiated' && options.reuse ? MANY : 1;
    this.resolver = 'path' in options.destination ? null : new Resolver(options.destination.host, options.lookup);
  }

  /** Gives the call a connection, or lets it wait for one. */
  take(call: Call): void {
    if (this.judged !== egressChanges.count) this.judgeAgain();
    if (this.waiting.count === 0) {
      const session = this.sessions.length === 0 ? null : this.freeSession();
      if (session !== null) {
        session.begin(call);
        return;
      }
      const connection = this.unused();
      if (connection !== null) {
        connection.begin(call);
        return;
      }
    }
    // who gets a connection, or a part of one, does not wait for anybody
    const share = Math.min(this.share, MOST_STREAMS);
    if (this.waiting.count >= this.options.waiting + (this.options.connections - this.open.size) * share) {
      call.displace('backend-queue-full');
      return;
    }
    this.waiting.add(call);
    this.await(call);
  }

  private await(call: Call): void {
    const until = call.wait(this.options.waitTimeout);
    call.queue = this;
    counters.block[COUNTER.backendWaiting]!++;
    if (this.slot < 0 || until < this.deadline) this.deadline = until;
    if (until !== NEVER) watch(this);
    this.connectIfNeeded();
  }

  forget(call: Call): void {
    call.queue = null;
    counters.block[COUNTER.backendWaiting]!--;
    this.waiting.forget();
  }

  /** Calls that wait, or that a connection carries. */
  get load(): number {
    const { sessions } = this;
    let load = this.waiting.count + this.open.size - this.idle.length - sessions.length;
    for (let i = 0; i < sessions.length; i++) load += sessions[i]!.carried;
    return load;
  }

  /** Whether there is nothing that closing it would end. */
  get vacant(): boolean {
    return this.open.size === 0 && this.connecting === 0 && this.waiting.count === 0;
  }

  /** Closes what is connected to addresses that are not allowed any more: at once, or after its answer. */
  private judgeAgain(): void {
    const { destination, mayReach } = this.options;
    this.judged = egressChanges.count;
    if (mayReach === null || 'path' in destination) return;
    for (const carrier of [...this.open]) {
      const address = this.reached.get(carrier.wire);
      if (address === undefined || mayReach(address, destination.port)) continue;
      carrier.retire();
    }
  }

  private unused(): BackendConnection | null {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.usable(clock.now)) return connection;
      connection.destroy();
    }
    return null;
  }

  private freeSession(): BackendSession | null {
    for (const session of this.sessions) if (session.free(clock.now) > 0) return session;
    return null;
  }

  private nextWaiting(): Call | null {
    const call = this.waiting.next();
    if (call !== null) this.called(call);
    return call;
  }

  /** It does not wait any more. */
  private called(call: Call): void {
    call.queue = null;
    counters.block[COUNTER.backendWaiting]!--;
  }

  /** The next one whose content is still there. */
  private nextToSend(): Call | null {
    let call = this.nextWaiting();
    while (call?.isBereft === true) {
      call.refuseUnreadable(new Error('somebody else has taken it meanwhile'));
      call = this.nextWaiting();
    }
    return call;
  }

  private connectIfNeeded(): void {
    const { connections } = this.options;
    while (this.connecting * this.share < this.waiting.count && this.open.size + this.connecting < connections) {
      this.connecting++;
      void this.connect();
    }
  }

  private async connect(): Promise<void> {
    const began = timeNow();
    let failure: ConnectFailure | null;
    try {
      failure = await this.tryAddresses(new BackendDial());
    } catch (error) {
      failure = { refusal: 'backend-address', reason: errorText(error) };
    }
    if (failure === null) return;
    this.connecting--;
    counters.block[COUNTER.backendConnectFailures]!++;
    this.resolver?.distrust();
    this.refuseShare(failure, began);
    this.connectIfNeeded();
  }

  /** One connection that carries one call fails that call: the next attempt may succeed for the others. */
  private refuseShare({ refusal, reason }: ConnectFailure, began: number): void {
    this.nextWaiting()?.displace(refusal, reason);
    for (let others = this.share - 1; others > 0; others--) {
      const first = this.waiting.first();
      if (first === null || first.waitingSince > began) return;
      this.nextWaiting()!.displace(refusal, reason);
    }
  }

  private opened(wire: Wire, protocol: Protocol): void {
    if (!clock.fresh) readClock(); // connections open outside of a turn: deadlines would count from the last one
    this.connecting--;
    counters.block[COUNTER.backendConnects]!++;
    if (this.options.http2 === 'negotiated' && !this.wantsHttp1) this.options.spoken?.(protocol);
    if (protocol === 'h2' && this.wantsHttp1)
      wire.destroy(); // it was on its way when the backend said so
    else if (protocol === 'h2') this.add(new BackendSession(this, this.options, wire, false));
    else {
      this.share = 1;
      const connection = new BackendConnection(this, this.options, wire);
      this.join(connection);
      this.freed(connection);
    }
    this.connectIfNeeded();
  }

  private join(carrier: BackendConnection | BackendSession): void {
    this.open.add(carrier);
    counters.block[COUNTER.backendConnectionsOpen]!++;
  }

  private add(session: BackendSession): void {
    this.join(session);
    this.sessions.push(session);
    this.freedStreams(session);
  }

  /** Tries each address in turn, starting at another one each time. @returns why none can be used, or null. */
  private async tryAddresses(dial: BackendDial): Promise<ConnectFailure | null> {
    const { destination, connectTimeout, mayReach, mayAsk, connectHttp1 } = this.options;
    const connect = this.wantsHttp1 && connectHttp1 !== null ? connectHttp1 : this.options.connect;
    let address: string | null = null;
    const opened = (wire: Wire, protocol: Protocol): void => {
      if (address !== null) this.reached.set(wire, address);
      this.opened(wire, protocol);
    };
    const until = connectTimeout > 0 ? performance.now() + connectTimeout : NEVER;
    if ('path' in destination) return dial.connect(connect, destination, connectTimeout, opened);
    if (mayAsk !== null && !(await mayAsk())) return NOT_ALLOWED;
    const addresses = await this.resolver!.resolve();
    const { port } = destination;
    const allowed = mayReach === null ? addresses : addresses.filter((one) => mayReach(one, port));
    if (allowed.length === 0) {
      return addresses.length === 0
        ? { refusal: 'backend-address', reason: 'the host name has no address' }
        : NOT_ALLOWED;
    }
    const first = this.turn++;
    let failure: ConnectFailure | null = null;
    for (let i = 0; i < allowed.length; i++) {
      const host = allowed[(first + i) % allowed.length]!;
      address = host;
      const left = until === NEVER ? 0 : Math.max(1, until - performance.now());
      failure = await dial.connect(connect, { host, port }, left, opened);
      if (failure === null || failure.refusal === 'backend-connect-timeout') break;
    }
    return failure;
  }

  /** The connection may be used: by who waits longest, or later. */
  freed(connection: BackendConnection): void {
    if (this.judged !== egressChanges.count) this.judgeAgain();
    if (!connection.usable(clock.now)) {
      connection.destroy();
      return;
    }
    const call = this.nextToSend();
    if (call !== null) connection.begin(call);
    else if (this.closed) connection.destroy();
    else this.idle.push(connection);
  }

  /** Streams of the session may be used: by who waits longest, or later. */
  freedStreams(session: BackendSession): void {
    if (this.options.reuse && session.most > 0) this.share = session.most;
    for (let left = session.free(clock.now); left > 0; left--) {
      const call = this.nextToSend();
      if (call === null) break;
      session.begin(call);
    }
    if (this.closed) session.retire();
    else this.connectIfNeeded();
  }

  /** The connection is gone. */
  lost(connection: BackendConnection): void {
    if (!this.open.delete(connection)) return;
    counters.block[COUNTER.backendConnectionsOpen]!--;
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    this.connectIfNeeded();
  }

  /** The session takes no more calls, or is gone. */
  lostSession(session: BackendSession, gone: boolean): void {
    const at = this.sessions.indexOf(session);
    if (at >= 0) this.sessions.splice(at, 1);
    if (gone && this.open.delete(session)) counters.block[COUNTER.backendConnectionsOpen]!--;
    this.connectIfNeeded();
  }

  private get wantsHttp1(): boolean {
    return clock.now < this.http1Until;
  }

  /** The backend wants HTTP/1.1, which is spoken for a while. @returns whether it can be. */
  requireHttp1(): boolean {
    const { connectHttp1, http2 } = this.options;
    if (connectHttp1 === null && http2 !== 'upgrade') return false;
    this.http1Until = this.nextUpgrade = clock.now + UPGRADE_PAUSE;
    this.share = 1;
    for (const session of [...this.sessions]) session.retire();
    return true;
  }

  // ---- HTTP/2 by upgrade

  /** Whether the first request of a connection should ask for HTTP/2: one at a time, and none that has a body. */
  asksForHttp2({ request }: Exchange): boolean {
    const { http2, via } = this.options;
    if (http2 !== 'upgrade' || this.upgrading || clock.now < this.nextUpgrade) return false;
    if (via !== null && via.prefix !== null) return false; // it would be the proxy that is asked
    if (request.upgrade !== null || request.incomingBody !== null || request.touchedEntity?.empty === false)
      return false;
    this.upgrading = true;
    return true;
  }

  /** The backend does not go on in HTTP/2. `answered`: but in HTTP/1.1. */
  refusedHttp2(answered: boolean): void {
    this.upgrading = false;
    this.nextUpgrade = clock.now + UPGRADE_PAUSE;
    if (answered) this.options.spoken?.('http/1.1');
  }

  /** The backend goes on in HTTP/2, and answers the call there; `early` is what it has sent. */
  upgraded(wire: Wire, call: Call, early: Buffer | null): void {
    this.upgrading = false;
    this.options.spoken?.('h2');
    const session = new BackendSession(this, this.options, wire, true);
    session.adopt(call);
    this.add(session);
    if (early !== null) session.receive(early, 0, early.length);
  }

  /**
   * Sends a request once more after its connection turned out dead: it has waited already, so it is the first. A backend
   * that closes a new connection goes away, or fails: another one gets the request.
   */
  retry(call: Call, wasNew = false): void {
    counters.block[COUNTER.backendRetries]!++;
    call.retries++;
    call.giveUpAt = 0; // it had a connection: the time for the next one begins
    if (wasNew) {
      call.displace('backend-closed');
      return;
    }
    this.waiting.addFirst(call);
    this.await(call);
  }

  close(): void {
    this.closed = true;
    for (const connection of this.idle.splice(0)) connection.destroy();
    for (const session of [...this.sessions]) session.retire();
  }

  overdue(now: number): void {
    let opening = this.connecting * this.share;
    for (const call of this.waiting.takeOverdue(now)) {
      this.called(call);
      // a connection is on its way to the first ones: it is the backend that is late, not the queue
      call.displace(opening-- > 0 ? 'backend-connect-timeout' : 'backend-queue-timeout');
    }
    this.deadline = this.waiting.deadline;
    if (this.deadline === NEVER) unwatch(this);
  }
}
