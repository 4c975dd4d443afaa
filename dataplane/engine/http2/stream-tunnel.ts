import type { UpgradedPeer } from '../message/response.ts';
import { HeldWire } from '../wire/held-wire.ts';
import { type CarryingStream, StreamWire } from './stream-wire.ts';

/** Tunnel for another protocol on a stream (RFC 8441). Data is buffered until the response accepts the tunnel. */
export class StreamTunnel {
  /** What the client wants to hear when it begins, or null. */
  readonly proof: string | null;
  private readonly wire: StreamWire;
  private readonly held: HeldWire;
  private peer: UpgradedPeer | null = null;

  constructor(stream: CarryingStream, proof: string | null) {
    this.proof = proof;
    this.wire = new StreamWire(stream);
    this.held = new HeldWire(this.wire, null);
  }

  /** The answer agreed: from now on this is one end of what it leads to. `over` is called once when that ends. */
  join(peer: UpgradedPeer, silence: number, over: () => void): void {
    const { held } = this;
    this.peer = peer;
    peer.join(this.wire, held.takeEarly(), held.state !== 'open', silence, over);
  }

  /** Ends it, but not without a word. @returns whether there is anything to end. */
  part(): boolean {
    this.peer?.abandon();
    return this.peer !== null;
  }

  receive(bytes: Buffer, start: number, end: number): void {
    this.wire.owner.receive(bytes, start, end);
  }

  /** The client will send nothing more. */
  ended(): void {
    this.wire.owner.ended();
  }

  /** The stream is gone. */
  failed(): void {
    this.wire.owner.failed();
  }

  /** What was held back has gone out. */
  drained(): void {
    this.wire.drained();
  }
}
