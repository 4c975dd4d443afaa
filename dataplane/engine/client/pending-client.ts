import { clock } from '../wire/clock.ts';
import type { Protocol } from '../wire/connect.ts';
import { RawWire } from '../wire/raw-wire.ts';
import type {
  Accepted,
  HandshakeFault,
  HandshakeOwner,
  SecureClient,
  SecureTransport,
} from '../wire/secure-transport.ts';
import { SocketWire } from '../wire/socket-wire.ts';
import { type Swept, unwatch, watch } from '../wire/sweep.ts';
import { REFUSED } from '../wire/wire.ts';
import { BAD_HEADER, NEEDS_MORE, NO_HEADER, type ProxyHeader, readProxyHeader } from './proxy-protocol.ts';

/** Terms and listener of a client during its TLS handshake. */
export interface PendingOwner {
  readonly transport: SecureTransport;
  /** Those that the listener speaks, the preferred one first. */
  readonly protocols: readonly Protocol[];
  /** In milliseconds. */
  readonly handshakeTimeout: number;
  secured(pending: PendingClient, client: SecureClient, header: ProxyHeader | null): void;
  unsecured(pending: PendingClient, fault: HandshakeFault, detail: string): void;
}

const NOTHING = Buffer.alloc(0);

/** A client between its connection and the end of its handshake. */
export class PendingClient implements HandshakeOwner, Swept {
  deadline: number;
  slot = -1;
  /** The address at the other end of the connection. */
  readonly peer: string;
  private readonly owner: PendingOwner;
  /** Before the handshake: the wire on which a trusted peer may introduce the client. */
  private plain: RawWire | SocketWire | null = null;
  private early: Buffer = NOTHING;
  private header: ProxyHeader | null = null;
  private decided = false;
  private stop: (() => void) | null = null;
  private over = false;

  constructor(owner: PendingOwner, peer: string) {
    this.owner = owner;
    this.peer = peer;
    this.deadline = clock.now + owner.handshakeTimeout;
  }

  /** `introduced` says that the peer may send a PROXY header first. */
  start(accepted: Accepted, introduced: boolean): void {
    watch(this);
    if (!introduced) this.begin(accepted, null);
    else if ('useUserBuffer' in accepted) this.plain = new RawWire(accepted, this, true);
    else {
      this.plain = new SocketWire(accepted, this);
      this.plain.resume();
    }
  }

  private begin(accepted: Accepted, early: Buffer | null): void {
    const { transport, protocols } = this.owner;
    const stop = transport.begin(accepted, early, protocols, this);
    if (!this.over) this.stop = stop;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    const { plain } = this;
    if (this.over || plain === null) return;
    this.early = Buffer.concat([this.early, bytes.subarray(start, end)]);
    if (this.decided) return;
    const read = readProxyHeader(this.early, 0, this.early.length);
    if (read === NEEDS_MORE) return;
    if (read === BAD_HEADER) {
      this.unsecured('proxy-header', 'the PROXY protocol header is malformed');
      return;
    }
    if (read !== NO_HEADER) this.header = read;
    this.decided = true;
    plain.pause();
    process.nextTick(() => this.handOver()); // more of it may wait in this turn
  }

  private handOver(): void {
    const { plain, early, header } = this;
    if (plain === null) return;
    this.plain = null;
    this.early = NOTHING;
    this.begin(plain.detach(), early.subarray(header?.end ?? 0));
  }

  ended(): void {
    this.failed();
  }

  failed(): void {
    if (!this.over) this.unsecured('closed', 'the client closed the connection');
  }

  blocked(): void {
    // nothing is sent before the handshake
  }

  drained(): void {
    // nothing is sent before the handshake
  }

  passes(): typeof REFUSED {
    return REFUSED;
  }

  secured(client: SecureClient): void {
    this.finish();
    this.owner.secured(this, client, this.header);
  }

  unsecured(fault: HandshakeFault, detail: string): void {
    const { plain } = this;
    this.finish();
    plain?.destroy();
    this.owner.unsecured(this, fault, detail);
  }

  private finish(): void {
    this.over = true;
    this.plain = this.stop = null;
    unwatch(this);
  }

  overdue(): void {
    this.stop?.();
    this.unsecured('timeout', 'the handshake took too long');
  }

  /** How long it has been shaking hands, in milliseconds. */
  get age(): number {
    return clock.now - (this.deadline - this.owner.handshakeTimeout);
  }

  /** Somebody else gets its place. */
  giveWay(): void {
    this.stop?.();
    if (!this.over) this.unsecured('too-many', 'too many handshakes are under way');
  }

  /** The listener drains: who is about to ask may still do so, within the time of a handshake. */
  drain(): void {}

  abort(): void {
    this.stop?.();
    if (!this.over) this.unsecured('closed', 'the gateway is stopping');
  }
}
