import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';
import { afterBody, buffered, neededEntities } from '../heap/objects/buffering.ts';

/** Gives a request to one handler after the other. */
export const sequenceHandler = defineHandler({
  type: 'SequenceHandler',
  summary:
    'Sends the request to its handlers one after the other, as long as the postcondition of each is true, and ' +
    'returns the last response. The request body is buffered first, because every handler may send it.',
  config: z.strictObject({
    bindings: z
      .array(
        z.strictObject({
          handler: ref('handler').describe('Handler that gets the request.'),
          postcondition: runtimeFlag()
            .optional()
            .describe('Condition on the response for continuing with the next handler; by default true.'),
        }),
      )
      .min(1)
      .describe('Handlers in order.'),
  }),
  examples: [
    {
      title: 'Check that the service is open before passing the request on',
      config: {
        bindings: [
          { handler: 'ClientHandler', postcondition: '${response.status.code == 200}' },
          { handler: 'ReverseProxyHandler' },
        ],
      },
    },
  ],
  inTurn: true,
  create({ bindings }, { resolve }) {
    const last = bindings.at(-1)!;
    let next = resolve(last.handler);
    for (const { handler, postcondition } of bindings.slice(0, -1).reverse()) {
      const following = next;
      const first = neededEntities(postcondition).response ? buffered(resolve(handler)) : resolve(handler);
      const goOn = (response: Response, exchange: Exchange): ReturnType<Next> => {
        if (postcondition !== undefined && postcondition.read(exchange, response) !== true) return response;
        response.abandon();
        exchange.goesOn();
        return following(exchange);
      };
      next = (exchange) => mapResponse(first(exchange), exchange, goOn);
    }
    const run = next;
    return bindings.length === 1 ? run : (exchange) => afterBody(exchange, () => run(exchange));
  },
});
