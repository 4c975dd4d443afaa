import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { COUNTER, type CounterName } from '../engine/wire/counters.ts';
import { letGoOfProgram } from './program-pages.ts';

/** Milliseconds between two looks, and from a start to the first: by then what only the start needed is garbage. */
const EVERY = 5000;
/** Looks between two times: a thread stands still for it. */
const PAUSE = 24;
/** Bytes by which the heap of an idle thread has to grow before it gives back again, and the same as a share of the heap. */
const GROWTH = 3 << 20;
const SHARE = 0.1;

/** Bytes in use beyond which a thread keeps what it has: it would stand still for a fifth of a second and more. */
const LARGEST_HEAP = 96 << 20;

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Answers between two looks that are no traffic yet: to probes. */
const PROBES = 10;

const ACTIVE = ['requestsActive', 'tunnelsOpen', 'webSocketsOpen'] as const;
const ANSWERED = ['status2xx', 'status3xx', 'status4xx', 'status5xx', 'statusOther'] as const;

/** Tells whether the thread of these figures serves traffic, or did since it was asked last. */
export function servesTraffic(block: Float64Array): () => boolean {
  const sum = (names: readonly CounterName[]): number => names.reduce((all, name) => all + block[COUNTER[name]]!, 0);
  let answered = 0;
  return () => {
    const before = answered;
    answered = sum(ANSWERED);
    return sum(ACTIVE) > 0 || answered - before > PROBES;
  };
}

/** Processor time of a thread between two looks that is no work yet: timers and messages. In microseconds. */
const RESTLESS = EVERY * 30;

/** Tells whether this thread worked since it was asked last: compiled a change, wrote statuses. */
export function isAtWork(): () => boolean {
  let before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    return user + system > RESTLESS;
  };
}

/**
 * Gives memory back to the system that an idle thread does not need: loading the program makes the space for young objects
 * large, and reads parts of Node.js that are needed once; changes of the configuration and probes fill that space again. The
 * thread stands still for as long as 200 ms, so that a busy one is left alone, and grows what it needs anew.
 */
export function giveBackAtRest(hasTraffic: () => boolean = () => false): void {
  const works = isAtWork();
  const isBusy = (): boolean => [hasTraffic(), works()].includes(true); // each is asked at every look
  const heap = (): number => getHeapStatistics().total_physical_size;
  setInterval(lookAfterMemory(isBusy, heap, giveBack), EVERY).unref();
}

/** Returns a look at a thread, which gives back when it is time. @param heap tells how many bytes of the heap of this thread are in memory */
export function lookAfterMemory(isBusy: () => boolean, heap: () => number, give: () => void): () => void {
  let least = Number.NEGATIVE_INFINITY; // since memory was given back: V8 itself goes on collecting for half a minute
  let pause = 0;
  return () => {
    const now = heap();
    least = Math.min(least, now);
    pause--;
    if (isBusy() || pause > 0 || now - least <= Math.max(GROWTH, least * SHARE)) return;
    give();
    pause = PAUSE;
    least = heap();
  };
}

function giveBack(): void {
  collectAll();
  letGoOfProgram();
}

function collectAll(): void {
  if (getHeapStatistics().used_heap_size > LARGEST_HEAP) return;
  // the flag is one for all threads, and stays: another one may be about to rely on it
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext("typeof gc === 'function' ? gc : null") as Collect | null;
  collect?.({ type: 'major', flavor: 'last-resort' });
}
