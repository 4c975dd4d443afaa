import { expect, it } from 'vitest';
import { clock, readClock } from '../../../dataplane/engine/wire/clock.ts';
import { memoryClock } from '../../../dataplane/throttling/memory-clock.ts';

/** How far two readings may be apart on a machine that is busy, in nanoseconds. */
const NEAR = 60e9;

it('counts whole nanoseconds from a start time, even one long ago', () => {
  for (const ago of [0n, 3_600_000_000_000n, 40n * 86_400_000_000_000n]) {
    const epoch = process.hrtime.bigint() - ago;
    const before = Number(process.hrtime.bigint() - epoch);
    const now = memoryClock(epoch).now();
    expect(Number.isInteger(now)).toBe(true);
    expect(Math.abs(now - before)).toBeLessThan(NEAR);
  }
});

it('returns the same time within one turn of the event loop', () => {
  const { turn, now } = memoryClock(process.hrtime.bigint());
  readClock();
  const first = turn();
  const later = now();
  expect([turn(), later >= first]).toEqual([first, true]);
  clock.now += 5;
  expect(turn() - first).toBeCloseTo(5e6, -1);
});
