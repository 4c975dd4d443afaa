import { expect, it } from 'vitest';
import { readNetworks } from '../../../cli/options/networks.ts';

it('reads networks and single addresses of both families', () => {
  expect(readNetworks('10.0.0.0/8, 192.0.2.1,fd00::/8,::1')).toEqual({
    value: ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1'],
  });
});

it('reads none as an empty list', () => {
  expect(readNetworks('none')).toEqual({ value: [] });
});

it.each([
  '',
  '10.0.0.0/33',
  '::/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0/8',
  'localhost',
  '10.0.0.0/8,',
  'fe80::1%eth0',
  '10.0.0.0/1e1',
  '10.0.0.0/0x8',
  '10.0.0.0/ ',
  '10.0.0.0/+8',
])('refuses %j', (text) => {
  expect(readNetworks(text)).toEqual({ problem: expect.stringContaining('must list networks') });
});
