import { expect, it } from 'vitest';
import { PlaneArrivals } from '../../../../controller/publish/channel/plane-arrivals.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

it('allows eight concurrent streams for each data plane', () => {
  const arrivals = new PlaneArrivals(new ManualClock());
  for (let i = 0; i < 8; i++) expect(arrivals.enter('a')).toBeNull();
  expect(arrivals.enter('a')).toContain('does not close its old streams');
  expect(arrivals.enter('b')).toBeNull();
  arrivals.leave('a');
  expect(arrivals.enter('a')).toBeNull();
});

it('allows sixty new streams per minute for a data plane', async () => {
  const clock = new ManualClock();
  const arrivals = new PlaneArrivals(clock);
  const comeAndGo = (): string | null => {
    const refusal = arrivals.enter('a');
    if (refusal === null) arrivals.leave('a');
    return refusal;
  };
  for (let i = 0; i < 60; i++) expect(comeAndGo()).toBeNull();
  expect(comeAndGo()).toContain('too often');
  await clock.pass(60_000);
  expect(comeAndGo()).toBeNull();
});
