import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';

/** Runs another filter for some requests only. */
export const conditionalFilter = defineFilter({
  type: 'ConditionalFilter',
  summary:
    'Applies another filter if a condition is true. Otherwise, also if the condition has no value, the request ' +
    'skips that filter. To reject requests, use a ConditionEnforcementFilter.',
  config: z.strictObject({
    condition: runtimeFlag().describe('Condition for applying the filter.'),
    delegate: ref('filter').describe('Filter that is applied if the condition is true.'),
  }),
  examples: [
    {
      title: 'A header for requests under /api only',
      config: {
        condition: "${find(request.uri.path, '^/api/')}",
        delegate: { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Api': ['true'] } } },
      },
    },
  ],
  create({ condition, delegate }, { resolve }) {
    const filter = resolve(delegate);
    return function runIfTrue(exchange, next) {
      return condition.read(exchange, null) === true ? filter(exchange, next) : next(exchange);
    };
  },
});
