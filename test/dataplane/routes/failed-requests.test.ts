import { expect, it } from 'vitest';
import { FailedRequests } from '../../../dataplane/routes/failed-requests.ts';

it('logs the first failures of a second, and later how many were left out', () => {
  const logged: object[] = [];
  let now = 5;
  const failures = new FailedRequests({ error: (fields: object) => void logged.push(fields) }, () => now);
  const error = new Error('nothing works');
  for (let i = 0; i < 500; i++) failures.add('orders', error);
  expect(logged).toEqual(Array.from({ length: 10 }, () => ({ route: 'orders', err: error })));
  now += 999;
  failures.add('orders', error);
  expect(logged).toHaveLength(10);
  now += 1;
  failures.add('orders', error);
  failures.add('stock', error);
  expect(logged.slice(10)).toEqual([
    { route: 'orders', err: error, leftOut: 491 },
    { route: 'stock', err: error },
  ]);
});
