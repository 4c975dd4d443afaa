import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory for the rest of the test, and what of it this process has open. */
export interface WatchedDirectory {
  readonly path: string;
  /** Files in it that are open, also those without a name. */
  open(): number;
  /** Names in it. */
  names(): readonly string[];
}

export function watchedDirectory(): WatchedDirectory {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return {
    path,
    open: () => openFiles().filter((file) => file.startsWith(path)).length,
    names: () => readdirSync(path),
  };
}

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return []; // closed since it was listed
    }
  });
}
