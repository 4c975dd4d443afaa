import { z } from 'zod';
import type { Pattern } from '../../contract/pattern/pattern.ts';
import { choice, pattern, text } from '../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { target } from '../../contract/vocabulary/runtime.ts';
import { beginWork, endWork } from '../../contract/work-budget.ts';
import { charsetDecoder } from '../engine/message/content-charset.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { fillFromMatch, templateFault } from './match-template.ts';
import { warnIfReadOnly } from './read-only-target.ts';

/** Finds texts in the content of messages. */
export const entityExtractFilter = defineFilter({
  type: 'EntityExtractFilter',
  summary:
    'Searches the content of a message with regular expressions and assigns a map of the matches to a target. ' +
    'The content is searched line by line; the first line that matches a pattern is used. A key without a match ' +
    'is not in the map. The complete message is read and decoded, and passed on unchanged. A request that cannot ' +
    'be read as text is rejected with 415, a response with 502.',
  config: z.strictObject({
    messageType: choice(['REQUEST', 'RESPONSE']).describe('Message to search: the request or the response.'),
    charset: text()
      .refine((name) => charsetDecoder(name) !== null, { error: ({ input }) => `there is no charset '${input}'` })
      .optional()
      .describe('Charset of the content; by default the one that its Content-Type names, or UTF-8.'),
    target: target().describe('Target that the map is assigned to, such as ${attributes.form}.'),
    bindings: z
      .array(
        z
          .strictObject({
            key: text().describe('Key of the match in the map.'),
            pattern: pattern().describe('Regular expression to search for.'),
            template: z
              .string()
              .optional()
              .describe('Template for the value: $1 is the first group of the match. By default the whole match.'),
          })
          .check(
            rulesAbout(['pattern', 'template'], ({ pattern, template }, add) => {
              const message = template === undefined ? null : templateFault(pattern, template);
              if (message !== null) add(['template'], message, 'pattern');
            }),
          ),
      )
      .describe('Patterns to search for, with their keys in the map.'),
  }),
  examples: [
    {
      title: 'The hidden token of a form',
      config: {
        messageType: 'RESPONSE',
        target: '${attributes.form}',
        bindings: [{ key: 'token', pattern: 'name="token" value="([^"]*)"', template: '$1' }],
      },
    },
  ],
  create({ messageType, charset, target: place, bindings }, { log }) {
    warnIfReadOnly(place, log);

    async function extract(exchange: Exchange, response: Response | null): Promise<void> {
      const { entity } = response ?? exchange.request;
      const content = await entity.text(undefined, charset);
      place.assign(exchange, response, searched(content.split(/\r\n|[\r\n]/)));
    }

    /** All lines and patterns together may take the work of one search: there can be thousands of both. */
    function searched(lines: readonly string[]): Map<string, string> {
      const found = new Map<string, string>();
      const outer = beginWork();
      try {
        for (const { key, pattern: wanted, template } of bindings) {
          const value = firstIn(lines, wanted, template);
          if (value !== null) found.set(key, value);
        }
      } finally {
        endWork(outer);
      }
      return found;
    }

    if (messageType === 'REQUEST') {
      return async function extractFromRequest(exchange, next) {
        await extract(exchange, null);
        return next(exchange);
      };
    }
    const extractFromResponse = async (response: Response, exchange: Exchange): Promise<Response> => {
      await extract(exchange, response);
      return response;
    };
    return (exchange, next) => mapResponse(next(exchange), exchange, extractFromResponse);
  },
});

function firstIn(lines: readonly string[], wanted: Pattern, template: string | undefined): string | null {
  for (const line of lines) {
    const value = fillFromMatch(line, wanted, template);
    if (value !== null) return value;
  }
  return null;
}
