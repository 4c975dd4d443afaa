import type { DecisionFact, Exchange } from '../../engine/message/exchange.ts';
import { type Refusal, refusals } from '../../engine/message/refusal.ts';
import { jsonText, jsonValue } from './json-text.ts';

/** Most facts of one event; a loop of filters must not make it grow without end. */
export const MOST_FACTS = 32;

/**
 * The member `decision` of an event, without its braces: whether the gateway let the request pass, which object
 * decided, why, and what it found out.
 */
export function decisionText(
  refusal: Refusal | null,
  decision: Exchange['decision'],
  facts: readonly DecisionFact[] | null,
): string {
  const found = facts === null ? '' : `,"facts":${jsonValue(facts)}`;
  if (refusal === null) return `"outcome":"allowed"${found}`;
  const own = decision !== null && decision.refusal === refusal ? decision : null;
  const reason = own?.reason ?? refusals[refusal].reason;
  const object = own === null ? '' : `,"object":${jsonText(own.object)}`;
  return `"outcome":"refused","code":"${refusal}","reason":${jsonText(reason)}${object}${found}`;
}
