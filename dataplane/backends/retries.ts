import { ANY_NUMBER, type Answer, type BackendCall, type Exchange, type Next } from '../engine/message/exchange.ts';
import { faultResponse } from '../engine/message/fault.ts';
import { mapResponse } from '../engine/message/reply.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import type { Parts } from '../heap/definition.ts';
import { objectLabels } from '../heap/objects/object-labels.ts';
import type { TemporaryStorage } from '../heap/objects/temporary-storage.ts';
import { outcomeOf } from './backend-failure.ts';
import { FailureLog } from './failure-log.ts';
import { ReplayableBody } from './replayable-body.ts';
import type { RetriesConfig } from './retry-fields.ts';

/**
 * Sends a request again that got no answer, or one that is not good enough. What throws is not sent again: it is a body
 * that cannot be had, or a mistake of ours. Retries go to `again`.
 */
export function retrying(
  config: RetriesConfig,
  storage: TemporaryStorage,
  parts: Parts,
  next: Next,
  again: Next = next,
): Next {
  const { count, condition } = config;
  const { log, plane } = parts;
  const delay = config.delay.milliseconds;
  const executor = parts.resolve(config.executor);
  const seesContent = condition.compiled?.touches('response.entity') === true;
  const send = seesContent ? withBodyAtHand(next) : next;
  const sendAgain = seesContent ? withBodyAtHand(again) : again;
  const labels = objectLabels(parts);
  const unkept = new FailureLog(log);
  parts.onClose(() => unkept.close());
  const waiting = new Set<BackendCall>();
  parts.onClose(() => {
    for (const call of waiting) call.cancel();
  });

  return function retried(exchange) {
    const body = ReplayableBody.of(exchange, storage);
    return body === null ? mapResponse(attempt(exchange, count), exchange, judge) : withBody(exchange, body);
  };

  async function withBody(exchange: Exchange, body: ReplayableBody): Promise<Response> {
    try {
      body.offer();
      const response = await attempt(exchange, count);
      const last = isBadAnswer(response, exchange) ? await repeat(exchange, response, body) : response;
      if (body.failure !== null) throw body.failure;
      return last;
    } finally {
      body.release();
    }
  }

  /** Sends it; `left` says how often the engine may do so once more by itself. */
  function attempt(exchange: Exchange, left: number): Answer {
    return limited(send, exchange, left);
  }

  function judge(response: Response, exchange: Exchange): Answer {
    return isBadAnswer(response, exchange) ? repeat(exchange, response, null) : response;
  }

  function isBadAnswer(response: Response, exchange: Exchange): boolean {
    const outcome = outcomeOf(response);
    return outcome === 'answered' ? condition.read(exchange, response) === true : outcome === 'failed';
  }

  async function repeat(exchange: Exchange, first: Response, body: ReplayableBody | null): Promise<Response> {
    let response = first;
    for (let retries = repeatsOf(exchange); retries < count; ) {
      if (body?.repeatable === false) {
        tellUnkept(exchange, response);
        return response;
      }
      log.debug({ ...causeOf(exchange, response), retries }, 'request failed, retrying');
      response.abandon();
      if (!(await pause(exchange))) return refusalResponse('cancelled');
      body?.offer();
      plane.count('gw_retries_total', labels);
      retries++;
      response = await limited(sendAgain, exchange, count - retries);
      retries += repeatsOf(exchange);
      if (isBadAnswer(response, exchange)) continue;
      if (outcomeOf(response) === 'answered') log.debug({ retries }, 'request succeeded after a retry');
      return response;
    }
    plane.count('gw_retries_failed_total', labels);
    log.warn({ ...causeOf(exchange, response), retries: count }, 'request failed after all retries');
    return response;
  }

  function tellUnkept(exchange: Exchange, { refusal, status, cause }: Response): void {
    const reason = refusal === null ? `the response status was ${status}` : typeof cause === 'string' ? cause : refusal;
    unkept.add(refusal, backendOf(exchange), reason, 'request not retried: its body was not buffered');
  }

  /** @returns false when nobody waits for the answer any more. */
  function pause(exchange: Exchange): Promise<boolean> {
    if (exchange.over) return Promise.resolve(false);
    exchange.call?.cancel();
    return new Promise((resolve) => {
      const end = (goOn: boolean): void => {
        waiting.delete(call);
        cancelTask();
        if (exchange.call === call) exchange.call = null;
        resolve(goOn);
      };
      const call: BackendCall = { response: null, sent: true, cancel: () => end(false) };
      const cancelTask = executor.schedule(() => end(true), delay);
      waiting.add(call);
      exchange.call = call;
    });
  }
}

/** Sends requests once and never again, not even when a kept connection was dead. */
export function sentOnce(next: Next): Next {
  return (exchange) => limited(next, exchange, 0);
}

function limited(send: Next, exchange: Exchange, repeats: number): Answer {
  exchange.repeats = repeats;
  try {
    return send(exchange);
  } finally {
    exchange.repeats = ANY_NUMBER;
  }
}

/** How often the engine sent the last attempt once more: the backend cannot tell these from ours. */
function repeatsOf({ call }: Exchange): number {
  return call?.repeats ?? 0;
}

/** A condition cannot wait for a body. */
function withBodyAtHand(next: Next): Next {
  return async (exchange) => {
    const response = await next(exchange);
    try {
      await response.entity.decoded();
      return response;
    } catch (error) {
      return faultResponse(error, () => {
        throw error;
      });
    }
  };
}

/** Why an answer is not good enough, for the log. */
function causeOf(exchange: Exchange, { refusal, status, cause }: Response): object {
  const backend = backendOf(exchange);
  if (refusal === null) return { status, backend };
  return typeof cause === 'string' ? { refusal, backend, reason: cause } : { refusal, backend };
}

function backendOf({ request }: Exchange): string {
  const { host, port } = request.uri;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
