import { clock, readClock } from './clock.ts';

/** How often deadlines are looked at: time-outs are this exact. */
const INTERVAL = 100;

/** Something with a deadline on the engine's clock. Moving the deadline is a store; no timer is touched. */
export interface Swept {
  deadline: number;
  /** Its place in the list; -1 when it is not watched. */
  slot: number;
  /** The deadline has passed: set a new one, or end. */
  overdue(now: number): void;
}

/** Never. */
export const NEVER = Number.MAX_SAFE_INTEGER;

const watched: Swept[] = [];
let timer: NodeJS.Timeout | null = null;

export function watch(item: Swept): void {
  if (item.slot >= 0) return;
  item.slot = watched.length;
  watched.push(item);
  if (timer === null) {
    timer = setInterval(sweep, INTERVAL);
    timer.unref();
  }
}

export function unwatch(item: Swept): void {
  if (item.slot < 0) return;
  const last = watched.pop()!;
  if (last !== item) {
    watched[item.slot] = last;
    last.slot = item.slot;
  }
  item.slot = -1;
  if (watched.length === 0 && timer !== null) {
    clearInterval(timer);
    timer = null;
  }
}

/** Backwards, because an item may leave while it is asked. */
function sweep(): void {
  readClock();
  for (let i = watched.length - 1; i >= 0; i--) {
    const item = watched[i];
    if (item !== undefined && item.deadline <= clock.now) item.overdue(clock.now);
  }
}
