import type { RandomNumbers } from './random-numbers.ts';
import { mixed, textHash } from './text-hash.ts';

const BELOW = 2 ** 32;
/** Makes places here independent of those on a hash ring: a share of the keys must not be a part of the ring. */
const SALT = 0x5bd1e995;

/** Targets with shares of all requests. */
export class WeightedTargets {
  private readonly random: RandomNumbers;
  /** Sums of the weights up to each target. */
  private readonly sums: readonly number[];
  private readonly total: number;

  constructor(weights: readonly number[], random: RandomNumbers) {
    this.random = random;
    let sum = 0;
    this.sums = weights.map((weight) => {
      sum += weight;
      return sum;
    });
    this.total = sum;
  }

  /** Index of the target for a key, always the same; of a random one without a key. */
  choose(key: string | null): number {
    const number = key === null || key === '' ? this.random() : mixed(textHash(key) ^ SALT);
    const at = (number / BELOW) * this.total;
    let index = 0;
    while (this.sums[index]! <= at) index++;
    return index;
  }
}
