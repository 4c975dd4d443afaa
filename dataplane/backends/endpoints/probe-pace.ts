import type { Parts } from '../../heap/definition.ts';

/** Probes that the Backends of one tenant send in a second, from all units of a plane together. */
const PROBES_PER_SECOND = 100;
const GAP = 1000 / PROBES_PER_SECOND;

/** Returns the milliseconds after which the next probe may be sent, and takes that place. */
export type ProbePace = () => number;

/** Milliseconds on a clock that all threads of the process share; they wrap. */
function sharedNow(): number {
  return Math.floor(performance.timeOrigin + performance.now()) | 0;
}

/** Places for probes in shared memory, `GAP` milliseconds apart. */
export function probePace(memory: SharedArrayBuffer, now: () => number = sharedNow): ProbePace {
  const words = new Int32Array(memory);
  return function next() {
    for (;;) {
      const free = Atomics.load(words, 0);
      const time = now();
      const ahead = free === 0 ? 0 : Math.max(0, (free - time) | 0);
      if (Atomics.compareExchange(words, 0, free, (time + ahead + GAP) | 0 || 1) === free) return ahead;
    }
  };
}

/** The pace of a tenant's probes, however many Backends it has; null for operators. */
export function tenantPace({ plane, realm, onClose }: Parts): ProbePace | null {
  if (plane.egress === undefined) return null;
  const memory = plane.sharedMemory(`probes of ${realm}`, Int32Array.BYTES_PER_ELEMENT);
  onClose(() => memory.release());
  return probePace(memory.buffer);
}
