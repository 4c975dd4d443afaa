import type { PlaneFacts } from './plane-facts.ts';

/** How a plane stands: it runs the newest, or not yet, or it could not build all of it, or it has no stream. */
export type PlaneState = 'current' | 'behind' | 'refused' | 'left';

/** @param revision the newest for planes like this one; null when there is none yet */
export function planeState(facts: PlaneFacts, isConnected: boolean, revision: string | null): PlaneState {
  if (!isConnected) return 'left';
  if (facts.problems.size > 0) return 'refused';
  return facts.pending === null && (revision === null || facts.revision === revision) ? 'current' : 'behind';
}
