import { isMainThread } from 'node:worker_threads';
import { type ForeignFunctions, foreignFunctions, signature } from '../../../platform/foreign-functions.ts';

/**
 * System calls that the loop for input makes by itself. `node:ffi` is experimental, so they are probed with a real
 * descriptor, and where they are missing or have changed, handles read as before.
 *
 * V8 calls a native function directly only as long as its wrapper in Node.js has met no other function with the same number
 * of arguments, and for at most three. So `readv` is the only function here with three. Others that are called once per
 * connection have four or more; what a function does not take, it never looks at.
 */
export interface Kernel {
  /** Tells where bytes are, which must stay there: their memory must be neither resized nor transferred. */
  addressOf(bytes: Buffer): Address;
  /** @returns how many bytes were read, 0 at the end, NOTHING_YET, or another negative number, which names the error. */
  read(descriptor: number, into: Address, offset: number, length: number): number;
  /** Watches a descriptor for input; `slot` is what `slotAt` returns for it. */
  watch(descriptor: number, slot: number): boolean;
  unwatch(descriptor: number): void;
  /** Waits until watched descriptors have input, but not longer than so many milliseconds; -1 for as long as it takes. */
  wait(milliseconds: number): number;
  /** The slot of one of the descriptors that the last `wait` counted. */
  slotAt(index: number): number;
  /** How long the event loop of this thread may wait, as `wait` takes it; 0 when it has something to do. */
  loopTimeout(): number;
}

/** A place in memory. */
export interface Address {
  readonly low: number;
  readonly high: number;
}

/** There is nothing to read, but may be later. */
export const NOTHING_YET = -11;
/** The slot of the event loop of this thread, which has its own descriptor. */
export const LOOP_SLOT = 0xffff_ffff;
/** Descriptors that one call of `wait` counts: enough for a turn, few enough that the first need not wait long. */
export const MOST_READY = 256;

const SIGNATURES = {
  readv: signature('int32', 'int32', 'uint32', 'int32'),
  epoll_create1: signature('int32', 'int32', 'int32', 'int32', 'int32'),
  epoll_ctl: signature('int32', 'int32', 'int32', 'int32', 'uint32'),
  epoll_wait: signature('int32', 'int32', 'uint32', 'int32', 'int32'),
  eventfd: signature('int32', 'uint32', 'int32', 'int32', 'int32'),
  close: signature('int32', 'int32', 'int32', 'int32', 'int32'),
  mmap: signature('uint64', 'uint64', 'uint64', 'int32', 'int32', 'int32', 'int64'),
  munmap: signature('int32', 'uint64', 'uint64', 'int32', 'int32'),
  __errno_location: signature('uint64', 'int32', 'int32', 'int32', 'int32'),
  uv_backend_fd: signature('int32', 'uint64', 'int32', 'int32', 'int32'),
  uv_backend_timeout: signature('int32', 'uint64'),
  uv_update_time: signature('void', 'uint64', 'int32'),
};
type Functions = { readonly [name in keyof typeof SIGNATURES]: (...given: readonly (number | bigint)[]) => number };

const CLOSE_ON_EXEC = 0x80000;
const NEVER_WAITS = 0x800;
const INTERRUPTED = -4;
const ADD = 1;
const REMOVE = 2;
const INPUT = 1;

/** Memory of one page that the kernel reads and fills; offsets are in words of four bytes. */
const PAGE_SIZE = 8192;
const VECTOR = 0;
const CHANGE = 8;
const EVENTS = 16;
/** An event has two words more than its first one; on x86-64 nothing stands between them (epoll_wait(2)). */
const STRIDE = process.arch === 'x64' ? 3 : 4;
const DATA = STRIDE - 2;

/** Where the page may lie: small addresses are numbers, and other ones objects, which cost more than the call. */
const LOWEST = 0x6000_0000;
const PLACES = 1024;
const BETWEEN = 0x1_0000;
const READ_AND_WRITE = 3;
/** Private memory that belongs to no file, at this very address or nowhere. */
const PRIVATE_THERE = 0x10_0022;

