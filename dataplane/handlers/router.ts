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
    'directory; they come and go while requests are served.',
  config: z.strictObject({
    directory: text().optional().describe('Directory of the routes; by default `config/routes` of the instance.'),
    scanInterval: scanInterval()
      .prefault('10 seconds')
      .describe('How often the directory is looked at for changes; `disabled` for once, at the start.'),
    defaultHandler: ref('handler')
      .optional()
      .describe('Handler of requests that no route takes; by default they are answered with 404.'),
    openApiValidation: unavailable('object').describe('Routes made of OpenAPI documents.'),
  }),
  entersRoutes: true,
  operatorOnly: 'the routes of a router are files of the data plane',
  survives: false, // its routes inherit from the heap that it is built in
  examples: [
    {
      title: 'Routes in a directory of their own, and an answer for the rest',
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
