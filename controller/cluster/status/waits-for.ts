import type { Compilation } from '../../compile/compiler.ts';

const NO_BASE =
  'the base configuration is not valid and there is no last good version; see the errors in gatewarden status or the log';

/** Reason why a controller is not ready; null when it is. @param newest null before the first compilation */
export function waitsFor(isListed: boolean, newest: Pick<Compilation, 'snapshot'> | null): string | null {
  if (!isListed) return 'the initial list is not complete';
  if (newest === null) return 'nothing has been compiled yet';
  return newest.snapshot === null ? NO_BASE : null;
}
