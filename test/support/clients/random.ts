import type { Pace } from '../backends/byte-pattern.ts';
import { nextTurn } from './event-loop.ts';

/** Numbers from 0 to `below`, the same for the same seed: a failure can be seen again. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed + 0x9e3779b9;
  return (below) => {
    state = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    state = Math.imul(state ^ (state >>> 15), 0x735a2d97);
    state ^= state >>> 15;
    return (state >>> 0) % below;
  };
}

/** Goes on at once most of the time, and now and then after a few turns of the event loop. */
export function randomPace(seed: number): Pace {
  const random = randomNumbers(seed);
  return async () => {
    if (random(4) !== 0) return;
    for (let turns = random(12); turns > 0; turns--) await nextTurn();
  };
}
