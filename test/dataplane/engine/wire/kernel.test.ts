import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type Address,
  type Kernel,
  LOOP_SLOT,
  MOST_READY,
  NOTHING_YET,
  openKernel,
} from '../../../../dataplane/engine/wire/kernel.ts';
import type { NativeHandle } from '../../../../dataplane/engine/wire/native-handle.ts';

const CONNECTION_RESET = -104;
const kernel = openKernel()!;

/** Both ends of a connection; Node.js does not read the first one. */
async function pair(): Promise<{ descriptor: number; ours: Socket; peer: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  const accepted = once(server, 'connection');
  await once(server, 'listening');
  const peer = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [[ours]] = (await Promise.all([accepted, once(peer, 'connect')])) as [[Socket], unknown];
  server.close();
  onTestFinished(() => {
    ours.destroy();
    peer.destroy();
  });
  return { descriptor: (ours as unknown as { _handle: NativeHandle })._handle.fd, ours, peer };
}

/** Waits until a descriptor has input, while Node.js serves the other end. */
async function untilReady(of: Kernel): Promise<number[]> {
  for (;;) {
    const ready = Array.from({ length: of.wait(0) }, (_, i) => of.slotAt(i)).filter((slot) => slot !== LOOP_SLOT);
    if (ready.length > 0) return ready;
    await immediate();
  }
}

it('is available in the pinned Node.js', () => {
  expect(kernel).not.toBeNull();
});

it('warns nobody that it is experimental', () => {
  const warned: unknown[] = [];
  const listener = (warning: unknown): void => void warned.push(warning);
  process.on('warning', listener);
  onTestFinished(() => void process.off('warning', listener));
  openKernel();
  expect(warned).toEqual([]);
});

describe('read', () => {
  const bytes = Buffer.allocUnsafeSlow(4096).fill('.');
  const address = kernel.addressOf(bytes);

  it('writes what came at an offset, and nothing beside it', async () => {
    const { descriptor, peer } = await pair();
    expect(kernel.watch(descriptor, 5)).toBe(true);
    peer.write('hello');
    expect(await untilReady(kernel)).toEqual([5]);
    expect(kernel.read(descriptor, address, 10, 100)).toBe(5);
    expect(bytes.toString('latin1', 8, 17)).toBe('..hello..');
    kernel.unwatch(descriptor);
  });

  it('reads no more than it is asked for', async () => {
    const { descriptor, peer } = await pair();
    kernel.watch(descriptor, 6);
    peer.write('0123456789');
    await untilReady(kernel);
    bytes.fill('.');
    expect(kernel.read(descriptor, address, 0, 4)).toBe(4);
    expect(bytes.toString('latin1', 0, 6)).toBe('0123..');
    expect(await untilReady(kernel)).toEqual([6]);
    expect(kernel.read(descriptor, address, 0, 100)).toBe(6);
    kernel.unwatch(descriptor);
  });

  it('tells nothing yet, an end and an error from each other', async () => {
    const { descriptor, peer } = await pair();
    kernel.watch(descriptor, 7);
    expect(kernel.read(descriptor, address, 0, 100)).toBe(NOTHING_YET);
    peer.end();
    await untilReady(kernel);
    expect(kernel.read(descriptor, address, 0, 100)).toBe(0);
    kernel.unwatch(descriptor);
    const other = await pair();
    kernel.watch(other.descriptor, 8);
    other.peer.resetAndDestroy();
    expect(await untilReady(kernel)).toEqual([8]);
    expect(kernel.read(other.descriptor, address, 0, 100)).toBe(CONNECTION_RESET);
    kernel.unwatch(other.descriptor);
    expect(kernel.read(-1, address, 0, 100)).toBe(-9);
  });

  it('carries into the upper half of an address', async () => {
    const { descriptor, peer } = await pair();
    kernel.watch(descriptor, 9);
    peer.write('over');
    await untilReady(kernel);
    bytes.fill('.');
    const same: Address = { low: address.low + 2 ** 32, high: address.high - 1 };
    expect(kernel.read(descriptor, same, 20, 100)).toBe(4);
    expect(bytes.toString('latin1', 19, 25)).toBe('.over.');
    kernel.unwatch(descriptor);
  });

  it('knows the place of a part of a buffer', async () => {
    const { descriptor, peer } = await pair();
    kernel.watch(descriptor, 10);
    peer.write('part');
    await untilReady(kernel);
    bytes.fill('.');
    expect(kernel.read(descriptor, kernel.addressOf(bytes.subarray(1000)), 1, 100)).toBe(4);
    expect(bytes.toString('latin1', 1000, 1006)).toBe('.part.');
    kernel.unwatch(descriptor);
  });
});

describe('wait', () => {
  it('reports every descriptor by its slot, and none that is not watched any more', async () => {
    const pairs = await Promise.all(Array.from({ length: 40 }, pair));
    for (const [i, { descriptor }] of pairs.entries()) kernel.watch(descriptor, 100 + i);
    for (const { peer } of pairs) peer.write('x');
    const seen = new Set<number>();
    while (seen.size < pairs.length) for (const slot of await untilReady(kernel)) seen.add(slot);
    expect([...seen].sort()).toEqual(pairs.map((_, i) => 100 + i));
    for (const { descriptor } of pairs.slice(1)) kernel.unwatch(descriptor);
    expect(await untilReady(kernel)).toEqual([100]);
    kernel.unwatch(pairs[0]!.descriptor);
  });

  it('reports a part of many, and the others next time', async () => {
    const pairs = await Promise.all(Array.from({ length: MOST_READY + 20 }, pair));
    for (const [i, { descriptor }] of pairs.entries()) kernel.watch(descriptor, i);
    for (const { peer } of pairs) peer.write('x');
    const seen = new Set<number>();
    while (seen.size < pairs.length) {
      const slots = await untilReady(kernel);
      expect(slots.length).toBeLessThanOrEqual(MOST_READY);
      for (const slot of slots) seen.add(slot);
    }
    for (const { descriptor } of pairs) kernel.unwatch(descriptor);
  });

  it('cannot watch what is no descriptor, nor the same one twice', async () => {
    const { descriptor } = await pair();
    expect(kernel.watch(-1, 1)).toBe(false);
    expect(kernel.watch(descriptor, 1)).toBe(true);
    expect(kernel.watch(descriptor, 2)).toBe(false);
    kernel.unwatch(descriptor);
  });
});

describe('loopTimeout', () => {
  it('is 0 while an immediate waits', () => {
    const waiting = setImmediate(() => {});
    expect(kernel.loopTimeout()).toBe(0);
    clearImmediate(waiting);
  });

  it('is 0 while a handle has to be watched, until the event loop has turned', async () => {
    const { ours } = await pair();
    await immediate();
    ours.resume();
    expect(kernel.loopTimeout()).toBe(0);
  });
});
