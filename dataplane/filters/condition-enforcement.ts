import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { Verdicts } from '../heap/objects/verdicts.ts';

/** Passes on only requests for which a condition is true. */
export const conditionEnforcementFilter = defineFilter({
  type: 'ConditionEnforcementFilter',
  summary:
    'Passes a request on if a condition is true. All other requests go to the failure handler, also if the ' +
    'condition has no value.',
  config: z.strictObject({
    condition: runtimeFlag().describe('Condition for requests that are passed on.'),
    failureHandler: ref('handler').optional().describe('Handler of all other requests; by default an empty 403.'),
  }),
  examples: [
    {
      title: 'Only requests with a key',
      config: { condition: "${not empty request.headers['X-Api-Key']}" },
    },
    {
      title: 'With a custom response',
      config: {
        condition: "${request.method == 'GET'}",
        failureHandler: { type: 'StaticResponseHandler', config: { status: 405, headers: { Allow: ['GET'] } } },
      },
    },
  ],
  create({ condition, failureHandler }, parts) {
    const denied = denials(parts, ['condition'], failureHandler);
    const verdicts = new Verdicts(parts);
    return function enforce(exchange, next) {
      const value = condition.read(exchange, null);
      if (value === true) {
        verdicts.allowed(exchange);
        return next(exchange);
      }
      return denied.refuse(exchange, 'condition', () => ({ condition: condition.source, value }));
    };
  },
});
