import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { SharedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { linkedMemory, type MemoryLink } from '../../../dataplane/supervisor/shared-memory.ts';

/** What a test tells the thread that runs this file; it answers each with the first number of the memory, or a text. */
export interface MemoryOrder {
  readonly kind: 'take' | 'add' | 'release';
  readonly name: string;
  readonly bytes: number;
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const take = linkedMemory((workerData as { readonly link: MemoryLink }).link);
  const held = new Map<string, SharedMemory>();
  port.on('message', ({ kind, name, bytes }: MemoryOrder) => {
    try {
      if (kind === 'take') held.set(name, take(name, bytes));
      const memory = held.get(name)!;
      const numbers = new Int32Array(memory.buffer);
      if (kind === 'add') Atomics.add(numbers, 0, 1);
      if (kind === 'release') memory.release();
      port.postMessage(Atomics.load(numbers, 0));
    } catch (error) {
      port.postMessage((error as Error).message);
    }
  });
}