/** Opens what a thread needs, once. @returns null where this Node.js or system does not have it as we know it. */
export function openKernel(): Kernel | null {
  let release = (): void => {};
  try {
    const ffi = foreignFunctions();
    if (ffi === null) return null;
    const library = ffi.dlopen(null, SIGNATURES);
    const functions = library.functions as unknown as Functions;
    const page = lowPage(functions);
    if (page === 0) return null;
    const poll = functions.epoll_create1(CLOSE_ON_EXEC, 0, 0, 0);
    // it also holds the library: without it, its functions would be gone
    release = (): void => {
      library.functions['close']!(poll, 0, 0, 0);
      library.functions['munmap']!(BigInt(page), BigInt(PAGE_SIZE), 0, 0);
    };
    const loop = ffi.getCurrentEventLoop();
    const words = new Uint32Array(ffi.toArrayBuffer(BigInt(page), PAGE_SIZE, false));
    const errno = new Int32Array(ffi.toArrayBuffer(BigInt(functions.__errno_location(0, 0, 0, 0)), 4, false));
    const kernel = kernelOf(ffi, functions, { words, page, errno, poll, loop });
    if (!isSound(kernel, functions) || !kernel.watch(functions.uv_backend_fd(loop, 0, 0, 0), LOOP_SLOT)) {
      release();
      return null;
    }
    process.once('exit', () => {
      if (!isMainThread) release(); // the thread ends, and its process goes on
    });
    return kernel;
  } catch {
    release();
    return null;
  }
}

function lowPage({ mmap, munmap }: Functions): number {
  for (let place = 0; place < PLACES; place++) {
    const wanted = LOWEST + place * BETWEEN;
    const got = Number(mmap(BigInt(wanted), BigInt(PAGE_SIZE), READ_AND_WRITE, PRIVATE_THERE, -1, 0n));
    if (got === wanted) return got;
    // a kernel that does not know the flag takes the address for a wish
    if (got < 2 ** 63) munmap(BigInt(got), BigInt(PAGE_SIZE), 0, 0);
  }
  return 0;
}

/** Memory and descriptors of one thread. */
interface Places {
  readonly words: Uint32Array;
  /** Where `words` are. */
  readonly page: number;
  readonly errno: Int32Array;
  readonly poll: number;
  readonly loop: bigint;
}

function kernelOf(
  ffi: ForeignFunctions,
  { readv, epoll_ctl, epoll_wait, uv_backend_timeout, uv_update_time }: Functions,
  { words, page, errno, poll, loop }: Places,
): Kernel {
  const vector = page + 4 * VECTOR;
  const change = page + 4 * CHANGE;
  const events = page + 4 * EVENTS;
  words[VECTOR + 3] = 0; // the upper half of a length
  words[CHANGE] = INPUT;
  return {
    addressOf({ buffer, byteOffset }) {
      const at = ffi.getRawPointer(buffer) + BigInt(byteOffset);
      return { low: Number(at & 0xffff_ffffn), high: Number(at >> 32n) };
    },
    read(descriptor, { low, high }, offset, length) {
      const at = low + offset;
      words[VECTOR] = at;
      words[VECTOR + 1] = at > 0xffff_ffff ? high + 1 : high;
      words[VECTOR + 2] = length;
      const count = readv(descriptor, vector, 1);
      if (count >= 0) return count;
      const error = -errno[0]!; // nothing else can have failed in between
      return error === INTERRUPTED ? NOTHING_YET : error;
    },
    watch(descriptor, slot) {
      words[CHANGE + DATA] = slot;
      return epoll_ctl(poll, ADD, descriptor, change) === 0;
    },
    unwatch: (descriptor) => void epoll_ctl(poll, REMOVE, descriptor, change),
    wait: (milliseconds) => epoll_wait(poll, events, MOST_READY, milliseconds),
    slotAt: (index) => words[EVENTS + index * STRIDE + DATA]!,
    loopTimeout() {
      uv_update_time(loop, 0); // it counts from a time that it last looked at the clock
      return uv_backend_timeout(loop);
    },
  };
}

/** Whether a descriptor with eight bytes to read is reported, read and forgotten as it should be. */
function isSound(kernel: Kernel, { eventfd, close }: Functions): boolean {
  const descriptor = eventfd(1, CLOSE_ON_EXEC | NEVER_WAITS, 0, 0);
  const bytes = Buffer.allocUnsafeSlow(PAGE_SIZE).fill(7);
  const address = kernel.addressOf(bytes);
  const slot = LOOP_SLOT - 1;
  const isRead =
    kernel.watch(descriptor, slot) &&
    kernel.wait(0) === 1 &&
    kernel.slotAt(0) === slot &&
    kernel.read(descriptor, address, 8, 8) === 8 &&
    bytes.readBigUInt64LE(0) === 0x0707_0707_0707_0707n &&
    bytes.readBigUInt64LE(8) === 1n &&
    bytes.readBigUInt64LE(16) === 0x0707_0707_0707_0707n &&
    kernel.read(descriptor, address, 8, 8) === NOTHING_YET;
  kernel.unwatch(descriptor);
  const isForgotten = kernel.wait(0) === 0;
  close(descriptor, 0, 0, 0);
  return isRead && isForgotten && kernel.loopTimeout() >= -1;
}
