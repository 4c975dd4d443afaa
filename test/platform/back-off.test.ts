import { describe, expect, it } from 'vitest';
import { BackOff, pauseAfter } from '../../platform/back-off.ts';

const plain = { first: 100, longest: 1000, jitter: 0 };

/** The pauses after so many failures in a row. */
function pauses(backOff: BackOff, count: number): number[] {
  return Array.from({ length: count }, () => backOff.next());
}

describe('pauses between attempts', () => {
  it('double until they reach the longest', () => {
    expect(pauses(new BackOff(plain), 6)).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('start again after a success', () => {
    const backOff = new BackOff(plain);
    pauses(backOff, 5);
    backOff.reset();
    expect(backOff.next()).toBe(100);
  });

  it('stay finite after any number of failures', () => {
    expect(pauseAfter(10_000, plain)).toBe(1000);
    expect(pauseAfter(10_000, { ...plain, first: 0 })).toBe(0);
    expect(pauses(new BackOff(plain), 5000).at(-1)).toBe(1000);
  });

  it.each([
    [0, [400, 400, 400]],
    [0.5, [200, 300, 396]],
    [1, [0, 200, 392]],
  ])('leave the part %d of each pause to chance', (jitter, expected) => {
    const chosen = [0, 0.5, 0.98].map((chance) => pauseAfter(2, { ...plain, jitter, random: () => chance }));
    expect(chosen.map(Math.round)).toEqual(expected);
  });

  it('have a random part', () => {
    const chosen = Array.from({ length: 50 }, () => pauseAfter(3, { ...plain, jitter: 1 }));
    expect(new Set(chosen).size).toBeGreaterThan(1);
    expect(chosen.every((pause) => pause >= 0 && pause <= 800)).toBe(true);
  });

  it('are added to the time that a server requests', () => {
    expect(new BackOff(plain).next(5000)).toBe(5100);
  });

  it('follow the request of a server up to two minutes', () => {
    expect(new BackOff(plain).next(86_400_000)).toBe(120_100);
  });

  it('do not grow beyond a lower limit, so that they are short once the usual one holds again', () => {
    const backOff = new BackOff(plain);
    expect(Array.from({ length: 5 }, () => backOff.next(null, 200))).toEqual([100, 200, 200, 200, 200]);
    expect(backOff.next()).toBe(200);
  });
});
