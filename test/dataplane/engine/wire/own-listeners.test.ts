import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { OwnListeners } from '../../../../dataplane/engine/wire/own-listeners.ts';

const outside = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .find(({ internal }) => !internal)?.address;

it.each([
  ['0.0.0.0', '127.0.0.1', 8080, true],
  ['0.0.0.0', '127.8.8.8', 8080, true],
  ['::', '127.0.0.1', 8080, true],
  ['::', '::1', 8080, true],
  ['::', '::ffff:127.0.0.1', 8080, true],
  ['::', '0.0.0.0', 8080, true],
  ['::', '0:0:0:0:0:0:0:1', 8080, true],
  ['::', '::0001', 8080, true],
  ['::', '::ffff:7f00:1', 8080, true],
  ['127.0.0.1', '::FFFF:7F00:1', 8080, true],
  ['127.0.0.1', '::', 8080, true],
  ['fd00:9::5', 'FD00:9:0::5', 8080, true],
  ['fd00:9::5', 'fd00:9::5%1', 8080, true],
  ['fd00:9::5', 'fd00:9::6', 8080, false],
  ['::', '2001:db8::1', 8080, false],
  ['::', 'localhost', 8080, false],
  ['::', '192.0.2.1', 8080, false],
  ['::', '127.0.0.1', 8081, false],
  ['127.0.0.1', '127.0.0.1', 8080, true],
  ['127.0.0.1', '0.0.0.0', 8080, true],
  ['127.0.0.1', '127.0.0.2', 8080, false],
  ...(outside === undefined ? [] : ([['::', outside, 8080, true]] as const)),
] as const)('a listener at %s port 8080 is met at %s port %i: %s', (listener, address, port, met) => {
  const own = new OwnListeners();
  own.add({ address: listener, port: 8080 });
  expect(own.has(address, port)).toBe(met);
});
