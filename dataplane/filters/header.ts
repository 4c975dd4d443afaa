import { z } from 'zod';
import { choice, text } from '../../contract/vocabulary/configured.ts';
import { runtimeText } from '../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../heap/definition.ts';
import { changeableHeader } from '../http/changeable-header.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Headers } from '../http/headers.ts';
import { mapResponse } from '../http/reply.ts';
import type { Response } from '../http/response.ts';

/** Removes headers from a request or a response and adds others. */
export const headerFilter = defineFilter({
  type: 'HeaderFilter',
  summary:
    'Removes headers from requests or responses, then adds others. A header is never replaced by adding: to set one, ' +
    'name it in both lists. A value that evaluates to null is left out.',
  config: z.strictObject({
    messageType: choice(['REQUEST', 'RESPONSE']).describe('Which message is changed.'),
    remove: z
      .array(changeableHeader(text()))
      .default([])
      .describe('Names of headers to remove, in upper or lower case.'),
    add: z
      .record(changeableHeader(z.string()), z.array(runtimeText()))
      .default({})
      .describe('Values to add, by header name.'),
  }),
  examples: [
    {
      title: 'Tell the application who asks, whatever the client says',
      config: { messageType: 'REQUEST', remove: ['X-User'], add: { 'X-User': ['${attributes.user}'] } },
    },
    {
      title: 'Say less about the application',
      config: { messageType: 'RESPONSE', remove: ['Server', 'X-Powered-By'] },
    },
  ],
  create({ messageType, remove, add }) {
    const additions = Object.entries(add).flatMap(([name, values]) => values.map((value) => ({ name, value })));
    const computed = additions.some(({ value }) => value.compiled !== null);
    const change = computed && remove.length > 0 ? changeKnowing : changePlainly;

    function changePlainly(headers: Headers, exchange: Exchange, response: Response | null): void {
      for (const name of remove) headers.delete(name);
      for (const { name, value } of additions) addTo(headers, name, value.read(exchange, response));
    }

    /** What is added may be computed from what is removed. */
    function changeKnowing(headers: Headers, exchange: Exchange, response: Response | null): void {
      const values = additions.map(({ value }) => value.read(exchange, response));
      for (const name of remove) headers.delete(name);
      additions.forEach(({ name }, index) => {
        addTo(headers, name, values[index]!);
      });
    }

    if (messageType === 'REQUEST') {
      return function changeRequest(exchange, next) {
        change(exchange.request.headers, exchange, null);
        return next(exchange);
      };
    }
    const changeResponse = (response: Response, exchange: Exchange): Response => {
      change(response.headers, exchange, response);
      return response;
    };
    return (exchange, next) => mapResponse(next(exchange), exchange, changeResponse);
  },
});

function addTo(headers: Headers, name: string, value: string | null): void {
  if (value !== null) headers.append(name, value);
}
