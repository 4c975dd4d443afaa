import { expect, it } from 'vitest';
import { LONGEST_TIMER, systemClock } from '../../platform/clock.ts';

it('shows the time of day and a time that never goes back', () => {
  const wall = Date.now();
  const steady = systemClock.steady();
  expect(systemClock.wall()).toBeGreaterThanOrEqual(wall);
  expect(systemClock.steady()).toBeGreaterThanOrEqual(steady);
});

it('runs what is due in its order, and not what was cancelled', async () => {
  const ran: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.after(20, resolve);
    const cancel = systemClock.after(1, () => ran.push('cancelled'));
    systemClock.after(1, () => ran.push('first'));
    cancel();
  });
  expect(ran).toEqual(['first']);
});

it('knows the longest delay of a timer, beyond which Node.js does not wait at all', async () => {
  let isFired = false;
  const cancel = systemClock.after(LONGEST_TIMER, () => {
    isFired = true;
  });
  await new Promise<void>((resolve) => void systemClock.after(LONGEST_TIMER + 1, resolve));
  cancel();
  expect(isFired).toBe(false);
});
