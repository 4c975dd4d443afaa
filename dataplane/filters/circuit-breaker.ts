import { breakerFields } from '../backends/breaker-fields.ts';
import { circuitBreaker } from '../backends/circuit-breaker.ts';
import { defineFilter } from '../heap/definition.ts';

/** Stops asking what is behind it for a while once it has failed too often. */
export const circuitBreakerFilter = defineFilter({
  type: 'CircuitBreakerFilter',
  summary:
    'Opens a circuit after too many failures. A failure is a request without a response: the backend cannot be ' +
    'reached, does not answer in time or not in HTTP, or an object fails. A response with status 500 and above ' +
    'is not a failure. While the circuit is open, requests go only to `openHandler`. Then it closes, and ' +
    'counting starts again. All units of a gateway share one circuit. It keeps its state across configuration ' +
    'changes that do not change its numbers. The metrics are `gw_circuit_breaker_open`, ' +
    '`gw_circuit_breaker_transitions_total` and `gw_circuit_breaker_rejected_total`.',
  config: breakerFields,
  examples: [
    {
      title: 'Five consecutive failures open the circuit for ten seconds',
      config: { maxFailures: 5, openDuration: '10 s' },
    },
    {
      title: 'Ten failures among the last hundred requests, and a custom response',
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
