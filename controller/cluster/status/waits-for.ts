import type { Compilation } from '../../compile/compiler.ts';

const NO_BASE =
  'the base configuration is not valid and there is no last good version; gatewarden status and the log have the errors';

/** What a controller waits for before it is ready; null when it is. @param newest null before something was compiled */
export function waitsFor(isListed: boolean, newest: Pick<Compilation, 'snapshot'> | null): string | null {
  if (!isListed) return 'not everything has been listed';
  if (newest === null) return 'nothing is compiled';
  return newest.snapshot === null ? NO_BASE : null;
}
