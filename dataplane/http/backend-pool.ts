import type { BackendOptions, Call } from './backend.ts';
import { BackendConnection } from './backend-connection.ts';
import { clock } from './clock.ts';
import type { ConnectFailure } from './connect.ts';
import { COUNTER, counters } from './counters.ts';
import { Resolver } from './resolver.ts';
import { NEVER, type Swept, unwatch, watch } from './sweep.ts';

/** The connections of one handler to one destination, and the calls that wait for one. */
export class BackendPool implements Swept {
  readonly options: BackendOptions;
  deadline = NEVER;
  slot = -1;
  private readonly resolver: Resolver | null;
  /** Unused connections; the one used last is used next, so that spares grow old and go. */
  private readonly idle: BackendConnection[] = [];
  private readonly open = new Set<BackendConnection>();
  private waiting: Call[] = [];
  private waitingHead = 0;
  /** Calls in `waiting` that nobody waits for any more. */
  private gaps = 0;
  private connecting = 0;
  private closed = false;
  private turn = 0;

  constructor(options: BackendOptions) {
    this.options = options;
    this.resolver = 'path' in options.destination ? null : new Resolver(options.destination.host);
  }

  /** Gives the call a connection, or lets it wait for one. */
  take(call: Call): void {
    if (this.waitingCount === 0) {
      const connection = this.unused();
      if (connection !== null) {
        connection.begin(call);
        return;
      }
    }
    // who gets a connection of its own does not wait for anybody
    if (this.waitingCount >= this.options.waiting + this.options.connections - this.open.size) {
      call.refuse('backend-queue-full');
      return;
    }
    this.waiting.push(call);
    this.await(call);
  }

  private await(call: Call): void {
    call.waitingSince = clock.now;
    call.pool = this;
    counters.block[COUNTER.backendWaiting]!++;
    this.connectIfNeeded();
    this.watchWaiting();
  }

  private get waitingCount(): number {
    return this.waiting.length - this.waitingHead - this.gaps;
  }

  /** A waiting call is not wanted any more: its place is free at once, its entry goes when that is cheap. */
  forget(call: Call): void {
    call.pool = null;
    counters.block[COUNTER.backendWaiting]!--;
    this.gaps++;
    if (this.gaps < 64 || this.gaps * 2 < this.waiting.length - this.waitingHead) return;
    this.waiting = this.waiting.filter((entry, i) => i >= this.waitingHead && !entry.cancelled);
    this.waitingHead = this.gaps = 0;
  }

  /** Whether there is nothing that closing it would end. */
  get vacant(): boolean {
    return this.open.size === 0 && this.connecting === 0 && this.waitingCount === 0;
  }

