import { expect, it } from 'vitest';
import { ApiContact } from '../../../../controller/cluster/api/api-contact.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

it('logs once that contact with the API server is lost after a minute, and once that it is back', async () => {
  const clock = new ManualClock();
  let answeredAt = 0;
  const said: boolean[] = [];
  const contact = new ApiContact({ answeredAt: () => answeredAt, changed: (isLost) => said.push(isLost), clock });
  contact.start();
  await clock.pass(59_000);
  expect(said).toEqual([]);
  await clock.pass(120_000);
  expect(said).toEqual([true]);
  answeredAt = clock.steady();
  await clock.pass(10_000);
  expect(said).toEqual([true, false]);
  contact.close();
  expect(clock.pending).toBe(0);
});
