import { expect, it } from 'vitest';
import { RefillingBudget } from '../../platform/refilling-budget.ts';
import { ManualClock } from '../support/gateways/manual-clock.ts';

it('gives what is there and refills with time, up to its most', async () => {
  const clock = new ManualClock();
  const budget = new RefillingBudget({ most: 10, perMillisecond: 0.5 }, clock);
  expect([budget.take(8), budget.take(3), budget.take(2), budget.take(1)]).toEqual([true, false, true, false]);
  await clock.pass(4);
  expect([budget.take(3), budget.take(2)]).toEqual([false, true]);
  await clock.pass(1000);
  expect([budget.takeUpTo(25), budget.takeUpTo(25)]).toEqual([10, 0]);
  await clock.pass(3);
  expect(budget.takeUpTo(25)).toBe(1);
});
