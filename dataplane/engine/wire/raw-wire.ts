import { SLACK } from './bytes.ts';
import { HandleInput } from './handle-input.ts';
import { kernelOfLoop } from './input-loop.ts';
import { type Kernel, NOTHING_YET } from './kernel.ts';
import {
  endpointOf,
  type NativeBindings,
  type NativeHandle,
  nativeBindings,
  type WriteRequest,
} from './native-handle.ts';
import { ReadingHalf } from './reading-half.ts';
import { SendingHalf } from './sending-half.ts';
import { arrived, arrivedThere, closed, decideNow, mayPin, pin, readInput, readView, unpin } from './turn.ts';
import { hadShare } from './turn-share.ts';
import { type Endpoint, LENT, PASSED, type Passed, REFUSED, type Wire, type WireOwner } from './wire.ts';

const END_OF_FILE = -4095;
/** Read size of a wire in bulk mode: a long body costs a quarter of the system calls. */
const BULK_SIZE = 262_144;
/** Full reads of this size after which others have their turn. */
const BLOCKS_OF_TURN = 4;
const blocks: Buffer[] = [];
const MOST_BLOCKS = 64;
let native: NativeBindings;
let spareWrite: WriteRequest | null = null;
let lastWrite: WriteRequest | null = null;

/** A wire on a raw handle: no stream objects, no allocation per read, one system call per write. */
export class RawWire implements Wire {
  owner: WireOwner;
  regionStart = 0;
  regionLength = 0;
  queued = 0;
  bulk = false;
  private readonly handle: NativeHandle;
  /** Null where the handle reads by itself. */
  private readonly input: HandleInput | null;
  private inFlight = false;
  private readonly reading = new ReadingHalf();
  private readonly sending = new SendingHalf();
  private fullBlocks = 0;
  private open: boolean;
  private slow = false;
  private block: Buffer | null = null;

  /** `open` is false for a handle that is still connecting: what is sent waits for `opened`. */
  constructor(handle: NativeHandle, owner: WireOwner, open: boolean) {
    native = nativeBindings()!;
    this.handle = handle;
    this.input = kernelOfLoop() === null ? null : new HandleInput(handle, this);
    this.owner = owner;
    this.open = open;
    handle.wire = this;
    handle.onread = onRead;
    handle.useUserBuffer(readView);
    if (open) this.resume();
  }

  /** Starts and stops reading. */
  private get source(): HandleInput | NativeHandle {
    return this.input ?? this.handle;
  }

  get pending(): boolean {
    return this.inFlight || this.sending.hasBacklog;
  }

  get unsent(): number {
    return this.sending.isDone ? 0 : this.handle.writeQueueSize + this.sending.waiting;
  }

  /** The handle is connected. */
  opened(): void {
    if (this.sending.isDone) return;
    this.open = true;
    this.resume();
    this.sendBacklog();
  }

  send(bytes: Buffer, start: number, length: number): void {
    if (this.sending.isShut) return;
    if (this.inFlight || !this.open) {
      this.hold(Buffer.from(bytes.subarray(start, start + length)));
      return;
    }
    if (this.slow || !mayPin()) this.write(Uint8Array.prototype.slice.call(bytes, start, start + length), false);
    else this.write(new Uint8Array(memoryOf(bytes), bytes.byteOffset + start, length), true);
  }

  sendDirect(bytes: Buffer, length: number): Passed {
    if (this.sending.isShut) return PASSED; // nobody reads it; the owner hears of it by `failed`
    if (!this.open || this.inFlight || this.sending.hasBacklog || this.regionLength !== 0) return REFUSED;
    this.write(new Uint8Array(bytes.buffer, bytes.byteOffset, length), false);
    if (!this.inFlight) return PASSED;
    lastWrite!.block = bytes;
    return LENT;
  }

  private hold(bytes: Buffer): void {
    this.sending.hold(bytes);
    this.owner.blocked();
  }

  private write(bytes: Uint8Array, fromArena: boolean): void {
    const request = spareWrite ?? native.newWrite();
    spareWrite = null;
    if (this.handle.writeBuffer(request, bytes) !== 0) {
      this.writeFailed();
      return;
    }
    if (native.state[native.asyncSlot] === 0) {
      spareWrite = request;
      this.slow = false;
      if (this.sending.isEnding) this.sending.shutdown(this.handle);
      return;
    }
    this.inFlight = true;
    this.slow = true;
    lastWrite = request;
    request.wire = this;
    request.bytes = bytes; // the kernel still reads them
    request.pinned = fromArena ? pin() : null;
    request.block = null;
    request.oncomplete = onWritten;
    this.owner.blocked();
  }

  /** The kernel has taken what was under way. */
  written(failed: boolean): void {
    this.inFlight = false;
    if (this.sending.isDone) return;
    if (failed) {
      this.writeFailed();
      return;
    }
    if (this.sending.hasBacklog) {
      this.sendBacklog();
      if (this.inFlight) return;
    } else if (this.sending.isEnding) this.sending.shutdown(this.handle);
    this.owner.drained();
  }

  private sendBacklog(): void {
    const backlog = this.sending.takeBacklog();
    if (backlog !== null) this.write(backlog, false);
  }

  /** What the peer sent before it stopped reading may still be its answer, so reading goes on. */
  private writeFailed(): void {
    this.sending.fail();
    if (this.reading.isWanted) return;
    this.resume();
    if (!this.reading.isWanted) closed(this, true);
  }

