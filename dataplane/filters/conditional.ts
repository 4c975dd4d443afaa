import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';

/** Runs another filter for some requests only. */
export const conditionalFilter = defineFilter({
  type: 'ConditionalFilter',
  summary:
    'Passes a request through another filter if a condition is true, and past it otherwise: also when the condition ' +
    'has no value. To keep requests out, use a ConditionEnforcementFilter, which lets only what is true through.',
  config: z.strictObject({
    condition: runtimeFlag().describe('When the other filter runs.'),
    delegate: ref('filter').describe('The filter that runs if the condition is true.'),
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
