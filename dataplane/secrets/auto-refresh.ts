import { z } from 'zod';
import { flag } from '../../contract/vocabulary/configured.ts';
import { type Reference, ref } from '../../contract/vocabulary/reference.ts';
import { watchDirectory } from '../../platform/watched-directory.ts';
import type { Parts } from '../heap/definition.ts';

/** Whoever replaces a file does it in several steps, and all of them are one change. */
const SETTLE_MILLISECONDS = 20;

/** The field `autoRefresh` of stores that are kept in files. */
export function autoRefresh(description: string) {
  return z
    .strictObject({
      enabled: flag().default(true).describe('Whether changes are detected before the lease expires.'),
      executor: ref('executor')
        .prefault('ScheduledExecutorService')
        .describe('Runs the reload after a change, if `enabled` is true.'),
    })
    .prefault({})
    .describe(description);
}

/** Has something done, once, some moments after a file of a directory changed. @returns says that there is a change. */
export function refreshing(
  executor: Reference<'executor'>,
  directory: string,
  refresh: () => void | Promise<void>,
  { resolve, onClose, log, plane }: Parts,
): () => void {
  const runner = resolve(executor);
  let cancel: (() => void) | null = null;
  const run = (): void | Promise<void> => {
    cancel = null;
    return refresh();
  };
  const heard = (): void => {
    cancel ??= runner.schedule(run, SETTLE_MILLISECONDS);
  };
  const cannotWatch = (error: unknown): void =>
    log.warn(
      { err: error, directory },
      'cannot watch a directory; changes are picked up when the lease of a secret expires',
    );
  // a tenant's files are in memory, and other files are another route
  const endWatch = plane.reach.origin === 'tenant' ? null : watchDirectory(directory, heard, cannotWatch);
  onClose(() => {
    endWatch?.();
    cancel?.();
  });
  return heard;
}