  pause(): void {
    this.reading.pause(this.source);
  }

  resume(): void {
    if (this.open && !this.sending.isDone) this.reading.resume(this.source);
  }

  readOn(): void {
    this.reading.readOn(this.source);
  }

  end(): void {
    if (this.sending.isShut) return;
    this.sending.isEnding = true;
    if (this.regionLength === 0 && !this.pending) this.sending.shutdown(this.handle);
  }

  destroy(): void {
    if (this.sending.isDone) return;
    this.finish();
    this.handle.close();
  }

  reset(): void {
    if (this.sending.isDone) return;
    this.finish();
    // where a reset fails, Node.js takes the handle for closed all the same and never closes it
    if (this.handle.reset === undefined || this.sending.isShutting) this.handle.close();
    else this.handle.reset();
  }

  /** Hands the connection over to what speaks another protocol on it; the owner hears nothing more. */
  detach(): NativeHandle {
    this.pause();
    this.finish();
    return this.handle;
  }

  private finish(): void {
    this.input?.release();
    this.sending.finish();
    this.reading.isWanted = false;
  }

  remote(): Endpoint {
    return endpointOf(this.handle, 'getpeername');
  }

  local(): Endpoint {
    return endpointOf(this.handle, 'getsockname');
  }

  /** The loop for input says that there is something to read. */
  readable(kernel: Kernel): void {
    const input = this.input!;
    const length = readInput(kernel, input.descriptor);
    if (length > 0) {
      arrivedThere(this, length);
      if (!this.bulk || !this.reading.isUnderWay) return;
      this.handle.useUserBuffer(this.enterBulk());
      input.leave();
    } else if (length !== NOTHING_YET) {
      input.release();
      this.read(length === 0 ? END_OF_FILE : length);
    }
  }

  /** Bytes, an end or an error came. @returns the buffer to read into from now on, if it changes. */
  read(length: number): Uint8Array | undefined {
    if (length <= 0) {
      if (length === 0) return undefined;
      this.reading.isWanted = false;
      if (!this.sending.isDone) closed(this, this.sending.isBroken || length !== END_OF_FILE);
      return undefined;
    }
    const block = this.block;
    if (block === null) {
      arrived(this, length);
      if (hadShare(length, this.queued)) this.reading.rest(this.source, this);
      if (this.bulk) return this.enterBulk();
      this.input?.rejoin(this.reading.isUnderWay);
      return undefined;
    }
    const passed = this.queued === 0 ? this.owner.passes(block, length) : REFUSED;
    if (passed === REFUSED) {
      block[length] = 0;
      decideNow(this, block, 0, length);
    }
    if (length === BULK_SIZE && ++this.fullBlocks % BLOCKS_OF_TURN === 0) this.reading.rest(this.source, this);
    if (this.bulk && !this.sending.isDone) return passed === LENT ? this.enterBulk() : undefined;
    this.block = null;
    if (passed !== LENT) recycle(block);
    if (!this.sending.isDone) this.input?.rejoin(this.reading.isUnderWay);
    return readView;
  }

  private enterBulk(): Uint8Array {
    this.block = blocks.pop() ?? Buffer.allocUnsafeSlow(BULK_SIZE + SLACK);
    return this.block.subarray(0, BULK_SIZE);
  }
}

let lastBytes: Buffer | null = null;
let lastMemory: ArrayBufferLike = new ArrayBuffer(0);

/** Asking a typed array for its memory is a call into the runtime; the arena is nearly always the same. */
function memoryOf(bytes: Buffer): ArrayBufferLike {
  if (bytes !== lastBytes) {
    lastBytes = bytes;
    lastMemory = bytes.buffer;
  }
  return lastMemory;
}

/** Blocks come back here from reads that are over and from writes that have completed. */
function recycle(block: Buffer): void {
  if (blocks.length < MOST_BLOCKS) blocks.push(block);
}

function onRead(this: NativeHandle): Uint8Array | undefined {
  return (this.wire as RawWire).read(native.state[native.readSlot]!);
}

function onWritten(this: unknown, status: number): void {
  const request = this as WriteRequest;
  if (request.pinned !== null) unpin(request.pinned);
  if (request.block !== null) recycle(request.block);
  (request.wire as RawWire).written(status < 0);
}

/** Starts to connect to a numeric address. `done` gets true when the wire is open. */
export function connectTcp(address: string, port: number, owner: WireOwner, done: (ok: boolean) => void): RawWire {
  native = nativeBindings()!;
  const handle = native.newTcp();
  const wire = new RawWire(handle, owner, false);
  const request = native.newTcpConnect();
  request.address = address;
  request.port = port;
  const completed = (status: number): void => {
    if (status === 0) handle.setNoDelay?.(true);
    done(status === 0);
  };
  request.oncomplete = completed;
  const error = address.includes(':')
    ? handle.connect6!(request, address, port)
    : handle.connect(request, address, port);
  if (error !== 0) process.nextTick(done, false);
  return wire;
}

/** Starts to connect to a Unix-domain socket. */
export function connectPipe(path: string, owner: WireOwner, done: (ok: boolean) => void): RawWire {
  native = nativeBindings()!;
  const handle = native.newPipe();
  const wire = new RawWire(handle, owner, false);
  const request = native.newPipeConnect();
  request.address = path;
  const completed = (status: number): void => done(status === 0);
  request.oncomplete = completed;
  const error = handle.connect(request, path);
  if (typeof error === 'number' && error !== 0) process.nextTick(done, false);
  return wire;
}
