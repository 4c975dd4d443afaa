import { expect, it } from 'vitest';
import { MessageBudget } from '../../../../controller/publish/channel/message-budget.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const MEBIBYTE = 1024 * 1024;

it('allows a burst and a lower sustained rate', async () => {
  const clock = new ManualClock();
  const budget = new MessageBudget(clock);
  for (let i = 0; i < 63; i++) expect(budget.take(MEBIBYTE)).toBe(true);
  expect(budget.take(MEBIBYTE)).toBe(false);
  await clock.pass(10_000);
  for (let i = 0; i < 15; i++) expect(budget.take(MEBIBYTE)).toBe(true);
});

it('counts empty messages too', () => {
  const budget = new MessageBudget(new ManualClock());
  let taken = 0;
  while (budget.take(20)) taken++;
  expect(taken).toBeGreaterThan(30_000);
  expect(taken).toBeLessThan(40_000);
});
