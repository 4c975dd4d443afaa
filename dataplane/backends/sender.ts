import type { Next } from '../engine/message/exchange.ts';
import type { Refusal } from '../engine/message/refusal.ts';
import type { Parts } from '../heap/definition.ts';
import { BackendWays } from './backend-ways.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import { endpointForwarder } from './endpoints/endpoint-forwarder.ts';
import { forwarder } from './forwarder.ts';
import { retrying, sentOnce } from './retries.ts';
import { sendsAgain } from './retry-fields.ts';
import type { SenderConfig } from './sender-fields.ts';

/**
 * The whole way of a request to a backend: what is tried, how often, and when it is not tried at all. `propagates` tells
 * refusals that the caller makes known, so that they are not logged here.
 */
export function sender(config: SenderConfig, parts: Parts, propagates: (refusal: Refusal) => boolean = never): Next {
  const { retries, circuitBreaker: breaker, backends } = config;
  const ways = new BackendWays(config, parts, propagates);
  const spread = backends === undefined ? null : endpointForwarder(config, parts.resolve(backends), parts, ways);
  const once = spread?.forward ?? forwarder(config, parts, ways);
  const untried = retries?.enabled === true ? sentOnce(once) : once; // a count of 0 means what it says
  const tried = sendsAgain(retries)
    ? retrying(retries, parts.resolve(config.temporaryStorage), parts, once, spread?.forwardAgain)
    : untried;
  const send =
    ways.buffering?.before(tried, ({ request }, refusal, reason) =>
      ways.failed(refusal, request.uri.authority, reason),
    ) ?? tried;
  if (breaker?.enabled !== true) return send;
  const guard = circuitBreaker(breaker, parts);
  return (exchange) => guard(exchange, send);
}

function never(): false {
  return false;
}
