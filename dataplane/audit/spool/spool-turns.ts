import { resolve } from 'node:path';

/** By directory: tells the handler that has a spool open that another one waits for it. */
const holders = new Map<string, () => void>();
/** By directory: handlers that wait for a spool. */
const waiting = new Map<string, Set<() => void>>();

/**
 * Turns at the spools of this thread. A changed configuration opens the next handler of a spool before it closes the
 * one before: the next one waits, and the one before leaves what it has to it.
 */
export const spoolTurns = {
  /** A handler has the spool open. @param wanted called when another one begins to wait for it */
  hold(directory: string, wanted: () => void): void {
    holders.set(resolve(directory), wanted);
  },

  /** The spool is free: those that wait for it may try. */
  release(directory: string): void {
    const key = resolve(directory);
    holders.delete(key);
    for (const ready of [...(waiting.get(key) ?? [])]) ready();
  },

  /** Waits for a spool. @returns ends the wait */
  wait(directory: string, ready: () => void): () => void {
    const key = resolve(directory);
    const all = waiting.get(key) ?? new Set();
    waiting.set(key, all);
    all.add(ready);
    holders.get(key)?.();
    return () => {
      all.delete(ready);
      if (all.size === 0 && waiting.get(key) === all) waiting.delete(key);
    };
  },

  /** True while a handler waits for the spool, whose events it will deliver. */
  isAwaited(directory: string): boolean {
    return waiting.has(resolve(directory));
  },
};
