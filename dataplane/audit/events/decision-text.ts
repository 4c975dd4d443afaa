import type { Exchange } from '../../engine/message/exchange.ts';
import { type Refusal, refusals } from '../../engine/message/refusal.ts';
import type { Outcome, Verdict, VerdictFacts } from '../../engine/message/verdict.ts';
import { jsonText, jsonValue } from './json-text.ts';

/** Most verdicts of one event; a loop of filters must not make it grow without end. */
export const MOST_VERDICTS = 32;
/** Most items of a list of facts, and longest text: a token can have any number of scopes. */
const MOST_ITEMS = 100;
const LONGEST_TEXT = 256;

/**
 * The member `decision` of an event, without its braces: whether the gateway let the request pass, which object
 * decided, why, and what each object that judged the request found out. `last`: outcome of the last verdict that counts.
 */
export function decisionText(
  refusal: Refusal | null,
  decision: Exchange['decision'],
  verdicts: readonly Verdict[] | null,
  last: Outcome | null,
): string {
  const found = verdicts === null ? '' : `,"verdicts":[${verdicts.map(verdictText).join()}]`;
  if (refusal === null) {
    return `"outcome":"${last === 'redirected' ? 'redirected' : 'allowed'}"${found}`;
  }
  const own = decision !== null && decision.refusal === refusal ? decision : null;
  const reason = own?.reason ?? refusals[refusal].reason;
  const object = own === null ? '' : `,"type":${jsonText(own.type)},"object":${jsonText(own.object)}`;
  return `"outcome":"refused","code":"${refusal}","reason":${jsonText(shortened(reason))}${object}${found}`;
}

function verdictText(verdict: Verdict): string {
  verdict.json ??= jsonValue(bounded(verdict.facts));
  return verdict.json;
}

function bounded(facts: VerdictFacts): VerdictFacts {
  const entries = Object.entries(facts).map(([name, fact]): [string, VerdictFacts[string]] => {
    if (typeof fact === 'string') return [name, shortened(fact)];
    if (!Array.isArray(fact)) return [name, fact];
    return [name, (fact as readonly string[]).slice(0, MOST_ITEMS).map(shortened)];
  });
  return Object.fromEntries(entries.filter(([, fact]) => fact !== null));
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}
