import { CircuitOpen } from '../engine/message/circuit-open.ts';
import type { Answer, Filter, Next } from '../engine/message/exchange.ts';
import { bounded } from '../engine/message/reply.ts';
import { refusalResponse } from '../engine/message/response.ts';
import type { Parts } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { objectLabels } from '../heap/objects/object-labels.ts';
import { outcomeOf, outcomeOfError } from './backend-failure.ts';
import type { BreakerConfig } from './breaker-fields.ts';
import { BreakerState } from './breaker-state.ts';

/** Stops asking what is behind it for a while once it has failed too often. All units of the plane see one circuit. */
export function circuitBreaker(config: BreakerConfig, parts: Parts): Filter {
  const { maxFailures, openDuration, openHandler, slidingCounter } = config;
  const { log, plane, qualifiedName, identity } = parts;
  const executor = parts.resolve(config.executor);
  const failure = new CircuitOpen(qualifiedName);
  const denied = denials(parts, ['circuit-open'], openHandler);
  const reject: Next = (exchange) => {
    const answer = denied.refuse(exchange, 'circuit-open');
    if (openHandler === undefined) throw failure;
    return answer;
  };

  const size = slidingCounter?.size ?? 0;
  // a circuit of other numbers is another circuit, and what has not changed goes on where it was
  const name = `circuit breaker ${identity} ${maxFailures} ${openDuration.milliseconds} ${size}`;
  const memory = plane.sharedMemory(name, BreakerState.bytes(size));
  parts.onClose(() => memory.release());
  const state = new BreakerState(memory.buffer, maxFailures);

  const labels = objectLabels(parts);
  const changed = (to: 'open' | 'closed'): void =>
    plane.count('gw_circuit_breaker_transitions_total', { ...labels, to });
  parts.onClose(plane.gauge('gw_circuit_breaker_open', labels, () => (state.openUntil === 0n ? 0 : 1)));

  let cancelClosing = (): void => {};
  parts.onClose(() => cancelClosing());
  const opened = state.openUntil;
  if (opened !== 0n) closeLater(opened); // it was opened by an object that this one takes the place of

  return function breaker(exchange, next) {
    const until = state.openUntil;
    if (until !== 0n) {
      if (process.hrtime.bigint() < until) {
        plane.count('gw_circuit_breaker_rejected_total', labels);
        return reject(exchange);
      }
      close(until); // whoever was to close it is gone
    }
    const openings = state.openings;
    let answer: Answer;
    try {
      answer = next(exchange);
    } catch (error) {
      if (outcomeOfError(error) === 'failed') failed(openings);
      throw error;
    }
    return bounded(answer, exchange, {
      answered(response) {
        if (response === null) return refusalResponse('no-answer');
        const outcome = outcomeOf(response);
        if (outcome === 'answered') state.succeeded(openings);
        else if (outcome === 'failed') failed(openings);
        return response;
      },
      failed(error) {
        if (outcomeOfError(error) === 'failed') failed(openings);
        throw error;
      },
    });
  };

  function failed(openings: number): void {
    const failures = state.failed(openings);
    const until = process.hrtime.bigint() + nanoseconds(openDuration.milliseconds);
    if (!state.trip(failures, until)) return;
    changed('open');
    log.warn({ failures, openDuration: openDuration.milliseconds }, 'circuit breaker opened');
    closeLater(until);
  }

  function closeLater(until: bigint): void {
    const left = Number(until - process.hrtime.bigint()) / 1e6;
    cancelClosing = executor.schedule(() => close(until), Math.max(0, left));
  }

  function close(until: bigint): void {
    if (!state.close(until)) return;
    changed('closed');
    log.info('circuit breaker closed');
  }
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1e6));
}
