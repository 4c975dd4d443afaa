/** Memory that somebody holds, all zero when it was new. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
  /** Gives it back; once nobody holds it, it is forgotten. */
  release(): void;
}

/** The same memory for the same name and size, for as long as anybody holds it. */
export type TakeMemory = (name: string, bytes: number) => SharedMemory;

/**
 * Hands out memory by name and size. `open` is asked for what nobody holds, `close` hears of what nobody holds any more.
 */
export function namedMemory(
  open: (name: string, bytes: number) => SharedArrayBuffer = (_name, bytes) => new SharedArrayBuffer(bytes),
  close: (name: string, bytes: number) => void = () => {},
): TakeMemory {
  const held = new Map<string, { readonly buffer: SharedArrayBuffer; holders: number }>();
  return function take(name, bytes) {
    const key = `${bytes} ${name}`;
    const entry = held.get(key) ?? { buffer: open(name, bytes), holders: 0 };
    held.set(key, entry);
    entry.holders++;
    let isHeld = true;
    return {
      buffer: entry.buffer,
      release() {
        if (!isHeld) return;
        isHeld = false;
        entry.holders--;
        if (entry.holders > 0) return;
        held.delete(key);
        close(name, bytes);
      },
    };
  };
}
