import { z } from 'zod';
import { duration, flag, integer, number, text } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { defineFilter } from '../../heap/definition.ts';
import { copyContent } from './copied-content.ts';
import { CopiedRequest } from './copied-request.ts';
import { MIRROR_HEADER } from './mirror-header.ts';
import { MirrorMeter } from './mirror-meter.ts';
import { MirrorQueue } from './mirror-queue.ts';

/** Names of headers that hold credentials, in lower case. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** Sends copies of requests to another handler, whose responses nobody sees. */
export const mirrorFilter = defineFilter({
  type: 'MirrorFilter',
  summary:
    'Sends a copy of some requests to another handler, for example to a new version of the application that is to see ' +
    'real traffic. The response to the copy is discarded. The request itself never waits for the copy and never fails ' +
    'because of it: a copy that cannot be made or sent in time is dropped and counted. A copy is the request as this ' +
    'filter sees it, with the header `Gatewarden-Mirror: true` and without credentials of the client. Requests with ' +
    'that header are not copied again, and neither are upgrades such as WebSockets.',
  config: z.strictObject({
    handler: ref('handler').describe('Handler that gets the copies, such as a ReverseProxyHandler.'),
    percent: number({ min: 0, max: 100 }).default(100).describe('Share of requests that are copied, in percent.'),
    maxBody: integer({ min: 0, max: 10_485_760 })
      .default(65_536)
      .describe(
        'Longest body of a copy, in bytes. The body is kept in memory while it goes on to the application; requests with ' +
          'longer bodies are not copied.',
      ),
    maxConcurrent: integer({ min: 1, max: 10_000 })
      .default(32)
      .describe('Most copies that one gateway unit has under way.'),
    maxQueued: integer({ min: 0, max: 10_000 })
      .default(32)
      .describe('Most copies of one gateway unit that are received or wait for others to end.'),
    timeout: duration({ max: '5 minutes' })
      .prefault('10 seconds')
      .describe('Time for a copy, from the end of the request until the end of the response.'),
    keepCredentials: flag()
      .default(false)
      .describe(
        'Whether copies have the headers `Authorization`, `Cookie` and `Proxy-Authorization`. The operator of the mirror ' +
          'can act as the user then.',
      ),
    removedHeaders: z
      .array(text().refine((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name), 'is not the name of a header'))
      .default([])
      .describe('Other headers that copies do not have, such as one with an API key.'),
  }),
  examples: [
    {
      title: 'A tenth of the requests for a new version',
      config: {
        handler: { type: 'ReverseProxyHandler', baseURI: 'http://orders-next.shop.svc:8080' },
        percent: 10,
        removedHeaders: ['X-Api-Key'],
      },
    },
  ],
  create(config, parts) {
    const { percent, maxBody, keepCredentials } = config;
    const meter = new MirrorMeter(parts);
    const queue = new MirrorQueue({
      handler: parts.resolve(config.handler),
      maxConcurrent: config.maxConcurrent,
      maxQueued: config.maxQueued,
      timeout: config.timeout.milliseconds,
      meter,
    });
    parts.onClose(() => queue.close());
    const removed = new Set(config.removedHeaders.map((name) => name.toLowerCase()));
    if (!keepCredentials) for (const name of CREDENTIALS) removed.add(name);

    return function mirror(exchange, next) {
      if (Math.random() * 100 < percent && !exchange.request.headers.has(MIRROR_HEADER)) copy(exchange);
      return next(exchange);
    };

    /** Never throws: the request goes on whatever becomes of its copy. */
    function copy(exchange: Exchange): void {
      try {
        const { request } = exchange;
        if (request.upgrade !== null) meter.dropped('upgrade');
        else if (!queue.reserve()) meter.dropped('queue-full');
        else {
          const copied = new CopiedRequest(exchange, removed);
          copyContent(request, maxBody, copied, (content) => {
            if (Buffer.isBuffer(content)) queue.add(copied, content);
            else queue.giveUp(content, copied);
          });
        }
      } catch (error) {
        parts.log.warn({ reason: String(error) }, 'request not mirrored');
        queue.giveUp('internal', null);
      }
    }
  },
});
