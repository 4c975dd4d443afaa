import { randomBytes, randomInt } from 'node:crypto';
import type { ByteArray } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { Double, Float } from '../../values/numbers.ts';
import { type Stream, streamOf } from '../functional/stream.ts';

const MASK = (1n << 48n) - 1n;
const FACTOR = 0x5deece66dn;

/** Java's generator, so that a script with a seed gets the numbers that it gets elsewhere. */
class Random implements Obj {
  readonly javaClass: JavaClass;
  #seed = 0n;
  #gaussian: number | null = null;

  constructor(rt: Runtime, seed: bigint) {
    this.javaClass = rt.class('java.util.Random');
    this.reset(seed);
  }

  reset(seed: bigint): void {
    this.#seed = (BigInt.asUintN(64, seed) ^ FACTOR) & MASK;
    this.#gaussian = null;
  }

  bits(count: number): number {
    this.#seed = (this.#seed * FACTOR + 0xbn) & MASK;
    return Number(BigInt.asIntN(32, this.#seed >> BigInt(48 - count)));
  }

  below(rt: Runtime, bound: number): number {
    if (bound <= 0) rt.fail('java.lang.IllegalArgumentException', 'bound must be positive');
    let bits = this.bits(31);
    if ((bound & (bound - 1)) === 0) return Number((BigInt(bound) * BigInt(bits)) >> 31n);
    let value = bits % bound;
    while (bits - value + (bound - 1) > 0x7fffffff) {
      bits = this.bits(31);
      value = bits % bound;
    }
    return value;
  }

  double(): number {
    const high = this.bits(26);
    return (high * 2 ** 27 + this.bits(27)) / 2 ** 53;
  }

  gaussian(): number {
    if (this.#gaussian !== null) {
      const kept = this.#gaussian;
      this.#gaussian = null;
      return kept;
    }
    for (;;) {
      const [x, y] = [2 * this.double() - 1, 2 * this.double() - 1];
      const size = x * x + y * y;
      if (size >= 1 || size === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(size)) / size);
      this.#gaussian = y * factor;
      return x * factor;
    }
  }
}

/** Java draws bounded numbers of a stream by another rule than `nextInt(bound)`. */
function bounded(rt: Runtime, random: Random, from: number, bound: number): number {
  if (from >= bound) rt.fail('java.lang.IllegalArgumentException', 'bound must be greater than origin');
  const range = bound - from;
  if (range > 0x7fffffff) {
    for (;;) {
      const value = random.bits(32);
      if (value >= from && value < bound) return value;
    }
  }
  return random.below(rt, range) + from;
}

function randomStream(rt: Runtime, count: bigint, make: () => number): Stream {
  rt.budget.spend(Number(count));
  rt.budget.allocate(Number(count) * 8);
  return streamOf(rt, Array.from({ length: Number(count) }, make), 'int');
}

export const randomClasses: readonly ClassSpec[] = [
  {
    name: 'java.util.Random',
    constructors: {
      '()': (rt) => new Random(rt, randomBytes(8).readBigInt64BE()),
      '(long)': (rt, _self: Value, [seed]: [bigint]) => new Random(rt, seed),
    },
    methods: {
      'setSeed(long)': (_rt, self: Random, [seed]: [bigint]) => self.reset(seed),
      'nextInt()': (_rt, self: Random) => self.bits(32),
      'nextInt(int)': (rt, self: Random, [bound]: [number]) => self.below(rt, bound),
      'nextInt(int, int)': (rt, self: Random, [from, bound]: [number, number]) => bounded(rt, self, from, bound),
      'nextBoolean()': (_rt, self: Random) => self.bits(1) !== 0,
      'nextLong()': (_rt, self: Random) => BigInt.asIntN(64, (BigInt(self.bits(32)) << 32n) + BigInt(self.bits(32))),
      'nextDouble()': (_rt, self: Random) => new Double(self.double()),
      'nextFloat()': (_rt, self: Random) => new Float(self.bits(24) / 2 ** 24),
      'nextGaussian()': (_rt, self: Random) => new Double(self.gaussian()),
      'nextBytes(byte[])': (rt, self: Random, [array]: [ByteArray]) => {
        rt.budget.spend(array.bytes.length);
        let word = 0;
        for (let at = 0; at < array.bytes.length; at++) {
          if (at % 4 === 0) word = self.bits(32);
          array.bytes[at] = word & 0xff;
          word >>= 8;
        }
      },
      'ints(long)': (rt, self: Random, [count]: [bigint]) => randomStream(rt, count, () => self.bits(32)),
      'ints(long, int, int)': (rt, self: Random, [count, from, bound]: [bigint, number, number]) =>
        randomStream(rt, count, () => bounded(rt, self, from, bound)),
    },
  },
  {
    name: 'java.util.concurrent.ThreadLocalRandom',
    superclass: 'java.util.Random',
    statics: { 'current()': (rt) => new Random(rt, randomBytes(8).readBigInt64BE()) },
  },
  {
    name: 'java.security.SecureRandom',
    superclass: 'java.util.Random',
    methods: {
      'nextInt(int)': (rt, _self: Value, [bound]: [number]) =>
        bound > 0 ? randomInt(bound) : rt.fail('java.lang.IllegalArgumentException', 'bound must be positive'),
    },
  },
];
