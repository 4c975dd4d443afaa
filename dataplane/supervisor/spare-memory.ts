import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { COUNTER, type CounterName } from '../engine/wire/counters.ts';
import { letGoOfProgram } from './program-pages.ts';

/** How long after a start memory is given back, in milliseconds: by then what only the start needed is garbage. */
const AFTER = 5000;

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

/**
 * Gives memory back to the system, once, that this thread needed to start: loading the program makes the space for young
 * objects large, and an idle thread would keep it; and it reads parts of Node.js that are needed once. The thread stands still for as long as 200 ms, so that a busy one is left
 * alone, and grows what it needs again.
 */
export function giveBackLater(isBusy: () => boolean): void {
  setTimeout(() => {
    if (isBusy()) giveBackLater(isBusy);
    else giveBack();
  }, AFTER).unref();
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
