import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { unavailable } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { scanInterval } from '../../contract/vocabulary/scan-interval.ts';
import { defineHandler } from '../heap/definition.ts';

/** Dispatches each request to the first route that takes it. */
export const router = defineHandler({
  type: 'Router',
  aliases: ['RouterHandler'],
  summary:
    'Dispatches each request to the first route, by name, whose condition is true. Routes are the files of a ' +
    'directory; changes take effect without a restart.',
  config: z.strictObject({
    directory: text().optional().describe('Directory of the routes; by default `config/routes` of the instance.'),
    scanInterval: scanInterval()
      .prefault('10 seconds')
      .describe('Interval between scans of the directory; `disabled` to read it only at start.'),
    defaultHandler: ref('handler')
      .optional()
      .describe('Handler of requests that match no route; by default they get 404.'),
    openApiValidation: unavailable('object').describe('Routes generated from OpenAPI documents.'),
  }),
  entersRoutes: true,
  operatorOnly: 'the routes of a router are files of the data plane',
  survives: false, // its routes inherit from the heap that it is built in
  examples: [
    {
      title: 'Routes in a separate directory, and a default response',
      config: {
        directory: '${openig.configDirectory}/routes-public',
        scanInterval: '2 seconds',
        defaultHandler: { type: 'StaticResponseHandler', config: { status: 404 } },
      },
    },
  ],
  create({ defaultHandler }, parts) {
    return parts.dispatcher(defaultHandler === undefined ? null : parts.resolve(defaultHandler));
  },
});
