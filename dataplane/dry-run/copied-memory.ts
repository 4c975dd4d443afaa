import type { TakeMemory } from '../heap/shared-memory.ts';

/** Hands out copies of memory, so that changes stay without effect for those who hold it. */
export function copiedMemory(take: TakeMemory): TakeMemory {
  return (name, bytes) => {
    const live = take(name, bytes);
    const buffer = new SharedArrayBuffer(bytes);
    new Uint8Array(buffer).set(new Uint8Array(live.buffer));
    live.release();
    return { buffer, release() {} };
  };
}
