import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { OwnListeners } from '../../../dataplane/http/own-listeners.ts';

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
