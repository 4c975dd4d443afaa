import { z } from 'zod';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';

const cases = (message: string) =>
  z
    .array(
      z.strictObject({
        condition: runtimeFlag().optional().describe('Condition of the case; by default it always applies.'),
        handler: ref('handler').describe('Handler if the case applies.'),
      }),
    )
    .default([])
    .describe(`Cases for the ${message}, tried in order; the first that applies is used.`);

/** Diverts requests and responses to other handlers. */
export const switchFilter = defineFilter({
  type: 'SwitchFilter',
  summary:
    'Diverts requests or responses to another handler. A request that matches a case of onRequest goes to the ' +
    'handler of the case and no further. A response that matches a case of onResponse is replaced by the ' +
    'response of its handler; the content of the request has already been sent and cannot be sent again. A ' +
    'condition without a value does not match.',
  config: z.strictObject({ onRequest: cases('request'), onResponse: cases('response') }),
  examples: [
    {
      title: 'A custom page when the application fails',
      config: {
        onResponse: [
          {
            condition: '${response.status.code >= 500}',
            handler: { type: 'StaticResponseHandler', config: { status: 503, entity: 'Back in a moment.' } },
          },
        ],
      },
    },
  ],
  create({ onRequest, onResponse }, { resolve }) {
    const built = (list: typeof onRequest) =>
      list.map(({ condition, handler }) => ({ condition, handler: resolve(handler) }));
    const requestCases = built(onRequest);
    const responseCases = built(onResponse);

    function chosen(list: typeof requestCases, exchange: Exchange, response: Response | null): Next | null {
      for (const { condition, handler } of list) {
        if (condition === undefined || condition.read(exchange, response) === true) return handler;
      }
      return null;
    }

    function divertResponse(response: Response, exchange: Exchange) {
      const handler = chosen(responseCases, exchange, response);
      if (handler === null) return response;
      response.abandon();
      return handler(exchange);
    }

    return function divert(exchange, next) {
      const handler = chosen(requestCases, exchange, null);
      if (handler !== null) return handler(exchange);
      return responseCases.length === 0 ? next(exchange) : mapResponse(next(exchange), exchange, divertResponse);
    };
  },
});
