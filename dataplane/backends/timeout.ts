import type { Duration } from '../../contract/duration.ts';
import { duration } from '../../contract/vocabulary/configured.ts';

/** A time to wait; zero is no limit, as it is for the clients of OpenIG. */
export const timeout = duration({ unlimited: true, zero: true });

/** As the engine counts: whole, and 0 for no limit. */
export function milliseconds(limit: Duration): number {
  return limit.unlimited || limit.zero ? 0 : Math.max(1, limit.milliseconds);
}
