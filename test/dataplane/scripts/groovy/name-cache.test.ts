import { expect, it } from 'vitest';
import { NameCache } from '../../../../dataplane/scripts/groovy/runtime/name-cache.ts';

it('keeps few of the names that scripts make, and every member that there is', () => {
  const cache = new NameCache<number>();
  for (let at = 0; at < 10_000; at++) cache.set(`absent${at}`, 0, true);
  cache.set('x'.repeat(1_000_000), 0, true);
  expect(cache.size).toBeLessThan(300);
  for (let at = 0; at < 1000; at++) cache.set(`member${at}`, at, false);
  expect(cache.get('member999')).toBe(999);
});
