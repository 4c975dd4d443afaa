import type { z } from 'zod';
import type { Duration } from '../../contract/duration.ts';
import { duration } from '../../contract/vocabulary/configured.ts';
import type { Remark } from '../heap/definition.ts';

const DEFAULT_LEASE = '5 minutes';
const DEFAULT_MILLISECONDS = 300_000;

/** How long what was read from a store may be used before it is read again. */
export function leaseExpiry(): z.ZodPrefault<z.ZodType<Duration, unknown>> {
  return duration({ zero: true, unlimited: true })
    .prefault(DEFAULT_LEASE)
    .describe('How long a secret is used before it is read again. Zero and unlimited give the default.');
}

/** The lease in milliseconds. */
export function leaseMilliseconds(lease: Duration): number {
  return isLease(lease) ? lease.milliseconds : DEFAULT_MILLISECONDS;
}

/** Remarks on an invalid lease. */
export function leaseRemarks(lease: Duration): readonly Remark[] {
  if (isLease(lease)) return [];
  const message = `has no effect: a lease must be longer than zero and limited, so it is ${DEFAULT_LEASE}`;
  return [{ at: ['leaseExpiry'], message, code: 'no-effect' }];
}

/** Less than a millisecond is nothing that a clock here could tell. */
function isLease({ milliseconds }: Duration): boolean {
  return milliseconds > 0 && Number.isFinite(milliseconds);
}
