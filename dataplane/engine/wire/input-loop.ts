import { clock } from './clock.ts';
import { type Kernel, LOOP_SLOT, openKernel } from './kernel.ts';
import { followLoop, takeTurn, turnIsDue } from './turn.ts';

/** Something with a descriptor that the loop watches. */
export interface Watched {
  /** There is input, the end of it, or an error. Bytes are read once, for the turn that follows. */
  readable(kernel: Kernel): void;
}

/** How long it may go on alone, in milliseconds: immediates that keep nobody alive do not say that they wait. */
const MOST_ALONE = 4;
/** Longer than any timer needs to keep a thread alive. */
const FOR_EVER = 0x7fff_ffff;

/** Runs promises and ticks until there are none, as Node.js does between two callbacks. */
const settlePromises = (process as { readonly _tickCallback?: () => void })._tickCallback;
/** Undefined until somebody asks for it, null where there is none or nobody may use it. */
let kernel: Kernel | null | undefined;
let isUsed = false;
const slots: (Watched | null)[] = [];
const freeSlots: number[] = [];
/** Slots that events which have been fetched may still name. */
let leftSlots: number[] = [];
let count = 0;
let isArmed = false;
let isRunning = false;
/** When it was entered, as turns see the time. */
let enteredAt = 0;
/** A thread whose connections are watched here must not end, and may wait. */
let lifeline: ReturnType<typeof setInterval> | null = null;

/**
 * Lets wires that are made from now on wait for input in a loop of our own, which costs a fraction of callbacks: the thread
 * sleeps in it, and returns to the event loop of Node.js whenever that has something to do. It is for threads with clients
 * in clear; where TLS, which needs the other loop, brings all requests, it would gain nothing.
 */
export function useInputLoop(): void {
  isUsed = true;
}

/** The system calls of this thread, or null where handles read by themselves; `GATEWARDEN_WIRES=handles` makes them do so. */
export function kernelOfLoop(): Kernel | null {
  if (!isUsed) return null;
  if (kernel === undefined) {
    const isWanted = settlePromises !== undefined && process.env['GATEWARDEN_WIRES'] !== 'handles';
    kernel = isWanted ? openKernel() : null;
  }
  return kernel;
}

/** Watches a descriptor from now on. @returns its slot, or -1 where it cannot be watched. */
export function watchInput(descriptor: number, watched: Watched): number {
  const slot = freeSlots.pop() ?? slots.length;
  slots[slot] = watched;
  if (!kernel!.watch(descriptor, slot)) {
    slots[slot] = null;
    freeSlots.push(slot);
    return -1;
  }
  if (count++ === 0) {
    lifeline ??= setInterval(nothing, FOR_EVER);
    followLoop(true);
    arm();
  }
  return slot;
}

/** Watches it no more; to be called before the descriptor is closed. */
export function unwatchInput(descriptor: number, slot: number): void {
  kernel!.unwatch(descriptor);
  slots[slot] = null;
  leftSlots.push(slot);
  count--;
}

function nothing(): void {}

/** Comes back as soon as the event loop of Node.js has done what it has to do. */
function arm(): void {
  if (isArmed || isRunning) return;
  isArmed = true;
  setImmediate(run);
}

function run(): void {
  isArmed = false;
  isRunning = true;
  enteredAt = clock.now;
  forgetImmediate();
  try {
    while (count > 0 && !serve(kernel!));
  } finally {
    isRunning = false;
    if (count > 0) arm();
    else {
      if (lifeline !== null) clearInterval(lifeline);
      lifeline = null;
      followLoop(false);
    }
  }
}

/** Node.js looks after immediates when they have run, and until then its event loop says that it must not wait. */
function forgetImmediate(): void {
  const immediate = setImmediate(nothing);
  immediate.unref();
  clearImmediate(immediate);
}

/** One turn with what waits, then one wait for input. @returns whether the event loop of Node.js has something to do. */
function serve(kernel: Kernel): boolean {
  if (turnIsDue()) takeTurn(settlePromises!);
  else settlePromises!(); // of a large read, which is decided at once
  const loopTimeout = kernel.loopTimeout();
  if (leftSlots.length > 0) {
    freeSlots.push(...leftSlots);
    leftSlots = [];
  }
  const ready = kernel.wait(turnIsDue() ? 0 : loopTimeout); // promises may have written something
  let isWanted = ready < 0 || loopTimeout === 0 || clock.now - enteredAt > MOST_ALONE;
  for (let i = 0; i < ready; i++) {
    const slot = kernel.slotAt(i);
    if (slot === LOOP_SLOT) isWanted = true;
    else slots[slot]?.readable(kernel);
  }
  return isWanted; // what was read has its turn together with what that loop reads
}
