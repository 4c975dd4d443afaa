import {
  endpointOf,
  type NativeBindings,
  type NativeHandle,
  nativeBindings,
  type WriteRequest,
} from '../engine/wire/native-handle.ts';
import { ReadingHalf } from '../engine/wire/reading-half.ts';
import { SendingHalf } from '../engine/wire/sending-half.ts';
import { arrived, closed, readView } from '../engine/wire/turn.ts';
import { hadShare } from '../engine/wire/turn-share.ts';
import { type Endpoint, PASSED, type Passed, REFUSED, type Wire, type WireOwner } from '../engine/wire/wire.ts';
import type { TlsHandle } from './native-tls.ts';
import { alertOf } from './tls-faults.ts';

const END_OF_FILE = -4095;
/** Who sends this much at once waits until it has left, so that memory does not grow by what is encrypted. */
const LONG_WRITE = 65_536;
const MOST_SPARE_WRITES = 4096;

/** Owner of a handshake on a wire. After `agreed` or one of the ends it is called for sessions only. */
export interface HandshakeParty {
  /** Both sides have the keys; whether the other side is the right one is still to be judged. */
  agreed(): void;
  /** The other side does not speak as it should, or refuses to go on. */
  disagreed(error: Error): void;
  /** The other side closed the connection. */
  left(): void;
  /** For clients: what a later connection can resume. */
  resumable(session: Buffer): void;
}

let native: NativeBindings;
const spareWrites: WriteRequest[] = [];
/** The request that came back last: the runtime still holds it while its callback runs. */
let restingWrite: WriteRequest | null = null;

/** A wire on a raw handle with TLS: one encryption and one system call per write, no stream objects. */
export class TlsWire implements Wire {
  owner: WireOwner;
  regionStart = 0;
  regionLength = 0;
  queued = 0;
  /** Without effect: what is decrypted comes in pieces of one record anyway. */
  bulk = false;
  alert: string | null = null;
  readonly party: HandshakeParty;
  /** Whether only TLS's own word for it is an end: without it anybody on the way could cut what was sent. */
  private readonly needsFarewell: boolean;
  private handle: TlsHandle | null = null;
  private under: NativeHandle | null = null;
  /** What connects, before there is a handshake. */
  private inner: Wire | null = null;
  /** The handshake is done. */
  private open = false;
  private readonly reading = new ReadingHalf();
  private readonly sending = new SendingHalf();
  /** Nothing more will be read: an end is told once. */
  private ended = false;
  /** Encrypted, but the runtime takes nothing more before it says so. */
  private inFlight = false;
  /** The owner was told to stop. */
  private slow = false;

  constructor(owner: WireOwner, party: HandshakeParty, needsFarewell: boolean) {
    native = nativeBindings()!;
    this.owner = owner;
    this.party = party;
    this.needsFarewell = needsFarewell;
  }

  /** There will be a handshake when this wire is connected. */
  startsOn(inner: Wire): void {
    this.inner = inner;
  }

  /** Begins the handshake on a connected handle, with `early` as what was read from it before. */
  begin(handle: TlsHandle, under: NativeHandle, early: Buffer | null): void {
    this.handle = handle;
    this.under = under;
    this.inner = null;
    handle.wire = this;
    handle.onread = onRead;
    handle.onhandshakestart = onHandshakeStart;
    handle.onhandshakedone = onHandshakeDone;
    handle.onerror = onError;
    handle.onnewsession = onNewSession;
    handle.useUserBuffer(readView);
    this.resume();
    if (early !== null && early.length > 0) handle.receive(early);
  }

  /** The other side is the right one: what waits is sent. */
  opened(): void {
    if (this.sending.isDone) return;
    this.open = true;
    if (this.sending.hasBacklog) setImmediate(() => this.sendBacklog()); // not inside of the handshake
  }

  get isOpen(): boolean {
    return this.open;
  }

  /** Somebody closed it. */
  get isGone(): boolean {
    return this.sending.isDone;
  }

  /** The other side gave a reason to give up, or the connection broke. */
  fail(error: Error): void {
    if (this.sending.isDone) return;
    if (this.open) {
      this.alert = alertOf(error);
      closed(this, true);
    } else this.party.disagreed(error);
  }

  get pending(): boolean {
    return this.slow || this.sending.hasBacklog;
  }

  get unsent(): number {
    if (this.sending.isDone || this.handle === null) return 0;
    return (this.slow ? this.handle.writeQueueSize : 0) + this.sending.waiting;
  }

  send(bytes: Buffer, start: number, length: number): void {
    if (this.sending.isShut) return;
    if (this.inFlight || !this.open || this.sending.hasBacklog)
      this.hold(Buffer.from(bytes.subarray(start, start + length)));
    else this.write(new Uint8Array(bytes.buffer, bytes.byteOffset + start, length));
  }

