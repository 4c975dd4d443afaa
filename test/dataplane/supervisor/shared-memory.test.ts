import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { PlaneMemory } from '../../../dataplane/supervisor/shared-memory.ts';
import type { MemoryOrder } from '../../support/state/memory-user.ts';

/** A thread that uses memory of the plane. */
async function startUser(plane: PlaneMemory): Promise<{
  tell(kind: MemoryOrder['kind'], name: string, bytes?: number): Promise<number | string>;
  end(): Promise<void>;
}> {
  const link = plane.link();
  const worker = new Worker(new URL('../../support/state/memory-user.ts', import.meta.url), {
    workerData: { link },
    transferList: [link.port],
  });
  await once(worker, 'online');
  const end = async (): Promise<void> => void (await worker.terminate());
  onTestFinished(end);
  return {
    async tell(kind, name, bytes = 8) {
      worker.postMessage({ kind, name, bytes } satisfies MemoryOrder);
      const [answer] = (await once(worker, 'message')) as [number | string];
      return answer;
    },
    end,
  };
}

it('is one memory for all threads', async () => {
  const plane = new PlaneMemory();
  const [one, other] = [await startUser(plane), await startUser(plane)];
  expect([await one.tell('take', 'a'), await other.tell('take', 'a')]).toEqual([0, 0]);
  expect([await one.tell('add', 'a'), await other.tell('add', 'a'), await one.tell('add', 'a')]).toEqual([1, 2, 3]);
  expect(await other.tell('take', 'b')).toBe(0);
});

it('is kept while one of them references it', async () => {
  const plane = new PlaneMemory();
  const [one, other] = [await startUser(plane), await startUser(plane)];
  for (const user of [one, other]) await user.tell('take', 'a');
  await one.tell('add', 'a');
  await one.tell('release', 'a');
  expect(await one.tell('take', 'a')).toBe(1);
  for (const user of [one, other]) await user.tell('release', 'a');
  expect(await other.tell('take', 'a')).toBe(0);
});

it('is released by a thread that dies', async () => {
  const plane = new PlaneMemory();
  const [one, other] = [await startUser(plane), await startUser(plane)];
  for (const user of [one, other]) await user.tell('take', 'kept');
  await one.tell('add', 'kept');
  await one.tell('take', 'own');
  await one.tell('add', 'own');
  await one.end();
  expect(await other.tell('add', 'kept')).toBe(2);
  // the news of its end comes on a port of its own
  await expect
    .poll(async () => {
      const found = await other.tell('take', 'own');
      await other.tell('release', 'own');
      return found;
    })
    .toBe(0);
});

it('reports when there is none', async () => {
  const user = await startUser(new PlaneMemory());
  expect(await user.tell('take', 'a', -1)).toMatch(/^the data plane has no memory for it: /);
  expect(await user.tell('take', 'a', 8)).toBe(0);
});

it('is the same for a unit in the thread of the supervisor, until that gives all of it back', async () => {
  const plane = new PlaneMemory();
  const user = await startUser(plane);
  await user.tell('take', 'a');
  await user.tell('add', 'a');
  const lent = plane.lent();
  const memory = lent.take('a', 8);
  expect(new Int32Array(memory.buffer)[0]).toBe(1);
  lent.take('a', 8);
  new Int32Array(lent.take('own', 8).buffer)[0] = 7;
  memory.release();
  lent.release();
  expect(await user.tell('take', 'own')).toBe(0);
  expect(await user.tell('add', 'a')).toBe(2);
});
