import type { Logger } from 'pino';
import type { SourceFailure } from './source-failure.ts';

/** Milliseconds after which a failure that lasts is told again. */
const AGAIN = 60_000;

/** Logs failed reads of the cluster: once when they begin or change, then at intervals. */
export function toldFailures(log: Logger): (failure: SourceFailure) => void {
  const told = new Map<string, { readonly message: string; readonly at: number }>();
  return ({ kind, scope, error: { message } }) => {
    const key = `${kind} ${scope}`;
    const before = told.get(key);
    const now = performance.now();
    if (before?.message === message && now - before.at < AGAIN) return;
    told.set(key, { message, at: now });
    log.warn({ kind, scope, error: message }, 'list/watch failed, retrying');
  };
}
