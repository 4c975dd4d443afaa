import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { RingProducer } from '../../../dataplane/audit/link/ring-producer.ts';

/** What a test tells the thread that runs this file. */
export interface RingFilling {
  readonly memory: SharedArrayBuffer;
  /** How many events to write; without it, until the thread ends. */
  readonly events?: number;
  readonly seed: number;
}

/** The event of a number: sizes and characters differ, and the reader can tell what it should be. */
export function fillerEvent(number: number, seed: number): string {
  const size = (Math.imul(number + 1, seed) >>> 8) % 3000;
  return JSON.stringify({ text: '€b\u2028"'.repeat(size >> 2) + 'x'.repeat(size & 3), _id: `${number}` });
}

if (!isMainThread && parentPort !== null) {
  const { memory, events = Number.POSITIVE_INFINITY, seed } = workerData as RingFilling;
  const ring = new RingProducer(memory);
  const full = new Int32Array(new SharedArrayBuffer(4));
  let timesFull = 0;
  for (let number = 0; number < events; number++) {
    while (ring.write(number % 7, number % 3, fillerEvent(number, seed)) === 'full') {
      timesFull++;
      Atomics.wait(full, 0, 0, 1);
    }
  }
  parentPort.postMessage({ timesFull });
}
