import type { Logger } from 'pino';
import type { Target } from '../../contract/expression/target.ts';

/** Logs a warning if assignments to a target have no effect. */
export function warnIfReadOnly({ source, readOnly }: Target, log: Logger): void {
  if (readOnly) log.warn({ target: source }, 'assignment target is read-only; assignments to it have no effect');
}
