import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';

/** Lets only those requests through for which a condition is true. */
export const conditionEnforcementFilter = defineFilter({
  type: 'ConditionEnforcementFilter',
  summary:
    'Lets a request through if a condition is true. Everything else, also a condition without a value, goes to the ' +
    'failure handler.',
  config: z.strictObject({
    condition: runtimeFlag().describe('What must be true of a request.'),
    failureHandler: ref('handler').optional().describe('Answers the other requests; by default with an empty 403.'),
  }),
  examples: [
    {
      title: 'Only requests with a key',
      config: { condition: "${not empty request.headers['X-Api-Key']}" },
    },
    {
      title: 'With an answer of its own',
      config: {
        condition: "${request.method == 'GET'}",
        failureHandler: { type: 'StaticResponseHandler', config: { status: 405, headers: { Allow: ['GET'] } } },
      },
    },
  ],
  create({ condition, failureHandler }, parts) {
    const denied = denials(parts, ['condition'], failureHandler);
    return function enforce(exchange, next) {
      const value = condition.read(exchange, null);
      if (value === true) return next(exchange);
      return denied.refuse(exchange, 'condition', () => ({ condition: condition.source, value }));
    };
  },
});
