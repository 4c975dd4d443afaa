import { type DenialReason, denialReasons } from '../../../contract/route-counts.ts';
import type { Reference } from '../../../contract/vocabulary/reference.ts';
import type { Answer, Exchange } from '../../engine/message/exchange.ts';
import { type Refusal, refusals } from '../../engine/message/refusal.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import { Verdict, type VerdictFacts } from '../../engine/message/verdict.ts';
import type { Parts } from '../definition.ts';
import { objectLabels } from './object-labels.ts';

/** Inputs of a verdict, for the log at the level debug. They must contain no secret. */
export type Inputs = () => Readonly<Record<string, unknown>>;

/** Inputs of a verdict for audit events, which leave the gateway: they must contain nothing that a client sent. */
export type Facts = () => VerdictFacts;

/**
 * How an object refuses requests. Each refusal has a code, is recorded for the access log and for audit events, counted, and explained in the
 * program log at the level debug; a house rule keeps objects from answering with an error of their own instead.
 */
export interface Denials<R extends Refusal> {
  /** Refuses a request: the failure handler answers, or else an empty answer with the status of the code. */
  refuse(exchange: Exchange, refusal: R, inputs?: Inputs, reason?: string, facts?: Facts): Answer;
  /** The same without the failure handler, for a filter that adds header lines. */
  answer(exchange: Exchange, refusal: R, inputs?: Inputs, reason?: string, facts?: Facts): Response;
}

/** Refusals that `gw_denied_total` counts together with others. */
const COUNTED_AS: Partial<Record<Refusal, DenialReason>> = { 'not-judged-now': 'not-judged' };

/** Creates the refusals of an object with these codes. */
export function denials<R extends Refusal>(
  parts: Parts,
  codes: readonly R[],
  failureHandler?: Reference<'handler'>,
): Denials<R> {
  const { log, type, qualifiedName: object } = parts;
  const labels = objectLabels(parts);
  const counters = new Map(codes.map((code) => [code, counterOf(code)]));
  const fail = failureHandler === undefined ? null : parts.resolve(failureHandler);

  function counterOf(code: R): () => void {
    const reason = denialReasons.find((one) => one === (COUNTED_AS[code] ?? code));
    return reason === undefined ? () => {} : parts.plane.counter('gw_denied_total', { ...labels, reason });
  }

  function record(exchange: Exchange, refusal: R, inputs?: Inputs, reason: string | null = null, facts?: Facts): void {
    exchange.decision = { refusal, reason, object, type };
    const { access } = exchange;
    if (access !== null) {
      access.note(new Verdict('refused', { type, object, outcome: 'refused', code: refusal, ...facts?.() }));
    }
    counters.get(refusal)?.();
    if (!log.isLevelEnabled('debug')) return;
    log.debug(
      {
        refusal,
        reason: reason ?? refusals[refusal].reason,
        route: exchange.route,
        requestId: exchange.ids?.requestId,
        ...inputs?.(),
      },
      'request refused',
    );
  }

  return {
    refuse(exchange, refusal, inputs, reason, facts) {
      record(exchange, refusal, inputs, reason, facts);
      return fail === null ? emptyRefusal(refusal) : fail(exchange);
    },
    answer(exchange, refusal, inputs, reason, facts) {
      record(exchange, refusal, inputs, reason, facts);
      return emptyRefusal(refusal);
    },
  };
}
