import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What this process holds, in bytes, after everything that nobody needs is gone. */
export interface MemoryUse {
  readonly arrayBuffers: number;
  /** Objects of the program. */
  readonly heap: number;
  readonly resident: number;
}

export function memoryUse(): MemoryUse {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect(); // the first one only finds out which buffers can go
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage();
  return { arrayBuffers, heap: heapUsed, resident: rss };
}
