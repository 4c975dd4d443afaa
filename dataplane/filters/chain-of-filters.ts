import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { chain } from '../engine/message/chain.ts';
import type { Next } from '../engine/message/exchange.ts';
import { defineFilter } from '../heap/definition.ts';

/** Several filters as one. */
export const chainOfFilters = defineFilter({
  type: 'ChainOfFilters',
  summary:
    'Combines several filters into one, so that a sequence can be named once and used in many chains. The ' +
    'filters run in the order given on the request, and in the reverse order on the response.',
  config: z.strictObject({
    filters: z.array(ref('filter')).describe('Filters in the order in which they see the request.'),
  }),
  examples: [
    {
      title: 'Two filters under one name',
      config: {
        filters: [
          { type: 'HeaderFilter', config: { messageType: 'REQUEST', remove: ['X-User'] } },
          { type: 'HeaderFilter', config: { messageType: 'RESPONSE', remove: ['Server'] } },
        ],
      },
    },
  ],
  create({ filters }, { resolve }) {
    const members = filters.map(resolve);
    let behind: Next | null = null;
    let composed: Next | null = null;
    return function runAll(exchange, next) {
      // what stands behind a filter is nearly always the same, so the chain is composed once
      if (composed === null || behind !== next) {
        behind = next;
        composed = chain(members, next);
      }
      return composed(exchange);
    };
  },
});
