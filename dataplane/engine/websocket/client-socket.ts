import { randomFillSync } from 'node:crypto';
import type { Tunnel } from '../backend/tunnel.ts';
import type { HeldWire } from '../wire/held-wire.ts';
import { output, reserve, wrote } from '../wire/turn.ts';
import { REFUSED, type Wire, type WireOwner } from '../wire/wire.ts';
import { putClose } from './close-frame.ts';
import { CLOSED } from './frame-check.ts';
import { type MessageOwner, MessageReader } from './message-reader.ts';

const TEXT = 1;
const PING = 9;
const PONG = 10;
const NORMAL = 1000;
/** Milliseconds until a closed connection is destroyed whose server does not end it. */
const GRACE = 500;

/** Listener of a WebSocket. */
export interface SocketListener {
  /** A whole text message. */
  text(message: string): void;
  /** A message came that cannot be read; the reason is for the log. */
  unreadable(reason: string): void;
  /** Not called after `close`. */
  closed(reason: string): void;
}

/** The client's end of a WebSocket of the gateway itself. */
export class ClientSocket implements WireOwner, MessageOwner {
  /** When bytes last came, on the clock of `performance.now()`. */
  receivedAt = performance.now();
  private readonly wire: Wire;
  private readonly held: HeldWire;
  private readonly listener: SocketListener;
  private readonly reader: MessageReader;
  private readonly mask = Buffer.alloc(4);
  private isOver = false;

  /** @param longest most bytes of a message that is read */
  constructor(tunnel: Tunnel, longest: number, listener: SocketListener) {
    this.held = tunnel.held;
    this.wire = tunnel.held.wire;
    this.listener = listener;
    this.reader = new MessageReader(this, longest);
  }

  /** Takes the connection over, with what has come. */
  open(): void {
    this.wire.owner = this;
    const early = this.held.takeEarly();
    if (early !== null) this.receive(early, 0, early.length);
    if (this.held.state !== 'open') this.failed();
    else this.wire.resume();
  }

  send(message: string): void {
    this.put(TEXT, Buffer.from(message));
  }

  ping(): void {
    this.put(PING, Buffer.alloc(0));
  }

  close(): void {
    if (this.isOver) return;
    putClose(this.wire, NORMAL, '', true);
    this.finish();
  }

  /** Gives the connection up at once. */
  abandon(): void {
    this.isOver = true;
    this.wire.destroy();
  }

  receive(bytes: Buffer, start: number, end: number): void {
    if (this.isOver) return;
    this.receivedAt = performance.now();
    const finding = this.reader.read(bytes, start, end);
    if (finding === null || this.isOver) return;
    if (finding === CLOSED) {
      putClose(this.wire, NORMAL, '', true);
      this.end('the access manager closed the connection');
    } else {
      putClose(this.wire, finding.code, finding.text, true);
      this.end(`the access manager broke the protocol: ${finding.text}`);
    }
  }

  ended(): void {
    this.end('the connection ended without a Close frame');
  }

  failed(): void {
    this.end('the connection broke off');
  }

  blocked(): void {
    this.wire.pause(); // a server that sends PINGs and reads no PONGs would fill the memory
  }

  drained(): void {
    if (!this.isOver) this.wire.resume();
  }

  passes(): typeof REFUSED {
    return REFUSED;
  }

  text(message: string): void {
    if (!this.isOver) this.listener.text(message);
  }

  unreadable(reason: string): void {
    if (!this.isOver) this.listener.unreadable(reason);
  }

  pinged(payload: Buffer): void {
    this.put(PONG, payload);
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.finish();
    this.listener.closed(reason);
  }

  private finish(): void {
    this.isOver = true;
    const { wire } = this;
    setImmediate(() => wire.end()); // after the turn, when the last bytes have left
    setTimeout(() => wire.destroy(), GRACE).unref();
  }

  private put(opcode: number, payload: Buffer): void {
    if (this.isOver) return;
    const { length } = payload;
    reserve(this.wire, length + 14);
    const out = output.bytes;
    let at = output.at;
    out[at++] = 0x80 | opcode;
    if (length < 126) out[at++] = 0x80 | length;
    else if (length < 65_536) {
      out[at++] = 0x80 | 126;
      at = out.writeUInt16BE(length, at);
    } else {
      out[at++] = 0x80 | 127;
      at = out.writeBigUInt64BE(BigInt(length), at);
    }
    at += randomFillSync(this.mask).copy(out, at);
    for (let i = 0; i < length; i++) out[at++] = payload[i]! ^ this.mask[i & 3]!;
    wrote(this.wire, at - output.at);
  }
}
