import { expect, it } from 'vitest';
import { readAddress } from '../../../cli/options/address.ts';

it.each([
  ['127.0.0.1:8080', '127.0.0.1', 8080],
  ['localhost:0', 'localhost', 0],
  ['[::1]:80', '::1', 80],
  ['[::ffff:127.0.0.1]:80', '::ffff:127.0.0.1', 80],
  [':65535', undefined, 65_535],
])('reads %s', (text, host, port) => {
  expect(readAddress(text)).toEqual({ value: { host, port } });
});

it.each(['', '8080', 'localhost', 'localhost:', '::1:80', '[]:80', 'a b:80', 'http://a:80', ':65536', ':-1'])(
  'refuses %j',
  (text) => {
    expect(readAddress(text)).toEqual({ problem: expect.any(String) });
  },
);
