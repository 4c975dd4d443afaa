/** How often a lock is looked at before its holder is given time. */
const SPINS = 100;
/** Rounds of a millisecond in which the holder of a lock may stand still; whoever holds one needs far less than one. */
const PATIENCE = 1000;

/**
 * A lock in shared memory is one word that counts: even when it is free, odd while somebody holds it. A thread that
 * ends while it holds one would keep it, hence a lock that stands still for very long is taken from its holder.
 *
 * @returns what `unlock` needs.
 */
export function lock(words: Int32Array, at: number): number {
  for (;;) {
    const seen = Atomics.load(words, at);
    const held = (seen + 1) | 0;
    if ((seen & 1) === 0 && Atomics.compareExchange(words, at, seen, held) === seen) return held;
    untilFree(words, at);
  }
}

/** Gives a lock back, unless it was taken away in the meantime. */
export function unlock(words: Int32Array, at: number, held: number): void {
  Atomics.compareExchange(words, at, held, (held + 1) | 0);
}

/** Waits until a lock has been given back, or takes it from a holder that is gone. */
export function untilFree(words: Int32Array, at: number): void {
  const seen = Atomics.load(words, at);
  if ((seen & 1) === 0) return;
  for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(words, at) !== seen) return;
  for (let round = 0; round < PATIENCE; round++) if (Atomics.wait(words, at, seen, 1) === 'not-equal') return;
  unlock(words, at, seen);
}
