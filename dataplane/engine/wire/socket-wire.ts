import { connect, type Socket } from 'node:net';
import { SLACK } from './bytes.ts';
import { arrivedIn, closed } from './turn.ts';
import { hadShare, restOfTurn } from './turn-share.ts';
import { type Endpoint, REFUSED, type Wire, type WireOwner } from './wire.ts';

/** A wire on a public socket: a third slower than a raw handle and right everywhere. */
export class SocketWire implements Wire {
  owner: WireOwner;
  regionStart = 0;
  regionLength = 0;
  queued = 0;
  bulk = false;
  alert: string | null = null;
  private socket: Socket;
  private ending = false;
  private gone = false;
  private peerEnded = false;
  private slow = false;
  /** The owner wants nothing now. */
  private paused = false;
  /** It has read its share of this turn. */
  private resting = false;

  constructor(socket: Socket, owner: WireOwner) {
    this.socket = socket;
    this.owner = owner;
    this.listen();
  }

  private listen(): void {
    const { socket } = this;
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('error', ignore); // 'close' follows and is enough
    socket.on('close', this.onClose);
  }

  private readonly onData = (bytes: Buffer): void => {
    const copy = Buffer.allocUnsafeSlow(bytes.length + SLACK); // readers look past the end
    bytes.copy(copy);
    copy[bytes.length] = 0;
    arrivedIn(this, copy, bytes.length);
    if (hadShare(bytes.length, this.queued)) this.rest();
  };

  private rest(): void {
    this.socket.pause();
    if (this.resting) return;
    this.resting = true;
    restOfTurn(this);
  }

  readOn(): void {
    this.resting = false;
    if (!this.paused && !this.gone) this.socket.resume();
  }

  private readonly onEnd = (): void => {
    this.peerEnded = true;
    closed(this, false);
  };

  private readonly onClose = (failed: boolean): void => {
    if (!this.gone && (failed || !this.peerEnded)) closed(this, true);
  };

  /** Hands the connection over to what speaks another protocol on it; the owner hears nothing more. */
  detach(): Socket {
    const { socket } = this;
    this.gone = true;
    socket.pause();
    socket.off('data', this.onData).off('end', this.onEnd).off('error', ignore).off('close', this.onClose);
    return socket;
  }

  /** Goes on with another socket that was made of this one, such as one that speaks TLS on it. */
  replace(make: (socket: Socket) => Socket): void {
    this.socket = make(this.detach());
    this.gone = this.paused = false;
    this.listen();
  }

  get pending(): boolean {
    return !this.gone && this.socket.writableLength > 0;
  }

  get unsent(): number {
    return this.gone ? 0 : this.socket.writableLength;
  }

  send(bytes: Buffer, start: number, length: number): void {
    if (this.gone || !this.socket.writable) return;
    this.socket.write(Buffer.from(bytes.subarray(start, start + length)), this.written);
    if (this.socket.writableLength > 0) {
      this.slow = true;
      this.owner.blocked();
    }
    if (this.ending) this.socket.end();
  }

  /** Not 'drain', which comes only for those who sent more than the socket likes to hold. */
  private readonly written = (): void => {
    if (!this.slow || this.socket.writableLength > 0) return;
    this.slow = false;
    if (!this.gone) this.owner.drained();
  };

  sendDirect(): typeof REFUSED {
    return REFUSED;
  }

  pause(): void {
    this.paused = true;
    this.socket.pause();
  }

  resume(): void {
    this.paused = false;
    if (!this.resting) this.socket.resume();
  }

  end(): void {
    this.ending = true;
    if (this.regionLength === 0) this.socket.end();
  }

  destroy(): void {
    this.gone = true;
    this.socket.destroy();
  }

  reset(): void {
    this.gone = true;
    const { socket } = this;
    // one that speaks TLS cannot be reset; its peer misses the word that ends it
    // and one whose end is under way neither: everything before it has been sent
    const isEnding = socket.writableEnded && !socket.writableFinished && socket.writableLength === 0;
    if (socket.connecting || socket.destroyed || isEnding || 'encrypted' in socket) socket.destroy();
    else socket.resetAndDestroy();
  }

  remote(): Endpoint {
    return { address: this.socket.remoteAddress ?? '', port: this.socket.remotePort ?? 0 };
  }

  local(): Endpoint {
    return { address: this.socket.localAddress ?? '', port: this.socket.localPort ?? 0 };
  }
}

function ignore(): void {
  // said by 'close' as well
}

/** Connects by public means; the wire may be used at once. */
export function connectSocket(
  to: { path: string } | { host: string; port: number },
  owner: WireOwner,
  done: (ok: boolean) => void,
): SocketWire {
  let open = false;
  const socket = connect({ ...to, noDelay: true, allowHalfOpen: true });
  socket.once('connect', () => {
    open = true;
    done(true);
  });
  socket.once('close', () => {
    if (!open) done(false);
  });
  return new SocketWire(socket, owner);
}
