import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Tells whenever something in a directory changes, also when the directory itself is replaced: its parent is watched as
 * well. `failed` hears once when the system does not let us watch. @returns what ends it.
 */
export function watchDirectory(directory: string, heard: () => void, failed: (error: unknown) => void): () => void {
  const path = resolve(directory);
  let hasFailed = false;
  let inner: FSWatcher | null = null;

  function fail(error: unknown): void {
    // a directory that is gone is told by the watch over its parent when it is back
    if (hasFailed || isGone(error)) return;
    hasFailed = true;
    failed(error);
  }

  function begin(at: string, listener: (name: string | null) => void): FSWatcher | null {
    try {
      const watcher = watch(at, { persistent: false }, (_, name) => listener(name));
      watcher.on('error', fail);
      return watcher;
    } catch (error) {
      fail(error);
      return null;
    }
  }

  function beginInner(): void {
    inner?.close();
    inner = begin(path, heard);
  }

  const outer = begin(dirname(path), (name) => {
    if (name !== null && name !== basename(path)) return;
    beginInner();
    heard();
  });
  beginInner();
  return () => {
    outer?.close();
    inner?.close();
  };
}

function isGone(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
