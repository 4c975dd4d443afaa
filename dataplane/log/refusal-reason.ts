import type { Finished } from '../engine/client/finished.ts';
import { refusals } from '../engine/message/refusal.ts';

/** What exactly was wrong with a refused request, and the object that decided it, where one did. */
export function refusalReason({ refusal, decision }: Finished): { reason: string; object: string | null } {
  if (refusal === null) return { reason: '', object: null };
  const own = decision !== null && decision.refusal === refusal ? decision : null;
  return { reason: own?.reason ?? refusals[refusal].reason, object: own?.object ?? null };
}
