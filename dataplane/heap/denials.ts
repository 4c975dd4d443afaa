import type { DenialReason } from '../../contract/route-counts.ts';
import type { Parts } from './definition.ts';
import { objectLabels } from './object-labels.ts';

/** Counts one more request that an object did not let pass for this reason. */
export function denialCounter(parts: Parts, reason: DenialReason): () => void {
  return parts.plane.counter('gw_denied_total', { ...objectLabels(parts), reason });
}

/** The same for an object that has several reasons. */
export function denialCounters<R extends DenialReason>(parts: Parts, reasons: readonly R[]): (reason: R) => void {
  const counters = new Map(reasons.map((reason) => [reason, denialCounter(parts, reason)]));
  return (reason) => counters.get(reason)?.();
}
