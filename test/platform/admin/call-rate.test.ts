import { expect, it, onTestFinished } from 'vitest';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';
import { CallRate, rateGuard } from '../../../platform/admin/call-rate.ts';
import { crestRefusal } from '../../../platform/admin/crest-path.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';

const each = { most: 2, perMillisecond: 0.001 };
const all = { most: 3, perMillisecond: 1 };

it('limits the calls of each caller and those of all together', async () => {
  const clock = new ManualClock();
  const rate = new CallRate({ each, all, clock });
  expect([rate.take('a'), rate.take('a'), rate.take('a')]).toEqual([true, true, false]);
  expect([rate.take('b'), rate.take('b')]).toEqual([true, false]);
  await clock.pass(3);
  expect(rate.take('c')).toBe(true);
  await clock.pass(1000);
  expect([rate.take('a'), rate.take('a')]).toEqual([true, false]);
});

it('counts the time of long calls', async () => {
  const clock = new ManualClock();
  const rate = new CallRate({ each, all, clock });
  rate.charge(1000);
  await clock.pass(3);
  expect(rate.take('a')).toBe(false);
  await clock.pass(3);
  expect(rate.take('a')).toBe(true);
});

it('answers 429 with Retry-After and the error body of the path', async () => {
  const rate = new CallRate({ each: { most: 1, perMillisecond: 0 }, all: { most: 9, perMillisecond: 0 } });
  const table = new AdminTable([
    {
      ...{ method: 'GET', path: '/x', guard: rateGuard(openGuard, rate), refused: crestRefusal },
      answer: () => ({ status: 204, type: '', body: '' }),
    },
  ]);
  const server = new AdminServer({ table: () => table, guard: openGuard, failed: () => {} });
  onTestFinished(() => server.close());
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = () => fetch(`http://127.0.0.1:${port}/x`);
  expect((await ask()).status).toBe(204);
  const second = await ask();
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await second.json()).toEqual({ code: 429, reason: 'Too Many Requests', message: 'too many requests' });
});
