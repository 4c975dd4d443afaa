import type { BackendOptions, Call } from './backend.ts';
import { BackendConnection } from './backend-connection.ts';
import { clock } from './clock.ts';
import { COUNTER, counters } from './counters.ts';
import type { Refusal } from './refusal.ts';
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
  private connecting = 0;
  private closed = false;
  private turn = 0;

  constructor(options: BackendOptions) {
    this.options = options;
    this.resolver = 'path' in options.destination ? null : new Resolver(options.destination.host);
  }

  /** Gives the call a connection, or lets it wait for one. */
  take(call: Call): void {
    if (this.waitingCount === 0 && call.replay === null) {
      const connection = this.unused();
      if (connection !== null) {
        connection.begin(call);
        return;
      }
    }
    if (this.waitingCount >= this.options.waiting) {
      call.refuse('backend-queue-full');
      return;
    }
    call.waitingSince = clock.now;
    this.waiting.push(call);
    counters.block[COUNTER.backendWaiting]!++;
    this.connectIfNeeded();
    this.watchWaiting();
  }

  private get waitingCount(): number {
    return this.waiting.length - this.waitingHead;
  }

  private unused(): BackendConnection | null {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.usable(clock.now)) return connection;
      connection.destroy();
    }
    return null;
  }

  private nextWaiting(): Call | null {
    while (this.waitingHead < this.waiting.length) {
      const call = this.waiting[this.waitingHead]!;
      this.waitingHead++;
      if (this.waitingHead > 1024 && this.waitingHead * 2 > this.waiting.length) {
        this.waiting = this.waiting.slice(this.waitingHead);
        this.waitingHead = 0;
      }
      counters.block[COUNTER.backendWaiting]!--;
      if (!call.cancelled) return call;
    }
    if (this.waitingHead > 0) {
      this.waiting = [];
      this.waitingHead = 0;
    }
    return null;
  }

  private connectIfNeeded(): void {
    while (this.connecting < this.waitingCount && this.open.size + this.connecting < this.options.connections) {
      this.connecting++;
      void this.connect();
    }
  }

  private async connect(): Promise<void> {
    let refusal: Refusal = 'backend-connect';
    const connection = new BackendConnection(this, this.options);
    try {
      refusal = await this.tryAddresses(connection);
    } catch {
      refusal = 'backend-address';
    }
    this.connecting--;
    if (connection.connected && !this.closed) {
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
    this.nextWaiting()?.refuse(refusal);
    this.connectIfNeeded();
  }

  /** Tries each address in turn, starting at another one each time. */
  private async tryAddresses(connection: BackendConnection): Promise<Refusal> {
    const { destination, connectTimeout, mayReach } = this.options;
    const until = connectTimeout > 0 ? performance.now() + connectTimeout : NEVER;
    if ('path' in destination) {
      const outcome = await connection.connect(destination, connectTimeout);
      return outcome === 'timeout' ? 'backend-connect-timeout' : 'backend-connect';
    }
    const addresses = await this.resolver!.resolve();
    const { port } = destination;
    const allowed = mayReach === null ? addresses : addresses.filter((address) => mayReach(address, port));
    if (allowed.length === 0) return addresses.length === 0 ? 'backend-address' : 'backend-egress';
    const first = this.turn++;
    for (let i = 0; i < allowed.length; i++) {
      const host = allowed[(first + i) % allowed.length]!;
      const left = until === NEVER ? 0 : Math.max(1, until - performance.now());
      const outcome = await connection.connect({ host, port }, left);
      if (outcome === 'open') break;
      if (outcome === 'timeout') return 'backend-connect-timeout';
    }
    return 'backend-connect';
  }

  /** The connection may be used: by who waits longest, or later. */
  freed(connection: BackendConnection): void {
    const call = this.nextWaiting();
    if (call !== null) connection.begin(call);
    else if (this.closed || !connection.usable(clock.now)) connection.destroy();
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

  /** Sends a request once more after its connection turned out dead. */
  retry(call: Call): void {
    counters.block[COUNTER.backendRetries]!++;
    call.retried = true;
    this.take(call);
  }

  close(): void {
    this.closed = true;
    for (const connection of this.idle.splice(0)) connection.destroy();
  }

  private watchWaiting(): void {
    if (this.options.waitTimeout === 0 || this.waitingCount === 0) return;
    this.deadline = this.waiting[this.waitingHead]!.waitingSince + this.options.waitTimeout;
    watch(this);
  }

  overdue(now: number): void {
    while (this.waitingCount > 0) {
      const first = this.waiting[this.waitingHead]!;
      if (!first.cancelled && now - first.waitingSince < this.options.waitTimeout) break;
      this.nextWaiting()?.refuse('backend-queue-timeout');
    }
    if (this.waitingCount === 0) unwatch(this);
    else this.watchWaiting();
  }
}