  /** The bytes are free again when this returns: what is sent is what was made of them. */
  sendDirect(bytes: Buffer, length: number): Passed {
    if (this.sending.isShut) return PASSED; // nobody reads it; the owner hears of it by `failed`
    if (!this.open || this.inFlight || this.sending.hasBacklog || this.regionLength !== 0) return REFUSED;
    this.write(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
    return PASSED;
  }

  private hold(bytes: Buffer): void {
    this.sending.hold(bytes);
    this.owner.blocked();
  }

  private write(bytes: Uint8Array): void {
    const request = spareWrites.pop() ?? native.newWrite();
    request.wire = this;
    request.oncomplete = onWritten;
    this.inFlight = true;
    if (this.handle!.writeBuffer(request, bytes) !== 0) {
      this.inFlight = false;
      this.writeFailed();
      return;
    }
    if (!this.inFlight) return; // the connection is broken, and we have heard of it
    if (native.state[native.asyncSlot] === 0) {
      this.inFlight = false;
      spareWrites.push(request);
      if (this.sending.isEnding) this.sending.shutdown(this.handle!);
      return;
    }
    if (bytes.length < LONG_WRITE && this.under!.writeQueueSize === 0) return;
    this.slow = true;
    this.owner.blocked();
  }

  /** The runtime takes more. */
  written(failed: boolean): void {
    this.inFlight = false;
    if (this.sending.isDone) return;
    if (failed) {
      this.writeFailed();
      return;
    }
    const waited = this.pending;
    this.slow = false;
    if (this.sending.hasBacklog) {
      this.sendBacklog();
      if (this.pending) return;
    } else if (this.sending.isEnding) this.sending.shutdown(this.handle!);
    if (waited) this.owner.drained();
  }

  private sendBacklog(): void {
    if (this.sending.isDone || this.inFlight) return;
    const backlog = this.sending.takeBacklog();
    if (backlog === null) return;
    this.write(backlog);
    if (!this.pending && !this.inFlight) this.owner.drained();
  }

  /** What the peer sent before it stopped reading may still be its answer, so reading goes on. */
  private writeFailed(): void {
    this.sending.fail();
    this.slow = false;
    if (this.reading.isWanted) return;
    this.resume();
    if (!this.reading.isWanted) closed(this, true);
  }

  pause(): void {
    if (this.handle !== null) this.reading.pause(this.handle);
  }

  resume(): void {
    if (this.handle !== null && !this.ended && !this.sending.isDone) this.reading.resume(this.handle);
  }

  readOn(): void {
    if (this.handle !== null) this.reading.readOn(this.handle);
  }

  end(): void {
    if (this.sending.isShut) return;
    this.sending.isEnding = true;
    const isIdle = this.regionLength === 0 && !this.inFlight && !this.sending.hasBacklog;
    if (this.open && isIdle) this.sending.shutdown(this.handle!);
  }

  destroy(): void {
    if (this.sending.isDone) return;
    const { handle, under, inner } = this;
    this.finish();
    inner?.destroy();
    under?.close(() => handle?.destroySSL());
  }

  reset(): void {
    if (this.sending.isDone) return;
    const { handle, under, inner } = this;
    this.finish();
    inner?.reset();
    const released = (): void => handle?.destroySSL();
    if (under === null) return;
    if (under.reset === undefined || under.reset(released) !== 0) under.close(released);
  }

  private finish(): void {
    this.sending.finish();
    this.reading.isWanted = false;
  }

  remote(): Endpoint {
    return endpointOf(this.under, 'getpeername');
  }

  local(): Endpoint {
    return endpointOf(this.under, 'getsockname');
  }

  /**
   * Whether it was the connection that ended, and not TLS on it: then it is not being read any more, though nobody told it
   * to stop. The runtime reports both alike.
   */
  private isConnectionOver(): boolean {
    if (!this.reading.isWanted || this.reading.isResting || this.under!.readStart() !== 0) return false;
    this.under!.readStop();
    return true;
  }

  /** Bytes, an end or an error came. */
  read(length: number): void {
    if (this.sending.isDone) return;
    if (length > 0) {
      arrived(this, length);
      if (hadShare(length, this.queued)) this.reading.rest(this.handle!, this);
    } else if (length < 0) {
      const isCut = length !== END_OF_FILE || (this.needsFarewell && this.isConnectionOver());
      this.reading.isWanted = false;
      this.ended = true;
      if (this.open) closed(this, this.sending.isBroken || isCut);
      else this.party.left();
    }
  }
}

function onRead(this: TlsHandle): undefined {
  (this.wire as TlsWire).read(native.state[native.readSlot]!);
}

function onHandshakeStart(): void {
  // nobody begins a second one: the contexts forbid it
}

function onHandshakeDone(this: TlsHandle): void {
  const wire = this.wire as TlsWire;
  if (!wire.isOpen) wire.party.agreed();
}

function onError(this: TlsHandle, error: Error): void {
  (this.wire as TlsWire).fail(error);
}

function onNewSession(this: TlsHandle, _id: Buffer, session: Buffer): void {
  (this.wire as TlsWire).party.resumable(session);
}

function onWritten(this: unknown, status: number): void {
  const request = this as WriteRequest;
  const wire = request.wire as TlsWire;
  request.wire = null;
  if (restingWrite !== null && spareWrites.length < MOST_SPARE_WRITES) spareWrites.push(restingWrite);
  restingWrite = request;
  wire.written(status < 0);
}
