import { expect, it } from 'vitest';
import { buildObject } from '../../support/gateways/built-object.ts';

it('returns the time of the machine', () => {
  const { object: now } = buildObject('clock', 'Clock');
  const before = Date.now();
  const told = now();
  expect(told).toBeGreaterThanOrEqual(before);
  expect(told).toBeLessThanOrEqual(Date.now());
});

it('has nothing to configure', () => {
  expect(() => buildObject('clock', 'Clock', { zone: 'UTC' })).toThrow("there is no field 'zone' here");
});
