import { z } from 'zod';
import { choice, flag, integer, pattern, text } from '../../contract/vocabulary/configured.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineDecorator } from '../heap/definition.ts';
import type { Decorated } from '../heap/objects/decorator.ts';
import { CredentialMask } from './credential-mask.ts';
import { MessageCapture } from './message-capture.ts';

const point = choice(['all', 'request', 'filtered_request', 'response', 'filtered_response']);
const names = z.array(pattern({ ignoreCase: true })).default([]);

/** Writes the messages that pass an object to the log. */
export const captureDecorator = defineDecorator({
  type: 'CaptureDecorator',
  summary:
    'Logs the messages that pass through the decorated object. The points `request` and `response` are before ' +
    'and after the object; `filtered_request` and `filtered_response` are the messages that a filter passes on ' +
    'and gets back; `all` captures all of them. Credentials are always masked: headers such as `Authorization` ' +
    'and `Cookie`, parameters and entity members with names such as `token`, `secret`, `key` or `password`, and ' +
    'signed tokens anywhere. Captured entities may still contain personal data, and capturing slows traffic ' +
    'down. The decorator `capture` is predefined.',
  config: z.strictObject({
    captureEntity: flag()
      .default(false)
      .describe('Whether text entities are logged. The message waits until the logged part has arrived.'),
    captureContext: flag().default(false).describe('Whether the contexts of the exchange are logged, as JSON.'),
    maxEntityLength: integer({ min: 1, max: 67_108_864 })
      .default(524_288)
      .describe('Maximum number of bytes of an entity that are logged.'),
    masks: z
      .strictObject({
        headers: names.describe('Patterns for the names of further headers to mask, case-insensitive.'),
        trackers: names.describe('Patterns for the names of further parameters and members to mask, case-insensitive.'),
        attributes: names.describe(
          'Patterns for the names of further attributes and contexts to mask, case-insensitive.',
        ),
        mask: text().default('*****').describe('Replacement for masked values.'),
      })
      .prefault({})
      .describe('Further values to mask, in addition to credentials.'),
  }),
  decoration: z.union([point, z.array(point)]).describe('Capture points: one point, or an array of them.'),
  decorates: ['filter', 'handler'],
  examples: [
    {
      title: 'Log entities too, and mask further headers',
      config: { captureEntity: true, masks: { headers: ['X-Legacy-.*'] } },
    },
  ],
  inVain(points, kind) {
    const filtered = [points].flat().every((one) => one.startsWith('filtered_'));
    return filtered && kind === 'handler' ? 'a handler passes nothing on, so that nothing is filtered' : null;
  },
  create({ captureEntity, captureContext, maxEntityLength, masks }, { log, name }) {
    const { headers, trackers, attributes, mask } = masks;
    const options = {
      entityLimit: captureEntity ? maxEntityLength : null,
      context: captureContext,
      mask: new CredentialMask({ headers, names: [...trackers, ...attributes], mask }),
    };
    const captureOf = ({ name: object, qualifiedName }: Decorated): MessageCapture => {
      const logger = `CaptureDecorator.${name}.${object}`;
      return new MessageCapture(options, log.child({ logger, decorated: qualifiedName }));
    };
    return {
      handler: (handler, points, decorated) => capturing(captureOf(decorated), points, PLAIN)(handler),
      filter(filter, points, decorated) {
        const capture = captureOf(decorated);
        const outside = capturing(capture, points, PLAIN);
        const inside = capturing(capture, points, FILTERED);
        return (exchange, next) => {
          const inner = inside(next);
          return outside((entering) => filter(entering, inner))(exchange);
        };
      },
    };
  },
});

const PLAIN = { request: 'request', response: 'response' } as const;
const FILTERED = { request: 'filtered-request', response: 'filtered-response' } as const;

/** Puts the chosen ones of two points around something that answers. */
function capturing(
  capture: MessageCapture,
  points: string | readonly string[],
  at: typeof PLAIN | typeof FILTERED,
): (next: Next) => Next {
  const chosen = new Set([points].flat());
  const wants = (one: string): boolean => chosen.has('all') || chosen.has(one.replace('-', '_'));
  const [before, after] = [wants(at.request), wants(at.response)];
  const captureResponse = (response: Response, exchange: Exchange): Answer => {
    const written = capture.response(at.response, exchange, response);
    return written === null ? response : written.then(() => response);
  };
  return (next) => {
    const answered: Next = after ? (exchange) => mapResponse(next(exchange), exchange, captureResponse) : next;
    if (!before) return answered;
    return (exchange) => {
      const written = capture.request(at.request, exchange);
      return written === null ? answered(exchange) : written.then(() => answered(exchange));
    };
  };
}