  private unused(): BackendConnection | null {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.usable(clock.now)) return connection;
      connection.destroy();
    }
    return null;
  }

  private firstWaiting(): Call | null {
    while (this.waitingHead < this.waiting.length) {
      const call = this.waiting[this.waitingHead]!;
      if (!call.cancelled) return call;
      this.waitingHead++;
      this.gaps--;
    }
    if (this.waitingHead > 0) {
      this.waiting = [];
      this.waitingHead = 0;
    }
    return null;
  }

  private nextWaiting(): Call | null {
    const call = this.firstWaiting();
    if (call === null) return null;
    this.waitingHead++;
    if (this.waitingHead > 1024 && this.waitingHead * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.waitingHead);
      this.waitingHead = 0;
    }
    call.pool = null;
    counters.block[COUNTER.backendWaiting]!--;
    return call;
  }

  private connectIfNeeded(): void {
    while (this.connecting < this.waitingCount && this.open.size + this.connecting < this.options.connections) {
      this.connecting++;
      void this.connect();
    }
  }

  private async connect(): Promise<void> {
    let failure: ConnectFailure | null;
    const connection = new BackendConnection(this, this.options);
    try {
      failure = await this.tryAddresses(connection);
    } catch (error) {
      failure = { refusal: 'backend-address', reason: error instanceof Error ? error.message : String(error) };
    }
    this.connecting--;
    if (connection.connected) {
      counters.block[COUNTER.backendConnects]!++;
      counters.block[COUNTER.backendConnectionsOpen]!++;
      this.open.add(connection);
      this.freed(connection);
      this.connectIfNeeded();
      return;
    }
    connection.destroy();
    counters.block[COUNTER.backendConnectFailures]!++;
    this.resolver?.distrust();
    // one connection, one call: the next attempt may succeed for the others
    if (failure !== null) this.nextWaiting()?.refuse(failure.refusal, failure.reason);
    this.connectIfNeeded();
  }

  /** Tries each address in turn, starting at another one each time. @returns why none can be used, or null. */
  private async tryAddresses(connection: BackendConnection): Promise<ConnectFailure | null> {
    const { destination, connectTimeout, mayReach } = this.options;
    const until = connectTimeout > 0 ? performance.now() + connectTimeout : NEVER;
    if ('path' in destination) {
      const result = await connection.connect(destination, connectTimeout);
      return typeof result === 'string' ? null : result;
    }
    const addresses = await this.resolver!.resolve();
    const { port } = destination;
    const allowed = mayReach === null ? addresses : addresses.filter((address) => mayReach(address, port));
    if (allowed.length === 0) {
      return addresses.length === 0
        ? { refusal: 'backend-address', reason: 'the name has no address' }
        : { refusal: 'backend-egress', reason: 'none of its addresses may be reached' };
    }
    const first = this.turn++;
    let failure: ConnectFailure | null = null;
    for (let i = 0; i < allowed.length; i++) {
      const host = allowed[(first + i) % allowed.length]!;
      const left = until === NEVER ? 0 : Math.max(1, until - performance.now());
      const result = await connection.connect({ host, port }, left);
      if (typeof result === 'string') return null;
      failure = result;
      if (result.refusal === 'backend-connect-timeout') break;
    }
    return failure;
  }

  /** The connection may be used: by who waits longest, or later. */
  freed(connection: BackendConnection): void {
    if (!connection.usable(clock.now)) {
      connection.destroy();
      return;
    }
    const call = this.nextWaiting();
    if (call !== null) connection.begin(call);
    else if (this.closed) connection.destroy();
    else this.idle.push(connection);
  }

  /** The connection is gone. */
  lost(connection: BackendConnection): void {
    if (!this.open.delete(connection)) return;
    counters.block[COUNTER.backendConnectionsOpen]!--;
    const at = this.idle.indexOf(connection);
    if (at >= 0) this.idle.splice(at, 1);
    this.connectIfNeeded();
  }

  /** Sends a request once more after its connection turned out dead: it has waited already, so it is the first. */
  retry(call: Call): void {
    counters.block[COUNTER.backendRetries]!++;
    call.retried = true;
    this.waiting.splice(this.waitingHead, 0, call);
    this.await(call);
  }

  close(): void {
    this.closed = true;
    for (const connection of this.idle.splice(0)) connection.destroy();
  }

  private watchWaiting(): void {
    const first = this.options.waitTimeout === 0 ? null : this.firstWaiting();
    if (first === null) return;
    this.deadline = first.waitingSince + this.options.waitTimeout;
    watch(this);
  }

  overdue(now: number): void {
    let opening = this.connecting;
    for (let first = this.firstWaiting(); first !== null; first = this.firstWaiting()) {
      if (now - first.waitingSince < this.options.waitTimeout) break;
      // a connection is on its way to the first ones: it is the backend that is late, not the queue
      this.nextWaiting()!.refuse(opening-- > 0 ? 'backend-connect-timeout' : 'backend-queue-timeout');
    }
    if (this.waitingCount === 0) unwatch(this);
    else this.watchWaiting();
  }
}
