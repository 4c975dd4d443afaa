import type { Finished } from '../engine/client/finished.ts';
import { refusals } from '../engine/message/refusal.ts';

/** Detailed reason of a rejected request, and the object that rejected it, if any. */
export function refusalReason({ refusal, decision }: Finished): { reason: string; object: string | null } {
  if (refusal === null) return { reason: '', object: null };
  const own = decision !== null && decision.refusal === refusal ? decision : null;
  return { reason: own?.reason ?? refusals[refusal].reason, object: own?.object ?? null };
}
