import { resetRanges } from '../head/header-ranges.ts';
import { SLACK } from './bytes.ts';
import { clock, readClock } from './clock.ts';
import type { Address, Kernel } from './kernel.ts';
import type { Wire } from './wire.ts';

/**
 * One turn of a unit's event loop, in three stages: reads are copied to the input arena; then every connection that got
 * something is parsed and decided; then everything goes out back to back. The kernel's code and ours each stay in the
 * instruction cache, which is worth 15 to 25 % (docs/decisions/0001-own-engine.md).
 */

/** Size of the buffer that all reads share. */
export const READ_SIZE = 65_536;
const ARENA_SIZE = 1 << 20;
/** Reads above this are decided at once: copying them would cost more than the stages save. */
const LARGE_READ = 16_384;
/** Wires that may wait for stage three: enough to stay in the cache, few enough that the first need not wait long. */
const MOST_DIRTY = 16;
/** Arenas that slow readers may hold; beyond it their bytes are copied, so that memory follows bytes, not readers. */
const MOST_PINNED = 8;

const newArena = (): Buffer => Buffer.allocUnsafeSlow(ARENA_SIZE + SLACK);

/** All reads land here first. */
export const readBuffer: Buffer = Buffer.allocUnsafeSlow(READ_SIZE + SLACK);
/** Buffer that handles read into; the slack stays ours. */
export const readView: Uint8Array = readBuffer.subarray(0, READ_SIZE);

/** The output arena: write at `at`, between `reserve` and `wrote`. */
export const output = { bytes: newArena(), at: 0 };

/** Something whose bytes live in the arenas and that must survive the turn. */
export interface Retainable {
  retain(): void;
}

const ENDED = 0;
const FAILED = 1;
let input = newArena();
/** Where that is, once a kernel has to know. */
let inputAddress: Address | null = null;
let filled = 0;
/** Four entries an event: wire, bytes (null: no bytes), start, end. Counted apart, because emptying frees the memory. */
const events: (Wire | Buffer | null | number)[] = [];
let eventEntries = 0;
const dirty: (Wire | null)[] = [];
let dirtyCount = 0;
/** Counted apart, too: emptying takes a call. */
const unfinished: (Retainable | null)[] = [];
let unfinishedCount = 0;
const spareArenas: Buffer[] = [];
const pins = new Map<Buffer, number>();
let scheduled = false;
/** A loop of our own takes the turns. */
let isFollowing = false;
let awaited = 0;
let onFault: (wire: Wire, fault: unknown) => void = (_wire, fault) => {
  throw fault;
};

/** Sets the handler for errors of connection code; by default they reach the process. */
export function setFaultHandler(handler: (wire: Wire, fault: unknown) => void): void {
  onFault = handler;
}

/** Makes sure that a turn comes. */
export function wake(): void {
  if (scheduled) return;
  scheduled = true;
  if (!isFollowing) setImmediate(decide);
}

/** Says whether somebody calls `takeTurn` as long as a turn is due, before it waits. */
export function followLoop(follows: boolean): void {
  isFollowing = follows;
  if (!follows && scheduled) setImmediate(decide);
}

/** Whether something waits for a turn. */
export function turnIsDue(): boolean {
  return scheduled;
}

/** A turn for a loop of our own. `settle` runs promises and ticks until there are none. */
export function takeTurn(settle: () => void): void {
  begin();
  if (awaited !== 0) settle();
  finish();
  settle();
}

/** Stage one: `length` bytes are in the read buffer. */
export function arrived(wire: Wire, length: number): void {
  if (length > LARGE_READ) {
    readBuffer[length] = 0;
    decideNow(wire, readBuffer, 0, length);
    return;
  }
  makeRoom(length);
  readBuffer.copy(input, filled, 0, length);
  arrivedThere(wire, length);
}

/** Stage one without a copy: reads a descriptor into the arena. @returns what `Kernel.read` returns; `arrivedThere` is next. */
export function readInput(kernel: Kernel, descriptor: number): number {
  makeRoom(READ_SIZE);
  inputAddress ??= kernel.addressOf(input);
  return kernel.read(descriptor, inputAddress, filled, READ_SIZE);
}

/** `length` bytes are in the arena, where `filled` says. */
export function arrivedThere(wire: Wire, length: number): void {
  const start = filled;
  const end = start + length;
  input[end] = 0;
  filled = end + 1;
  if (length > LARGE_READ) {
    decideNow(wire, input, start, end); // the arena would be full of them
    return;
  }
  addEvent(wire, input, start, end);
  wake();
}

function makeRoom(length: number): void {
  if (filled + length + SLACK <= ARENA_SIZE) return;
  input = newArena(); // events and heads keep the old one alive until they are done
  inputAddress = null;
  filled = 0;
}

/** The same for bytes that have their own buffer (which the caller will not reuse before the turn). */
export function arrivedIn(wire: Wire, bytes: Buffer, length: number): void {
  addEvent(wire, bytes, 0, length);
  wake();
}

