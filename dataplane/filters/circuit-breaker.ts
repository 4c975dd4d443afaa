import { breakerFields } from '../backends/breaker-fields.ts';
import { circuitBreaker } from '../backends/circuit-breaker.ts';
import { defineFilter } from '../heap/definition.ts';

/** Stops asking what is behind it for a while once it has failed too often. */
export const circuitBreakerFilter = defineFilter({
  type: 'CircuitBreakerFilter',
  summary:
    'Counts the requests for which nobody behind it had an answer: a backend that cannot be reached, does not answer ' +
    'in time or not in HTTP, and objects that fail. An answer is an answer, also one with a status of 500 and above. ' +
    'When there are too many of them, the circuit is open for a while: requests go to `openHandler` and to nobody ' +
    'else. Then it is closed, and counting begins anew. All units of a gateway share one circuit, which outlives ' +
    'changes of the configuration that do not change its numbers. Its metrics are `gw_circuit_breaker_open`, ' +
    '`gw_circuit_breaker_transitions_total` and `gw_circuit_breaker_rejected_total`.',
  config: breakerFields,
  examples: [
    { title: 'Five failures in a row close the way for ten seconds', config: { maxFailures: 5, openDuration: '10 s' } },
    {
      title: 'Ten failures among the last hundred requests, and an answer of its own',
      config: {
        maxFailures: 10,
        openDuration: '1 minute',
        slidingCounter: { size: 100 },
        openHandler: { type: 'StaticResponseHandler', config: { status: 503, entity: 'Please come back later.' } },
      },
    },
  ],
  create(config, parts) {
    return config.enabled ? circuitBreaker(config, parts) : (exchange, next) => next(exchange);
  },
});
