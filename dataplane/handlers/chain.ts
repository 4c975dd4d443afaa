import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { chain as compose } from '../engine/message/chain.ts';
import { defineHandler } from '../heap/definition.ts';

/** Filters in front of a handler. */
export const chain = defineHandler({
  type: 'Chain',
  summary:
    'Passes requests through filters to a handler. Filters run in the order given on the request, and in the reverse ' +
    'order on the response.',
  config: z.strictObject({
    filters: z.array(ref('filter')).default([]).describe('Filters in the order in which they see the request.'),
    handler: ref('handler').describe('Handler after the last filter.'),
  }),
  examples: [
    {
      title: 'Add a header and forward',
      config: {
        filters: [{ type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Gateway': ['gatewarden'] } } }],
        handler: 'ReverseProxyHandler',
      },
    },
  ],
  create({ filters, handler }, { resolve }) {
    return compose(filters.map(resolve), resolve(handler));
  },
});
