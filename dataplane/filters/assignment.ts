import { z } from 'zod';
import { EvaluationError } from '../../contract/expression/value.ts';
import { runtimeFlag, runtimeValue, target } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { warnIfReadOnly } from './read-only-target.ts';

const assignments = (when: string) =>
  z
    .array(
      z.strictObject({
        condition: runtimeFlag().optional().describe('Condition of the assignment; by default it is always made.'),
        target: target().describe('Target of the assignment, such as ${attributes.user}.'),
        value: runtimeValue()
          .refine(({ compiled, read }) => compiled !== null || !isObject(read(null, null)), {
            error: 'must be a text, a number, true, false or null: an object can only be the value of an expression',
          })
          .optional()
          .describe('Value to assign; null or no value clears the target.'),
      }),
    )
    .default([])
    .describe(`Assignments, made in order ${when}; later ones see the results of earlier ones.`);

/** Assigns values to what expressions can write. */
export const assignmentFilter = defineFilter({
  type: 'AssignmentFilter',
  summary:
    'Assigns values to attributes, headers and other targets that expressions can write: before the request is ' +
    'passed on, and after the response has arrived. A value that is not valid for its target, such as a line ' +
    'break in a header, gives 500.',
  config: z.strictObject({
    onRequest: assignments('before the request is passed on'),
    onResponse: assignments('when the response has come back'),
  }),
  examples: [
    {
      title: 'Read the language of the client and add it to the response',
      config: {
        onRequest: [{ target: '${attributes.language}', value: "${request.headers['Accept-Language'][0]}" }],
        onResponse: [
          {
            condition: '${not empty attributes.language}',
            target: "${response.headers['X-Language']}",
            value: '${attributes.language}',
          },
        ],
      },
    },
  ],
  setsUri: ({ onRequest }) => onRequest.some(({ target: { source } }) => NAMES_HOST.test(source)),
  create({ onRequest, onResponse }, { log }) {
    for (const { target: place } of [...onRequest, ...onResponse]) warnIfReadOnly(place, log);

    function assign(list: typeof onRequest, exchange: Exchange, response: Response | null): void {
      for (const { condition, target: place, value } of list) {
        if (condition !== undefined && condition.read(exchange, response) !== true) continue;
        try {
          place.assign(exchange, response, value?.read(exchange, response) ?? null);
        } catch (error) {
          if (!(error instanceof EvaluationError)) throw error;
          // what is behind may rely on the value, so the request does not go on without it
          throw new Error(`cannot assign to ${place.source}: ${error.message}`, { cause: error });
        }
      }
    }

    const assignToResponse = (response: Response, exchange: Exchange): Response => {
      assign(onResponse, exchange, response);
      return response;
    };
    return function assignToRequest(exchange, next) {
      assign(onRequest, exchange, null);
      return onResponse.length === 0 ? next(exchange) : mapResponse(next(exchange), exchange, assignToResponse);
    };
  },
});

/** A place whose change sends the request to another host. */
const NAMES_HOST = /^\$\{\s*request\s*(?:\.\s*uri|\[\s*['"]uri['"]\s*\])\s*(?:\}|\.\s*host\b|\[\s*['"]host['"])/;

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
