/** Returns numbers below 2^32. Each unit begins at another one, so that units do not choose alike. */
export type RandomNumbers = () => number;

/** Random numbers without an allocation (xorshift); the same for the same seed. */
export function randomNumbers(seed: number = Math.random() * 0x1_0000_0000): RandomNumbers {
  let state = seed >>> 0 || 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
