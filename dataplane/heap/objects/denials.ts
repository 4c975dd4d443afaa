import { type DenialReason, denialReasons } from '../../../contract/route-counts.ts';
import type { Reference } from '../../../contract/vocabulary/reference.ts';
import type { Answer, Exchange, Next } from '../../engine/message/exchange.ts';
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
  return new ObjectDenials(parts, codes, failureHandler === undefined ? null : parts.resolve(failureHandler));
}

/** Most objects of thousands of routes never refuse anything: what a refusal needs is made with the first one. */
class ObjectDenials<R extends Refusal> implements Denials<R> {
  private readonly parts: Parts;
  private readonly codes: readonly R[];
  private readonly fail: Next | null;
  private counters: ReadonlyMap<R, () => void> | null = null;

  constructor(parts: Parts, codes: readonly R[], fail: Next | null) {
    this.parts = parts;
    this.codes = codes;
    this.fail = fail;
  }

  refuse(exchange: Exchange, refusal: R, inputs?: Inputs, reason?: string, facts?: Facts): Answer {
    this.record(exchange, refusal, inputs, reason, facts);
    return this.fail === null ? emptyRefusal(refusal) : this.fail(exchange);
  }

  answer(exchange: Exchange, refusal: R, inputs?: Inputs, reason?: string, facts?: Facts): Response {
    this.record(exchange, refusal, inputs, reason, facts);
    return emptyRefusal(refusal);
  }

  private record(exchange: Exchange, refusal: R, inputs?: Inputs, reason: string | null = null, facts?: Facts): void {
    const { type, qualifiedName: object, log } = this.parts;
    exchange.decision = { refusal, reason, object, type };
    const { access } = exchange;
    if (access !== null) {
      access.note(new Verdict('refused', { type, object, outcome: 'refused', code: refusal, ...facts?.() }));
    }
    this.counters ??= this.countersOf();
    this.counters.get(refusal)?.();
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

  private countersOf(): ReadonlyMap<R, () => void> {
    const labels = objectLabels(this.parts);
    const counterOf = (code: R): (() => void) => {
      const reason = denialReasons.find((one) => one === (COUNTED_AS[code] ?? code));
      return reason === undefined ? () => {} : this.parts.plane.counter('gw_denied_total', { ...labels, reason });
    };
    return new Map(this.codes.map((code) => [code, counterOf(code)]));
  }
}