/** The peer ended or the connection failed: told in order with the bytes before it. */
export function closed(wire: Wire, failed: boolean): void {
  addEvent(wire, null, failed ? FAILED : ENDED, 0);
  wake();
}

/** Decides large reads outside the stages, after what waits. */
export function decideNow(wire: Wire, bytes: Buffer, start: number, end: number): void {
  begin();
  deliver(wire, bytes, start, end);
  finish();
}

/** Stage two. */
function begin(): void {
  readClock();
  clock.fresh = true;
  awaited = 0;
  runEvents();
}

function decide(): void {
  begin();
  if (awaited === 0) finish();
  else queueMicrotask(afterMicrotasks); // promises settled above go on only after this stack unwinds
}

/** Next ticks run when the microtask queue is empty, however deep the continuations; a bare microtask is too early. */
function afterMicrotasks(): void {
  process.nextTick(finish);
}

function addEvent(wire: Wire, bytes: Buffer | null, start: number, end: number): void {
  const at = eventEntries;
  events[at] = wire;
  events[at + 1] = bytes;
  events[at + 2] = start;
  events[at + 3] = end;
  eventEntries = at + 4;
  wire.queued++;
}

function runEvents(): void {
  for (let i = 0; i < eventEntries; i += 4) {
    const wire = events[i] as Wire | null;
    if (wire === null) continue; // the handler of a fault threw when this one was delivered
    const bytes = events[i + 1] as Buffer | null;
    events[i] = events[i + 1] = null;
    wire.queued--;
    deliver(wire, bytes, events[i + 2] as number, events[i + 3] as number);
    if (dirtyCount >= MOST_DIRTY) flush();
  }
  eventEntries = 0;
}

function deliver(wire: Wire, bytes: Buffer | null, start: number, end: number): void {
  try {
    if (bytes !== null) wire.owner.receive(bytes, start, end);
    else if (start === ENDED) wire.owner.ended();
    else wire.owner.failed();
  } catch (fault) {
    onFault(wire, fault);
  }
}

/** Stage three. */
function finish(): void {
  scheduled = clock.fresh = false;
  for (let i = 0; i < unfinishedCount; i++) {
    unfinished[i]!.retain();
    unfinished[i] = null;
  }
  unfinishedCount = 0;
  resetRanges();
  filled = 0;
  flush();
}

/** Asks for `retain` before the arenas are reused. */
export function keep(something: Retainable): void {
  unfinished[unfinishedCount++] = something;
}

/** Announces that promises will settle in this turn, so that their output still goes out with it. */
export function awaiting(): void {
  awaited++;
}

/** Makes room for `length` contiguous bytes for this wire at `output.at`. */
export function reserve(wire: Wire, length: number): void {
  if (
    output.at + length > ARENA_SIZE ||
    (wire.regionLength !== 0 && wire.regionStart + wire.regionLength !== output.at)
  ) {
    flush();
    if (length > output.bytes.length - SLACK) output.bytes = Buffer.allocUnsafeSlow(length + SLACK);
  }
}

/** `length` bytes were written at `output.at` for this wire. */
export function wrote(wire: Wire, length: number): void {
  if (wire.regionLength === 0) {
    wire.regionStart = output.at;
    dirty[dirtyCount++] = wire;
    wake();
  }
  wire.regionLength += length;
  output.at += length;
}

/** Copies bytes out on a wire. */
export function put(wire: Wire, bytes: Buffer, start: number, end: number): void {
  const length = end - start;
  if (length === 0) return;
  reserve(wire, length);
  bytes.copy(output.bytes, output.at, start, end);
  wrote(wire, length);
}

/** Writes text, one byte a character, out on a wire. */
export function putText(wire: Wire, text: string): void {
  reserve(wire, text.length);
  wrote(wire, output.bytes.latin1Write(text, output.at));
}

function flush(): void {
  for (let i = 0; i < dirtyCount; i++) {
    const wire = dirty[i]!;
    dirty[i] = null;
    const length = wire.regionLength;
    wire.regionLength = 0;
    if (length !== 0) wire.send(output.bytes, wire.regionStart, length);
  }
  dirtyCount = 0;
  output.at = 0;
  if (pins.size !== 0 && pins.has(output.bytes)) output.bytes = spareArenas.pop() ?? newArena();
}

/** Whether `pin` may still be used. */
export function mayPin(): boolean {
  return pins.size < MOST_PINNED || pins.has(output.bytes);
}

/** A write from the output arena is still under way: the arena is not reused before `unpin`. */
export function pin(): Buffer {
  pins.set(output.bytes, (pins.get(output.bytes) ?? 0) + 1);
  return output.bytes;
}

export function unpin(arena: Buffer): void {
  const count = (pins.get(arena) ?? 1) - 1;
  if (count > 0) {
    pins.set(arena, count);
    return;
  }
  pins.delete(arena);
  if (arena !== output.bytes && arena.length === ARENA_SIZE + SLACK && spareArenas.length < 2) spareArenas.push(arena);
}
