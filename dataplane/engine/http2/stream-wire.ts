import { NO_OWNER } from '../wire/no-owner.ts';
import { type Endpoint, REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import type { StreamSender } from './stream-sender.ts';

/** The stream that carries the bytes of another protocol, as its wire needs it. */
export interface CarryingStream {
  /** The wire of the connection. */
  readonly carrier: Wire;
  sender(): StreamSender;
  pauseBody(): void;
  resumeBody(): void;
  /** Nothing more is sent or read. `broken`: the peer must not take it for an orderly end. */
  give(broken: boolean): void;
}

/** One stream of HTTP/2 as a wire (RFC 8441): what is sent goes out in DATA frames. */
export class StreamWire implements Wire {
  owner: WireOwner = NO_OWNER;
  regionStart = 0;
  regionLength = 0;
  queued = 0;
  bulk = false;
  private readonly stream: CarryingStream;
  private gone = false;
  private ending = false;
  private slow = false;

  constructor(stream: CarryingStream) {
    this.stream = stream;
  }

  get pending(): boolean {
    return !this.gone && (this.stream.sender().waits || this.stream.carrier.pending);
  }

  get unsent(): number {
    return this.gone ? 0 : this.stream.sender().heldBytes + this.stream.carrier.unsent;
  }

  send(bytes: Buffer, start: number, length: number): void {
    if (this.gone) return;
    this.stream.sender().bodyData(bytes, start, start + length);
    if (this.ending) this.stream.sender().bodyEnd('');
    else if (this.pending) {
      this.slow = true;
      this.owner.blocked();
    }
  }

  /** What was held back has gone out. */
  drained(): void {
    if (!this.slow || this.gone) return;
    this.slow = false;
    this.owner.drained();
  }

  sendDirect(): typeof REFUSED {
    return REFUSED;
  }

  /** The window is not opened any further; what it allows may still come. */
  pause(): void {
    this.stream.pauseBody();
  }

  resume(): void {
    if (!this.gone) this.stream.resumeBody();
  }

  end(): void {
    if (this.gone || this.ending) return;
    this.ending = true;
    if (this.regionLength === 0) this.stream.sender().bodyEnd('');
  }

  destroy(): void {
    this.leave(false);
  }

  reset(): void {
    this.leave(true);
  }

  private leave(broken: boolean): void {
    if (this.gone) return;
    this.gone = true;
    this.owner = NO_OWNER;
    this.stream.give(broken);
  }

  remote(): Endpoint {
    return this.stream.carrier.remote();
  }

  local(): Endpoint {
    return this.stream.carrier.local();
  }
}
