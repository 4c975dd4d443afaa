import { expect, it } from 'vitest';
import { LONGEST_TIMER, systemClock } from '../../platform/clock.ts';

it('returns the time of day and a monotonic time', () => {
  const wall = Date.now();
  const steady = systemClock.steady();
  expect(systemClock.wall()).toBeGreaterThanOrEqual(wall);
  expect(systemClock.steady()).toBeGreaterThanOrEqual(steady);
});

it('runs due timers in order, without cancelled ones', async () => {
  const ran: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.after(20, resolve);
    const cancel = systemClock.after(1, () => ran.push('cancelled'));
    systemClock.after(1, () => ran.push('first'));
    cancel();
  });
  expect(ran).toEqual(['first']);
});

it('limits delays to the maximum of Node.js timers', async () => {
  let isFired = false;
  const cancel = systemClock.after(LONGEST_TIMER, () => {
    isFired = true;
  });
  await new Promise<void>((resolve) => void systemClock.after(LONGEST_TIMER + 1, resolve));
  cancel();
  expect(isFired).toBe(false);
});
